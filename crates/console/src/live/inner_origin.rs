//! The call that an event of an agent or a workflow belongs to.
//!
//! An agent or a workflow in a call has a conversation whose id is the calling conversation's id,
//! the turn and the call's id, joined by `/`. So the id leads back to the call of the run itself,
//! however deep the event is.

use silcrow_event::Entry;

/// The call of a run that an event from within belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InnerOrigin<'a> {
    turn: u32,
    /// The id of the call as conversations write it, perhaps with the number of an attempt.
    id: &'a str,
}

impl<'a> InnerOrigin<'a> {
    /// Returns the origin of an entry, or `None` for one of the run itself. It is also `None` if
    /// the id of the conversation was too long to be written whole.
    pub(super) fn from_entry(entry: &'a Entry) -> Option<Self> {
        let depth = entry.agent_path.as_deref()?.split('/').count();
        let conversation = &entry.opening.as_ref()?.conversation;
        // The id of the run's own conversation may have any character.
        let mut parts = conversation.rsplit('/').skip(2 * (depth - 1));
        let (id, turn) = (parts.next()?, parts.next()?.parse().ok()?);
        parts.next().map(|_| Self { turn, id })
    }

    /// Returns whether it is this call.
    pub(super) fn is_of(&self, turn: Option<u32>, id: &str) -> bool {
        let written = id.replace('~', "~0").replace('/', "~1");
        let attempt = self.id.strip_prefix(&*written);
        turn.is_none_or(|turn| turn == self.turn)
            && attempt.is_some_and(|attempt| {
                let number = attempt.strip_prefix('~').unwrap_or_default();
                attempt.is_empty() || number.parse::<u32>().is_ok()
            })
    }
}

#[cfg(test)]
mod tests {
    use silcrow_event::{Event, RunOpening};

    use super::*;

    fn entry(path: &str, conversation: &str) -> Entry {
        let opening =
            RunOpening { conversation: conversation.to_owned(), run: "r".to_owned(), caller: None };
        let agent_path = Some(path.to_owned());
        Entry { agent_path, opening: Some(opening), ..Event::End.into() }
    }

    #[test]
    fn conversation_name_reveals_the_call_at_any_depth() {
        for (path, conversation, turn, id) in [
            ("scout", "c1/3/a1", 3, "a1"),
            ("scout", "my/own/c1/3/a1", 3, "a1"),
            ("scout/digger", "c1/3/a1/12/b/", 0, ""),
            ("scout/digger", "c1/3/a1/12/b", 3, "a1"),
            ("scout", "c1/3/a1~2", 3, "a1"),
            ("scout", "c1/3/x~1y~0z~14", 3, "x/y~z"),
        ] {
            let entry = entry(path, conversation);
            let origin = InnerOrigin::from_entry(&entry);
            let is_of = |turn, id| origin.as_ref().is_some_and(|origin| origin.is_of(turn, id));
            assert_eq!(is_of(Some(turn), id), !id.is_empty(), "{conversation}");
            assert!(!is_of(Some(turn + 1), id) && !is_of(Some(turn), "a"), "{conversation}");
        }
        assert_eq!(InnerOrigin::from_entry(&Event::End.into()), None);
        assert_eq!(InnerOrigin::from_entry(&entry("scout", "c1~0123456789abcdef")), None);
    }
}
