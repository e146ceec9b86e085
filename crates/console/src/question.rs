//! Lays out the question about a call as text for a terminal.
//!
//! It decides gutters, rows and their order; asking is up to the caller.

use std::cmp::Reverse;
use std::iter;
use std::time::Duration;

use silcrow_event::{CallMode, Grant, Grants};
use silcrow_sanitize::{sanitize, sanitize_exact};
use silcrow_term::fit::{rows, words};
use silcrow_tool::{ApprovalRequest, FileDiff, PreviewDiff};

mod doors;
mod items;
mod leaves;
mod of_servers;
mod parked;
mod short;
mod style;

use doors::doors;
pub use items::picked;
use leaves::{LeafValue, leaves};
pub use of_servers::{restart_question, server_question};
pub use parked::parked_question;
pub use short::{has_always, is_at_wall, is_plan, plan_text, short_question};
pub use style::QuestionStyle;

/// Returns a question as a person reads it, up to the place of the answer.
///
/// Everything is shown. The longest arguments come first and the facts that decide come last, so
/// that these do not scroll away. In each row text from elsewhere is to the right of a gutter. Only
/// text of the program is to its left or in rows without one, so neither can look like the other.
pub fn question(asked: ApprovalRequest<'_>, style: QuestionStyle) -> String {
    let mut out = QuestionWriter { out: question_text(asked, None, style), style };
    let always = match asked.wider_scopes.len() {
        _ if !has_always(asked) => "",
        0 => "  a: yes, always, as above.",
        1 => "  a or a2: yes, always, as above.",
        _ => "  a, a2 or a3: yes, always, as above.",
    };
    let yes = match asked.items.len() {
        0 => "y: yes, once.".to_owned(),
        more => format!("y: yes, all {} items.  1, or 1,3-5: yes, these alone.", more + 1),
    };
    let keys = format!("{yes}{always}  Anything else: no, and the model reads it.");
    out.ours("", &keys);
    out.out + "[N] "
}

/// Returns a whole question without the meaning of the keys. `folder_rule` describes the calls that a
/// rule for this folder would allow.
pub fn question_text(
    asked: ApprovalRequest<'_>,
    folder_rule: Option<&str>,
    style: QuestionStyle,
) -> String {
    let mut out = QuestionWriter { out: String::from("\n"), style };
    let bytes = count(asked.args.len(), "byte");
    let needs = match is_at_wall(asked) {
        true => "A call that runs already asks for another door.",
        false => "A call needs your approval.",
    };
    out.whole_items(asked);
    match asked.items.len() {
        0 => out.ours("", &format!("{needs} Its arguments ({bytes}):")),
        more => {
            let all = more + 1;
            let text = format!("A loop needs your approval. Item 1 of {all} ({bytes}):");
            out.ours("", &text);
        }
    }
    let ApprovalRequest { target, effect, risk, why, .. } = asked;
    let facts = [("target", target), ("effect", effect), ("risk", risk), ("why", why)];
    let terms = QuestionTerms::new(asked.scope, asked.wider_scopes, asked.grants);
    out.subject(asked.args, asked.diff, terms, facts);
    if let Some(rule) = folder_rule {
        out.clause("folder", rule);
    }
    out.short_items(asked);
    // The agent that wants the call.
    match asked.agent_path {
        [] => out.ours("from", "your agent"),
        path => out.theirs("from", &path.join("/")),
    }
    out.theirs(asked.kind.as_str(), asked.tool);
    out.ours("runs", &runs(asked));
    out.out
}

/// Returns how often and how long the call may run, and whether anything waits for it.
fn runs(
    ApprovalRequest { attempt, attempts, time_limit, outlives_call, mode, .. }: ApprovalRequest<'_>,
) -> String {
    let again = if attempt > 1 { format!("again (attempt {attempt}), ") } else { String::new() };
    let time = duration(time_limit);
    let time = match attempts {
        _ if outlives_call => "once, until it is stopped".to_owned(),
        1 => format!("once, at most {time}"),
        attempts => format!("up to {attempts} attempts of at most {time} each"),
    };
    let mode = match mode {
        CallMode::Sync => "before what follows it",
        CallMode::Async => "beside other calls",
        CallMode::FireAndForget => "in the background",
    };
    format!("{again}{time}, {mode}")
}

