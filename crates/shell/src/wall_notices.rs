//! Remarks about walls of the network that a command met, with the words that ask for the doors.

use silcrow_egress::{RefusalReason, RefusedHost};
use silcrow_event::Grant;
use silcrow_tool::ToolOutput;

/// The walls of the network that a command met.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetWalls {
    /// The requests that the proxy refused.
    pub(crate) refusals: Vec<RefusedHost>,
    /// The command itself, if it was in the network that commands share.
    pub(crate) words: Option<String>,
}

/// Adds the walls that a command met to its result.
pub(crate) fn with_walls(mut output: ToolOutput, met: &MetWalls) -> ToolOutput {
    let MetWalls { refusals, words } = met;
    let shown = refusals.iter().take(MOST);
    for refusal in shown {
        let notice = notice(refusal, output.has_failed);
        output = output.with_notice(notice);
    }
    if refusals.len() > MOST {
        let more = refusals.len() - MOST;
        output = output.with_notice(format!("{more} further hosts were refused"));
    }
    if output.has_failed
        && let Some(words) = words
        && let Some(port) = refused_port(words, &output.content.text())
    {
        output = output.with_notice(format!(
            "nothing listens at port {port} inside; commands share a closed network, so for a \
             server that this machine runs, such as a database, add `\"needs\": {{\"local\": \
             [{port}]}}` to the call"
        ));
    }
    output
}

fn notice(refusal: &RefusedHost, has_failed: bool) -> String {
    match (&refusal.grant, &refusal.reason) {
        (Grant::Network(host), RefusalReason::NotGranted(_)) if has_failed => {
            format!(
                "{refusal}; a call that needs it says `\"needs\": {{\"network\": [\"{host}\"]}}`"
            )
        }
        (_, RefusalReason::NotPublic) => format!(
            "{refusal}; a server of this machine is reached at 127.0.0.1 with `needs.local`"
        ),
        _ => refusal.to_string(),
    }
}

/// Returns the port of this machine at which a command was refused, if the words show it.
fn refused_port(command: &str, output: &str) -> Option<u16> {
    let is_refused = REFUSED.iter().any(|words| output.contains(words));
    let named = || port_in(output).or_else(|| port_in(command));
    is_refused.then(named).flatten()
}

/// Returns the first port that follows a loopback address or its name.
fn port_in(text: &str) -> Option<u16> {
    let after = |host: &str| {
        text.match_indices(host).find_map(|(at, _)| {
            let rest = &text[at + host.len()..];
            let separator = SEPARATORS.iter().find_map(|words| rest.strip_prefix(words))?;
            let end = separator.find(|char: char| !char.is_ascii_digit());
            let digits = &separator[..end.unwrap_or(separator.len())];
            digits.parse().ok().filter(|port| *port > 0)
        })
    };
    LOOPBACK.iter().find_map(|host| after(host))
}

/// The error messages of programs that could not connect.
const REFUSED: &[&str] = &[
    "Connection refused",
    "connection refused",
    "ECONNREFUSED",
    "Could not connect",
    "Couldn't connect",
];

const LOOPBACK: &[&str] = &["127.0.0.1", "localhost", "[::1]", "::1"];

/// The text between a host and its port.
const SEPARATORS: &[&str] =
    &[":", " port ", "\" port ", "\", port ", ", port ", "\" (127.0.0.1), port ", " ", "', "];

/// The number of refusals that are named.
const MOST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_port_is_found_in_error_text() {
        for (command, output, expected) in [
            (
                "curl -s http://localhost:3000/",
                "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to \
                 server",
                Some(3000),
            ),
            (
                "psql",
                "psql: error: connection to server at \"localhost\" (127.0.0.1), port 5432 failed: \
                 Connection refused",
                Some(5432),
            ),
            ("node a.js", "Error: connect ECONNREFUSED 127.0.0.1:6379", Some(6379)),
            ("node a.js", "Error: connect ECONNREFUSED ::1:6379", Some(6379)),
            ("redis-cli -h 127.0.0.1:6379", "Connection refused", Some(6379)),
            ("redis-cli", "Connection refused", None),
            ("curl http://localhost:3000/", "404", None),
            ("curl http://localhost:0/", "Connection refused", None),
            ("curl http://localhost:99999/", "Connection refused", None),
        ] {
            assert_eq!(refused_port(command, output), expected, "{output}");
        }
    }
}
