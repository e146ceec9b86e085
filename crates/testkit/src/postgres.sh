# Starts a server for tests and prints its folder. Each line of the input is an order, which is
# printed again when it is done. At the end of the input, which the death of the tests is, the server
# and the folder are removed.
set -e
bin=$1
sync=$2
role=$3
# Memory is faster than a disk, and only a server that waits for the disk has to have one.
place=/tmp
if [ "$sync" = off ] && [ -w /dev/shm ]; then
    free=$(df --output=avail /dev/shm | tail -n 1)
    if [ "$free" -gt 2000000 ]; then place=/dev/shm; fi
fi
folder=$(mktemp -d "$place/silcrow-postgres-XXXXXX")
# Signals the process that makes others, and then those that it has made.
signal() {
    server=$(head -n 1 "$folder/data/postmaster.pid")
    kill -s "$1" "$server"
    for process in $(cat "/proc/$server/task/$server/children"); do
        kill -s "$1" "$process" || true
    done
}
control() {
    "$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -m immediate -w "$1" >/dev/null
}
# A server that is frozen would not hear that it is to stop.
trap 'set +e; { signal CONT; control stop; } >/dev/null 2>&1; rm -rf "$folder"' EXIT
if [ "$role" = standby ]; then
    "$bin/pg_basebackup" -D "$folder/data" -h "$4" -U postgres -R -c fast --no-sync
else
    # Making an empty server takes two seconds of a processor and copying one takes none, so the first
    # test makes it for all.
    template="/tmp/silcrow-postgres-template-$(id -u)$(echo "$bin" | tr / -)"
    if [ ! -d "$template" ]; then
        "$bin/initdb" -D "$folder/new" -A trust -U postgres -E UTF8 --locale=C.UTF-8 --no-sync \
            --wal-segsize=1 >/dev/null
        cp -R "$folder/new" "$template-$$"
        # It fails if another test was faster.
        mv -T "$template-$$" "$template" 2>/dev/null || rm -rf "$template-$$"
        rm -rf "$folder/new"
    fi
    # Nobody else can have prepared it.
    [ -O "$template" ] || {
        echo "$template belongs to somebody else; remove it" >&2
        exit 1
    }
    cp -R "$template" "$folder/data"
    chmod 700 "$folder/data"
    echo 'local all guarded scram-sha-256' >"$folder/hba"
    cat "$folder/data/pg_hba.conf" >>"$folder/hba"
    mv "$folder/hba" "$folder/data/pg_hba.conf"
fi
cat >>"$folder/data/postgresql.conf" <<END
listen_addresses = ''
unix_socket_directories = '$folder'
max_connections = 300
fsync = $sync
END
case $role in
primary)
    # What is acknowledged can be read at the standby.
    cat >>"$folder/data/postgresql.conf" <<END
synchronous_standby_names = '*'
synchronous_commit = remote_apply
END
    ;;
standby) echo "synchronous_standby_names = ''" >>"$folder/data/postgresql.conf" ;;
encrypted)
    (
        umask 077
        printf '%s\n' "$SILCROW_TEST_CERTIFICATE" >"$folder/data/server.crt"
        printf '%s\n' "$SILCROW_TEST_KEY" >"$folder/data/server.key"
    )
    cat >>"$folder/data/postgresql.conf" <<END
ssl = on
listen_addresses = '127.0.0.1'
port = $4
END
    ;;
esac
chmod 755 "$folder"
control start
echo "$folder"
while read -r order; do
    case $order in
    restart | stop | promote) control "$order" ;;
    freeze) signal STOP ;;
    wake) signal CONT ;;
    *) exit 1 ;;
    esac
    echo "$order"
done
