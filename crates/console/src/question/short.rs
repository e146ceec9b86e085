//! The few rows of a question at a terminal: the effect, the reason of the question, and the doors
//! that a yes opens. Everything else is in the whole question, which a key shows.
//!
//! ```text
//! run      │ npm install left-pad
//! why      │ the mode `ask` asks about commands that are not known to be harmless
//! opens    │ network registry.npmjs.org
//! ```

use silcrow_event::{CallKind, Grants};
use silcrow_sanitize::sanitize_exact;
use silcrow_term::fit::{cut, width};
use silcrow_tool::{ApprovalRequest, ApprovedScope};

use super::doors::{doors, leads_out};
use super::leaves::{LeafValue, leaves};
use super::{LABEL, QuestionStyle, QuestionWriter, exact, sanitized};

/// Returns the rows of a question. The rows that decide come last.
pub fn short_question(asked: ApprovalRequest<'_>, style: QuestionStyle) -> String {
    let mut out = QuestionWriter { out: String::from("\n"), style };
    if is_at_wall(asked) {
        out.ours("", "A command that runs already waits for your answer.");
    }
    out.short_subject(asked);
    out.short_items(asked);
    if !asked.agent_path.is_empty() {
        out.theirs("from", &asked.agent_path.join("/"));
    }
    // The reason of a call with a risk is the risk.
    if let Some(why) = asked.risk.or(asked.why) {
        let why = without_doors(why, asked.grants);
        out.clause("why", &in_one_row(&sanitized(why), out.room(&" ".repeat(LABEL), "")));
    }
    if let Some(doors) = doors(asked.grants) {
        out.clause("opens", &doors);
    }
    if leads_out(asked.grants) {
        out.ours("undo", "not for what it changes outside of this folder");
    }
    out.out
}

/// Returns a reason without the doors at its end, which have a row.
fn without_doors<'w>(why: &'w str, grants: &Grants) -> &'w str {
    let about = why.strip_suffix(&*grants.to_string()).and_then(|about| about.strip_suffix(": "));
    about.filter(|_| !grants.is_empty()).unwrap_or(why)
}

/// Returns a reason as one row. If it has to be cut, the part about this very call stays.
fn in_one_row(why: &str, columns: usize) -> String {
    if width(why) <= columns {
        return why.to_owned();
    }
    let own = why.split_once(": ").map_or(why, |(_, own)| own);
    // The sign of a cut takes two columns on some terminals.
    cut(own, columns.saturating_sub(1), false)
}

/// Returns whether a question is about a call that runs already, and asks for another door.
pub fn is_at_wall(asked: ApprovalRequest<'_>) -> bool {
    ApprovedScope { tool: asked.tool, scope: asked.scope }.doors().is_some()
}

/// Returns whether a question is about a plan that an agent proposes.
pub fn is_plan(asked: ApprovalRequest<'_>) -> bool {
    asked.kind == CallKind::Tool && asked.tool == PLAN
}

/// Returns the plan that a question is about, in Markdown. The rows of the question have its title only.
///
/// ```
/// use silcrow_console::question::plan_text;
/// use silcrow_tool::ApprovalRequest;
///
/// let args = r#"{"title":"Tidy up","plan":"1. Read the code."}"#;
/// let asked = ApprovalRequest::new("a1", "plan_propose", args);
/// assert_eq!(plan_text(asked).as_deref(), Some("1. Read the code."));
/// // No other tool has a plan.
/// assert_eq!(plan_text(ApprovalRequest::new("a1", "shell", args)), None);
/// ```
pub fn plan_text(asked: ApprovalRequest<'_>) -> Option<String> {
    let leaves = is_plan(asked).then(|| leaves(asked.args))?;
    leaves.into_iter().find(|leaf| leaf.path == "plan").map(|leaf| leaf.text)
}