fn duration(time: Duration) -> String {
    match time.as_secs() {
        0..=119 => format!("{} s", time.as_secs_f64()),
        seconds @ 120..=7199 if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{} s", grouped(seconds.try_into().unwrap_or(usize::MAX))),
    }
}

fn count(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(number))
}

/// Returns a number with commas between the thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The scope of a yes, and the doors that it opens.
#[derive(Clone, Copy)]
struct QuestionTerms<'a> {
    scope: &'a str,
    wider_scopes: &'a [String],
    grants: &'a Grants,
}

impl<'a> QuestionTerms<'a> {
    const fn new(scope: &'a str, wider_scopes: &'a [String], grants: &'a Grants) -> Self {
        Self { scope, wider_scopes, grants }
    }
}

struct QuestionWriter {
    out: String,
    style: QuestionStyle,
}

impl QuestionWriter {
    /// Writes the subject of a question.
    fn subject(
        &mut self,
        args: &str,
        diff: Option<&PreviewDiff>,
        QuestionTerms { scope, wider_scopes, grants }: QuestionTerms<'_>,
        facts: [(&str, Option<&str>); 4],
    ) {
        if let Some(diff) = diff {
            self.diff_labelled("", diff);
        }
        // The difference shows some arguments completely.
        let is_shown =
            |leaf: &LeafValue| diff.is_some_and(|diff| diff.args.contains(&leaf.argument));
        let rest = leaves(args).into_iter().filter(|leaf| !is_shown(leaf));
        let (mut blocks, lines): (Vec<_>, Vec<_>) = rest.partition(LeafValue::is_block);
        blocks.sort_by_key(|block| Reverse(block.text.len()));
        for leaf in blocks.iter().chain(&lines) {
            self.leaf(leaf);
        }
        let risk = facts.iter().any(|(label, text)| *label == "risk" && text.is_some());
        let is_outside = grants.iter().any(|grant| *grant == Grant::Outside);
        match scope == args {
            // No approval for the conversation covers a call with a risk.
            _ if risk => self.ours("always", "this call alone, because of its risk"),
            _ if is_outside => {
                self.ours("always", "no rule and no wider answer, because it leaves the sandbox")
            }
            // A scope that consists of the arguments does not repeat them.
            true => self.ours("always", "the same arguments"),
            false => self.theirs("always", scope),
        }
        let wider = wider_scopes.iter().filter(|_| !risk && !is_outside);
        for (label, scope) in ["always 2", "always 3"].into_iter().zip(wider) {
            self.theirs(label, scope);
        }
        if let Some(doors) = doors(grants) {
            self.clause("opens", &doors);
        }
        for (label, text) in facts {
            match text {
                Some(path) if label == "target" => self.theirs(label, path),
                Some(clause) => self.clause(label, clause),
                None => {}
            }
        }
    }

    /// Writes rows of the program's own text. The label must be the program's, too.
    fn ours(&mut self, label: &str, text: &str) {
        let (bold, plain) = if self.style.color { (BOLD, PLAIN) } else { ("", "") };
        let label = if label.is_empty() { String::new() } else { format!("{label:<LABEL$}") };
        let room = self.style.columns.saturating_sub(label.len() + 1);
        for (row, blank) in words(text, room).iter().zip(labels(&label)) {
            self.out.push_str(&format!("{bold}{blank}{row}{plain}\n"));
        }
    }

    /// Writes rows of text from elsewhere, to the right of a gutter.
    fn theirs(&mut self, label: &str, text: &str) {
        self.behind(&format!("{label:<LABEL$}"), "", &sanitize_exact(text), "");
    }

