//! The questions of MCP servers, and about them.

use super::{QuestionStyle, QuestionWriter};

/// Returns a question of an MCP server, or of the agent itself, for one field of its answer, as a person reads it. `wrong` says
/// why the answer before cannot be one.
pub fn server_question(
    server: &str,
    message: &str,
    field: &str,
    wrong: Option<&str>,
    style: QuestionStyle,
) -> String {
    let mut out = QuestionWriter { out: String::from("\n"), style };
    if server == AGENT {
        out.ours("", "Your agent asks you before it goes on.");
        let mut labels = ["asks"].into_iter().chain(std::iter::repeat(""));
        for line in message.lines() {
            out.theirs(labels.next().unwrap_or_default(), line);
        }
    } else {
        out.ours(
            "",
            "An MCP server asks you in the middle of a call. What you answer is sent to it.",
        );
        out.clause("asks", message);
        out.theirs("server", server);
        out.clause("field", field);
    }
    if let Some(wrong) = wrong {
        out.clause("again", wrong);
    }
    out.out
}

/// The name under which the agent itself asks.
const AGENT: &str = "your agent";

/// Returns the question whether an MCP server may start again although a file has changed.
pub fn restart_question(server: &str, changed: &str, style: QuestionStyle) -> String {
    let mut out = QuestionWriter { out: String::from("\n"), style };
    out.ours("", "An MCP server has ended, and what it would run now is not what you started.");
    out.theirs("server", server);
    out.theirs("changed", changed);
    out.ours("", "y: start it as it is now.  Anything else: no, and its tools fail.");
    out.out
}
