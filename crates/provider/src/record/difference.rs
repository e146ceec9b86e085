//! A description, for a person, of the difference between a request and a recorded one.

use super::line::RecordedRequest;

/// Describes the first difference between two requests that are not equal.
pub(crate) fn difference(recorded: &RecordedRequest, asked: &RecordedRequest) -> String {
    if recorded.streaming != asked.streaming {
        let mode = |asked: &RecordedRequest| if asked.streaming { "in pieces" } else { "whole" };
        return format!(
            "the answer was recorded {}, and is asked for {}",
            mode(recorded),
            mode(asked)
        );
    }
    if let (Some(old), Some(new)) = (&recorded.kept, &asked.kept)
        && old != new
    {
        let (old, new) = around(old, new);
        return format!("of the last answer, `{new}` counts where `{old}` was recorded");
    }
    let pairs = recorded.messages.iter().zip(&asked.messages);
    if let Some((at, (old, new))) = pairs.enumerate().find(|(_, (old, new))| old != new) {
        let number = at + 1;
        if old.role != new.role {
            let (old, new) = (&old.role, &new.role);
            return format!("message {number} was recorded as {old}'s, and is now {new}'s");
        }
        if old.content == new.content {
            let (old, new) = (old.media.join(", "), new.media.join(", "));
            return format!("message {number} has the media [{new}] where [{old}] were recorded");
        }
        let (old, new) = around(&old.content, &new.content);
        return format!(
            "message {number} ({}) has `{new}` where `{old}` was recorded",
            asked.messages[at].role
        );
    }
    let (old, new) = (recorded.messages.len(), asked.messages.len());
    format!("{old} messages were recorded, and there are {new} now")
}

/// Returns the first places where the two texts differ, each with some text around it.
fn around(old: &str, new: &str) -> (String, String) {
    let same = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let from = same.saturating_sub(BEFORE);
    let cut = |text: &str| {
        let mut rest = text.chars().skip(from);
        let mut cut: String = rest.by_ref().take(SHOWN).collect();
        if rest.next().is_some() {
            cut.push('…');
        }
        let cut = cut.escape_debug().to_string();
        if from > 0 { format!("…{cut}") } else { cut }
    };
    (cut(old), cut(new))
}

/// The number of characters shown before a difference.
const BEFORE: usize = 20;

/// The number of characters shown of each text.
const SHOWN: usize = 60;