/// Returns whether an answer may also cover later calls. No answer covers a call with a risk, or
/// one that leaves the sandbox.
///
/// ```
/// use silcrow_console::question::has_always;
/// use silcrow_tool::ApprovalRequest;
///
/// let mut asked = ApprovalRequest::new("a1", "file_write", r#"{"file":".git/config"}"#);
/// assert!(has_always(asked));
/// asked.risk = Some("it belongs to git");
/// assert!(!has_always(asked), "a person has to say yes to this very call");
/// ```
pub fn has_always(asked: ApprovalRequest<'_>) -> bool {
    asked.risk.is_none() && !is_outside(asked.grants)
}

fn is_outside(grants: &Grants) -> bool {
    grants.iter().any(|grant| *grant == silcrow_event::Grant::Outside)
}

impl QuestionWriter {
    /// Writes the effect of a call: a difference, a command, or the tool with its arguments.
    fn short_subject(&mut self, asked: ApprovalRequest<'_>) {
        let leaves = leaves(asked.args);
        let is_shell = asked.kind == CallKind::Tool && asked.tool == SHELL;
        let command = leaves.iter().find(|leaf| is_shell && leaf.path == COMMAND);
        if let Some(diff) = asked.diff.filter(|diff| !diff.files.is_empty()) {
            self.diff_labelled("change", diff);
            // The difference names the files. Of the arguments it shows some completely.
            let names = |leaf: &LeafValue| diff.files.iter().any(|file| file.path == leaf.text);
            let is_shown = |leaf: &LeafValue| diff.args.contains(&leaf.argument) || names(leaf);
            return self.short_leaves(leaves.iter().filter(|leaf| !is_shown(leaf)));
        }
        if is_plan(asked) {
            let title = leaves.iter().find(|leaf| leaf.path == "title").map(exact);
            return self.theirs("plan", title.as_deref().unwrap_or_default());
        }
        let Some(command) = command else {
            self.theirs(asked.kind.as_str(), asked.tool);
            return self.short_leaves(leaves.iter());
        };
        let text = exact(command);
        let mut labels = ["run"].into_iter().chain(std::iter::repeat(""));
        for line in text.lines() {
            let label = labels.next().unwrap_or_default();
            self.theirs(label, line);
        }
        // The time limit is a detail, and the doors have a row of their own.
        let is_rest = |leaf: &&LeafValue| ![COMMAND, TIMEOUT].contains(&&*leaf.argument);
        let is_door = |leaf: &LeafValue| leaf.argument == NEEDS && !leaf.text.contains(' ');
        self.short_leaves(leaves.iter().filter(is_rest).filter(|leaf| !is_door(leaf)));
    }

    /// Writes arguments: the short ones in one row, and a longer one in rows after it.
    fn short_leaves<'l>(&mut self, leaves: impl Iterator<Item = &'l LeafValue>) {
        let (blocks, lines): (Vec<_>, Vec<_>) = leaves.partition(|leaf| leaf.is_block());
        let facts = lines.iter().map(|leaf| {
            let quote = if leaf.is_string { "\"" } else { "" };
            format!("{}: {quote}{}{quote}", leaf.path, sanitize_exact(&leaf.text))
        });
        let facts = facts.collect::<Vec<_>>().join(", ");
        if !facts.is_empty() {
            self.theirs("with", &facts);
        }
        for block in blocks {
            self.leaf(block);
        }
    }
}

const SHELL: &str = "shell";
const PLAN: &str = "plan_propose";
const COMMAND: &str = "command";
const TIMEOUT: &str = "timeout";
const NEEDS: &str = "needs";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reason_omits_grants_with_a_row() {
        let doors = ["git", "network:a.example"].map(|door| door.parse().unwrap());
        let grants: Grants = doors.into_iter().collect();
        let about = "the mode `workspace` asks about what opens";
        let all = format!("{about}: git, network:a.example");
        assert_eq!(without_doors(&all, &grants), about);
        let some = format!("{about}: git");
        assert_eq!(without_doors(&some, &grants), some);
        assert_eq!(without_doors(&all, &Grants::none()), all);
    }
}
