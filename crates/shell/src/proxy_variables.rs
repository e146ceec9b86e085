//! The variables that tell programs where the proxy is.
//!
//! `docs/guide.md` says which programs read them.

use silcrow_egress::NetworkPass;
use silcrow_sandbox::ConfinedCommand;

/// Returns the command with the variables of its pass of the proxy that listens at this port.
pub(crate) fn proxy_variables(
    command: ConfinedCommand,
    pass: &NetworkPass,
    port: u16,
) -> ConfinedCommand {
    let url = pass.url(port);
    let mut command = online(command);
    for name in PROXY {
        command = command.with_variable(*name, &*url).with_variable(name.to_lowercase(), &*url);
    }
    for (name, value) in [
        ("NO_PROXY", UNPROXIED),
        ("no_proxy", UNPROXIED),
        // Node reads the other variables only with this one.
        ("NODE_USE_ENV_PROXY", "1"),
        ("GIT_SSH_COMMAND", SSH),
        ("SILCROW_CONNECT", CONNECT),
    ] {
        command = command.with_variable(name, value);
    }
    command
        .with_variable("SILCROW_CONNECT_PORT", port.to_string())
        .with_variable("SILCROW_CONNECT_PASS", pass.authorization())
}

/// Returns the command with the network as programs expect it: the sandbox otherwise signals to
/// some of them that there is none.
pub(crate) fn online(command: ConfinedCommand) -> ConfinedCommand {
    command.with_variable("CARGO_NET_OFFLINE", "false").with_variable("npm_config_offline", "false")
}

/// The variables that name a proxy, each also in lower case. A URL of SOCKS would be wider, but
/// some libraries fail if they find one.
const PROXY: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];

/// Addresses inside the network of the commands, which are reached without the proxy.
const UNPROXIED: &str = "localhost,127.0.0.1,::1,0.0.0.0";

/// The command that git uses to start ssh, which starts a shell for the inner words.
const SSH: &str = r#"ssh -o ProxyCommand='bash -c "$SILCROW_CONNECT" connect %h %p'"#;

/// A script that carries its input and output through the proxy to a host and a port. Bash opens the
/// connection, so no program has to be readable inside for that.
const CONNECT: &str = r#"
exec 3<>"/dev/tcp/127.0.0.1/$SILCROW_CONNECT_PORT" 4<&0 || exit 1
printf 'CONNECT %s:%s HTTP/1.1\r\nProxy-Authorization: %s\r\n\r\n' \
    "$1" "$2" "$SILCROW_CONNECT_PASS" >&3
IFS= read -r status <&3
while IFS= read -r line <&3 && [ "$line" != $'\r' ]; do :; done
case $status in
    "HTTP/1."?" 200"*) ;;
    *) IFS= read -r line <&3; printf '%s\n' "$line" >&2; exit 1 ;;
esac
cat <&4 >&3 4<&- &
cat <&3 3<&-
kill $! 2>/dev/null
"#;
