use silcrow_event::{BadCall, Call, Fragment, Note, Oddity, Text, Voice};
use silcrow_lex::Close;

use crate::flow::{Sink, is_space};
use crate::options::MAX_BODY;

/// The calls of a turn as they are written: the body at hand, and how many wait to be run.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    body: String,
    /// Where the body begins in the wire text.
    at: u64,
    /// Ids given so far (P-20).
    taken: u32,
    /// Calls, and malformed ones, since the last execution point.
    pending: u32,
    too_long: bool,
}

impl Calls {
    /// How many bytes more the body may take.
    pub(crate) fn room(&self) -> usize {
        MAX_BODY.saturating_sub(self.body.len())
    }

    /// Takes text of a body that stands at `at`. Says whether the body is now too long to follow.
    pub(crate) fn push(&mut self, text: &str, at: u64) -> bool {
        if self.too_long {
            return false;
        }
        if self.body.is_empty() {
            self.at = at;
        }
        self.body.push_str(text);
        self.too_long = self.body.len() >= MAX_BODY;
        self.too_long
    }

    /// The body is over; `at` is where its marker ended, for one without text. Malformed text
    /// becomes an answer of the given number, and then this says true.
    pub(crate) fn close(&mut self, close: Close, at: u64, part: u32, sink: &mut Sink<'_>) -> bool {
        if self.body.is_empty() {
            self.at = at;
        }
        self.taken += 1;
        let id = format!("a{}", self.taken);
        let too_long = std::mem::take(&mut self.too_long);
        let body = std::mem::take(&mut self.body);
        let body = body.trim_matches(is_space);
        if close == Close::Torn {
            let why = "the call was cut off before its end; write it again, whole".to_owned();
            self.note(Oddity::TruncatedCall, why.clone(), sink);
            sink(Fragment::BadCall(BadCall { id, why, truncated: true }));
            return false;
        }
        self.pending += 1;
        let why = if too_long {
            format!("the body is longer than {MAX_BODY} bytes; write less in one call")
        } else {
            match Call::parse(&*id, body) {
                Ok(call) => {
                    sink(Fragment::Call(call));
                    return false;
                }
                Err(why) => match repair(body).map(|mended| Call::parse(&*id, mended)) {
                    Some(Ok(call)) => {
                        let what = "control characters in a string were escaped".to_owned();
                        self.note(Oddity::Repaired, what, sink);
                        sink(Fragment::Call(call));
                        return false;
                    }
                    _ => why.to_string(),
                },
            }
        };
        if !body.is_empty() {
            let voice = Voice::Respond { last: true };
            sink(Fragment::Text(Text { voice, part, text: body }));
            sink(Fragment::Close { part });
        }
        self.note(Oddity::MalformedCall, why.clone(), sink);
        sink(Fragment::BadCall(BadCall { id, why, truncated: false }));
        !body.is_empty()
    }

    /// The execution point: whether calls wait for it.
    pub(crate) fn execute(&mut self) -> bool {
        std::mem::take(&mut self.pending) > 0
    }

    fn note(&self, oddity: Oddity, content: String, sink: &mut Sink<'_>) {
        sink(Fragment::Note(Note { oddity, content, at: self.at }));
    }
}

/// The body with raw control characters in its strings escaped (P-8); `None` where there are none.
fn repair(body: &str) -> Option<String> {
    let mut mended = String::with_capacity(body.len() + 16);
    let (mut in_string, mut escaped, mut found) = (false, false, false);
    for char in body.chars() {
        if in_string && char < ' ' {
            found = true;
            if escaped {
                // The backslash of an escaped line break stands for itself.
                mended.push('\\');
            }
            escaped = false;
            match char {
                '\n' => mended.push_str("\\n"),
                '\r' => mended.push_str("\\r"),
                '\t' => mended.push_str("\\t"),
                _ => mended.push_str(&format!("\\u{:04x}", u32::from(char))),
            }
            continue;
        }
        match char {
            _ if escaped => escaped = false,
            '"' => in_string = !in_string,
            '\\' if in_string => escaped = true,
            _ => {}
        }
        mended.push(char);
    }
    found.then_some(mended)
}
