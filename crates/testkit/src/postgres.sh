# Starts a server for tests and prints its folder. Each line of the input restarts it. At the end of
# the input, which the death of the tests is, the server and the folder are removed.
set -e
bin=$1
sync=$2
port=$3
folder=$(mktemp -d /tmp/silcrow-postgres-XXXXXX)
trap '"$bin/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null 2>&1; rm -rf "$folder"' EXIT
"$bin/initdb" -D "$folder/data" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$folder'
max_connections = 300
fsync = $sync
END
if [ -n "$port" ]; then
    (
        umask 077
        printf '%s\n' "$SILCROW_TEST_CERTIFICATE" >"$folder/data/server.crt"
        printf '%s\n' "$SILCROW_TEST_KEY" >"$folder/data/server.key"
    )
    cat >>"$folder/data/postgresql.conf" <<END
ssl = on
listen_addresses = '127.0.0.1'
port = $port
END
fi
echo 'local all guarded scram-sha-256' >"$folder/hba"
cat "$folder/data/pg_hba.conf" >>"$folder/hba"
mv "$folder/hba" "$folder/data/pg_hba.conf"
chmod 755 "$folder"
"$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w start >/dev/null
echo "$folder"
while read -r mode; do
    "$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -m "$mode" -w restart >/dev/null
    echo restarted
done
