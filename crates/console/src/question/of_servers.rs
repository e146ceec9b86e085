//! The questions of MCP servers, and about them.

use super::{QuestionStyle, QuestionWriter};

/// Returns a question of an MCP server, or of the agent itself, for one field of its answer, as a
/// person reads it. `wrong` says why the previous answer is not valid.
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
///
/// ```
/// use silcrow_console::question::{QuestionStyle, restart_question};
///
/// let style = QuestionStyle::of_process();
/// let question = restart_question("git", "/usr/bin/mcp\u{1b}[2Jgit", style);
/// // What others wrote cannot move the cursor.
/// assert!(!question.contains("\u{1b}[2J"), "{question:?}");
/// assert!(question.contains("git"));
/// ```
pub fn restart_question(server: &str, changed: &str, style: QuestionStyle) -> String {
    let mut out = QuestionWriter { out: String::from("\n"), style };
    out.ours("", "An MCP server has ended, and what it would run now is not what you started.");
    out.theirs("server", server);
    out.theirs("changed", changed);
    out.ours("", "y: start it as it is now.  Anything else: no, and its tools fail.");
    out.out
}