    /// Writes the lines that change.
    fn diff_labelled(&mut self, label: &str, PreviewDiff { files, args, .. }: &PreviewDiff) {
        let label = if label.is_empty() { String::new() } else { format!("{label:<LABEL$}") };
        for FileDiff { path, hunks } in files {
            let lines = || hunks.split_terminator('\n');
            let [added, removed] = ['+', '-']
                .map(|sign| grouped(lines().filter(|line| line.starts_with(sign)).count()));
            let shown = if args.is_empty() { String::new() } else { args.join(", ") + " in " };
            self.behind(&label, "", &format!("{shown}{path}: +{added} -{removed} lines"), "");
            for line in lines() {
                let paint = match line.as_bytes().first() {
                    Some(b'+') => GREEN,
                    Some(b'-') => RED,
                    Some(b'@') => CYAN,
                    _ => "",
                };
                self.behind("", "  ", line, paint);
            }
        }
    }

    fn leaf(&mut self, leaf: &LeafValue) {
        let LeafValue { path, is_string, .. } = leaf;
        let text = &exact(leaf);
        if leaf.is_block() {
            let lines = text.lines().count();
            let (bytes, lines) = (count(leaf.text.len(), "byte"), count(lines, "line"));
            self.behind("", "", &format!("{path}: {bytes}, {lines}"), "");
            for line in text.lines() {
                self.behind("", "  ", line, "");
            }
        } else {
            let quote = if *is_string { "\"" } else { "" };
            self.behind("", "", &format!("{path}: {quote}{text}{quote}"), "");
        }
    }

    /// Writes rows of words from elsewhere, to the right of a gutter.
    fn clause(&mut self, label: &str, text: &str) {
        let label = format!("{label:<LABEL$}");
        let text = sanitized(text);
        let rows = words(&text, self.room(&label, ""));
        self.gutter(&label, "", rows.iter().map(String::as_str), "");
    }

    /// Writes rows of text to the right of a gutter and an indent. The gutter of a row that
    /// continues another one has a different sign, so that no text can look like a separate line.
    fn behind(&mut self, label: &str, indent: &str, text: &str, paint: &str) {
        let text = sanitized(text);
        self.gutter(label, indent, rows(&text, self.room(label, indent)), paint);
    }

    /// Returns the number of columns to the right of a gutter and an indent.
    fn room(&self, label: &str, indent: &str) -> usize {
        // The sign of the gutter takes two columns on some terminals.
        let taken = label.len() + indent.len() + "│  ".chars().count() + 1;
        self.style.columns.saturating_sub(taken)
    }

    fn gutter<'r>(
        &mut self,
        label: &str,
        indent: &str,
        rows: impl Iterator<Item = &'r str>,
        paint: &str,
    ) {
        let (bold, cyan, plain) = if self.style.color { (BOLD, CYAN, PLAIN) } else { ("", "", "") };
        let signs = iter::once("│").chain(iter::repeat("┊"));
        for ((row, label), sign) in rows.zip(labels(label)).zip(signs) {
            let row = match paint {
                _ if !self.style.color || paint.is_empty() => row.to_owned(),
                paint => format!("{paint}{row}{plain}"),
            };
            self.out.push_str(&format!("{bold}{label}{plain}{cyan}{sign}{plain} {indent}{row}\n"));
        }
    }
}

/// Returns the text of an argument with a number in place of each unusual blank. The blanks of a
/// command decide where its words end.
fn exact(leaf: &LeafValue) -> String {
    let text = sanitize_exact(&leaf.text);
    match leaf.path == "command" {
        true => text.replace('\t', "\\x09"),
        false => text.into_owned(),
    }
}

/// Returns a text as one line that is safe to show.
fn sanitized(text: &str) -> String {
    sanitize(text).replace('\n', "⏎").replace('\t', "    ")
}

/// Returns the label for the first row, and blanks for the others.
fn labels(label: &str) -> impl Iterator<Item = String> {
    iter::once(label.to_owned()).chain(iter::repeat(" ".repeat(label.len())))
}

/// The number of columns of a label.
const LABEL: usize = 9;

const BOLD: &str = "\x1b[1m";
const CYAN: &str = "\x1b[36m";
const GREEN: &str = "\x1b[32m";
const RED: &str = "\x1b[31m";
const PLAIN: &str = "\x1b[0m";

#[cfg(test)]
mod tests;
