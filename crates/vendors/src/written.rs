//! The model's whole answer in a session, to compare with the part of it that counts.

use std::borrow::Cow;

use silcrow_event::{Content, ContentPart};
use silcrow_provider::{CallDelta, Delta};

use crate::text::is_same_text;

/// The text and calls of an answer so far.
#[derive(Debug, Default)]
pub(crate) struct WrittenAnswer {
    text: String,
    /// The vendor's ids of the calls that are complete, in order.
    calls: Vec<String>,
    /// The id of the call that is not.
    open: Option<String>,
}

impl WrittenAnswer {
    /// Takes a delta of the answer.
    pub(crate) fn push(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => self.text.push_str(text),
            Delta::Call(CallDelta::Begin { id, .. }) => {
                self.open = Some(id.clone().unwrap_or_default());
            }
            Delta::Call(CallDelta::End { .. }) => self.calls.extend(self.open.take()),
            _ => {}
        }
    }

    /// Returns the length of the text in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.text.len()
    }

    /// Forgets the answer.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns whether `kept` is all of the answer, except for white space and thoughts, which the
    /// server has. Calls are the same only under the vendor's own ids, which connect them to their
    /// results.
    pub(crate) fn is_all(&self, kept: &Content) -> bool {
        let calls = kept.parts().iter().filter_map(|part| match part {
            ContentPart::Call(call) => Some(&*call.id),
            _ => None,
        });
        self.open.is_none()
            && calls.eq(self.calls.iter().map(String::as_str))
            && is_same_text(&said(kept), &self.text)
    }
}

/// Returns the text of a message, without its calls and results.
fn said(content: &Content) -> Cow<'_, str> {
    match content.parts() {
        [part] if !is_called(part) => part.text(),
        parts => {
            let texts = parts.iter().filter(|part| !is_called(part)).map(ContentPart::text);
            Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
        }
    }
}

const fn is_called(part: &ContentPart) -> bool {
    matches!(part, ContentPart::Call(_) | ContentPart::Result(_))
}

#[cfg(test)]
mod tests {
    use silcrow_event::NativeCall;

    use super::*;

    fn call(id: &str) -> ContentPart {
        let (id, name, args) = (id.to_owned(), "ls".to_owned(), "{}".to_owned());
        ContentPart::Call(NativeCall { id, name, args, opaque: None })
    }

    fn begun(id: &str) -> Delta {
        Delta::Call(CallDelta::Begin { id: Some(id.to_owned()), name: "ls".to_owned() })
    }

    #[test]
    fn sent_answer_matches_only_with_all_calls() {
        let mut written = WrittenAnswer::default();
        let end = Delta::Call(CallDelta::End { opaque: None });
        let deltas = [Delta::Text("I look.\n".to_owned()), begun("c1"), end.clone(), begun("c2")];
        deltas.iter().for_each(|delta| written.push(delta));
        let content = |ids: &[&str]| -> Content {
            let thought = ContentPart::Opaque("{}".to_owned());
            let text = ContentPart::Text("I look.".to_owned());
            [thought, text].into_iter().chain(ids.iter().map(|id| call(id))).collect()
        };
        assert!(!written.is_all(&content(&["c1"])), "a call is open");
        written.push(&end);
        assert!(written.is_all(&content(&["c1", "c2"])));
        for others in [&["c1"][..], &["c1", "call_1_c2"], &["c2", "c1"], &[]] {
            assert!(!written.is_all(&content(others)), "{others:?}");
        }
        written.clear();
        assert!(written.is_all(&Content::default()));
    }
}
