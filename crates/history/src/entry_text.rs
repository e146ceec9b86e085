//! The text of events, as a person reads it.
//!
//! This module writes the text of an event.

use silcrow_event::{
    Approval, ApprovalState, BlockMark, BranchPoint, ControlBlock, ControlKind, ConversationOrigin,
    Entry, Event,
};
use silcrow_sanitize::{sanitize, sanitize_prose};

use crate::name::column;

/// Returns the text of an event as a terminal may show it.
pub fn safe_entry_text(entry: &Entry) -> String {
    let text = entry_text(entry);
    match &entry.event {
        Event::Think(_) | Event::Respond(_) => sanitize_prose(&text).into_owned(),
        _ => sanitize(&text).into_owned(),
    }
}

/// Returns the text of an event.
pub fn entry_text(entry: &Entry) -> String {
    match &entry.event {
        Event::User { content, .. } => content.text().into_owned(),
        Event::Cancelled { content } | Event::Notice { content } | Event::Title { content } => {
            content.clone()
        }
        Event::Mode { mode } => mode.clone(),
        Event::Hook(run) => {
            let line = run.line();
            format!("{} ({})", line.strip_prefix("hook ").unwrap_or(&line), run.moment)
        }
        Event::PersonCommand(ran) => format!("{}\n{}", ran.command, ran.content),
        Event::Failed(failure) => format!("{} ({})", failure.content, failure.code),
        Event::Summary(summary) => summary.content.clone(),
        Event::Think(think) => think.content.clone(),
        Event::Respond(respond) => respond.content.clone(),
        Event::Call(call) if call.is_instance() => {
            format!("{}: {} {}", call.id(), call.name(), call.args())
        }
        Event::Call(call) => format!("{} {}", call.name(), call.args()),
        Event::Block(mark) => block_words(mark),
        Event::Result(outcome) => outcome.content.text().into_owned(),
        Event::Batch(batch) => batch.content.clone(),
        Event::Approval(approval) => approval_words(approval),
        Event::Parked(parked) => {
            let names = parked.questions.iter().map(|asked| format!("{} {}", asked.id, asked.tool));
            names.collect::<Vec<_>>().join(", ")
        }
        other => other.to_json(),
    }
}

/// Returns the text of a part of a control block.
fn block_words(mark: &BlockMark) -> String {
    match mark {
        BlockMark::Begin(ControlBlock { id, kind, .. }) => {
            let name = kind.as_str();
            match kind {
                ControlKind::Choice { test } => format!("{id}: {name} {test}"),
                ControlKind::ForEach { items, item, .. } => {
                    format!("{id}: {name} {item} in {items}")
                }
                ControlKind::Value { expression } => format!("{id}: {name} {expression}"),
                _ => format!("{id}: {name}"),
            }
        }
        BlockMark::Otherwise { id } => format!("{id}: else"),
        BlockMark::Template(call) => {
            format!("{}, for each item: {} {}", call.id(), call.name(), call.args())
        }
        other => format!("{}: end", other.id()),
    }
}

/// Returns the question to a person, or their answer.
fn approval_words(Approval { state, target, scope, reason, .. }: &Approval) -> String {
    let mut words = match state {
        ApprovalState::Asked => "asked the person",
        ApprovalState::Allowed => "allowed",
        ApprovalState::Denied => "not allowed",
    }
    .to_owned();
    if let Some(target) = target {
        words += &format!(" {target}");
    }
    if let Some(scope) = scope {
        words += &format!(", and all calls of the conversation on: {scope}");
    }
    if let Some(reason) = reason {
        words += &format!(": {reason}");
    }
    words
}

/// Returns an event for a person's screen: its position, its type and its text, safe to show.
///
/// ```
/// use silcrow_event::Event;
/// use silcrow_history::entry_line;
///
/// assert_eq!(entry_line(&Event::respond("It is\n4.").into()), "   0 respond  It is\n              4.");
/// ```
pub fn entry_line(entry: &Entry) -> String {
    let seq = entry.seq.unwrap_or_default();
    let indented = safe_entry_text(entry).replace('\n', "\n              ");
    format!("{seq:>4} {:<8} {indented}", entry.event.type_name())
}

/// Returns the origin of a conversation, safe to show.
///
/// ```
/// use silcrow_event::{BranchPoint, ConversationOrigin};
/// use silcrow_history::origin_line;
///
/// let point = BranchPoint { conversation: "c1".to_owned(), seq: 4 };
/// assert_eq!(origin_line(&ConversationOrigin::Fork(point)), "forked from c1 after event 4");
/// ```
pub fn origin_line(origin: &ConversationOrigin) -> String {
    let BranchPoint { conversation, seq } = origin.point();
    let conversation = column(conversation);
    match origin {
        ConversationOrigin::Fork(_) => format!("forked from {conversation} after event {seq}"),
        ConversationOrigin::Replay(_) => format!("a replay of {conversation} up to event {seq}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_described_in_words() {
        let lines = [
            r#"{"type":"block","part":"begin","id":"each","block":"foreach","in":"files","as":"f"}"#,
            r#"{"type":"block","part":"call","id":"read","content":"{\"name\":\"t\",\"args\":{}}"}"#,
            r#"{"type":"call","id":"each[0].read","content":"{\"name\":\"t\",\"args\":{}}","instance":true}"#,
            r#"{"type":"block","part":"end","id":"each"}"#,
        ];
        let shown = lines.map(|line| entry_text(&silcrow_event::read_entry(line).unwrap()));
        let expected = [
            "each: foreach f in files",
            "read, for each item: t {}",
            "each[0].read: t {}",
            "each: end",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn approvals_are_described_in_words() {
        let json =
            r#"{"type":"approval","id":"a1","state":"denied","target":"a.txt","reason":"no"}"#;
        let entry = silcrow_event::read_entry(json).unwrap();
        assert_eq!(entry_line(&entry), "   0 approval not allowed a.txt: no");
    }
}
