//! Thoughts that a server leaves in the text.
//!
//! [`ReasoningSplitter`] begins in the state `Start`, `Thought` or `Text`, as [`InlineReasoning`]
//! says. `<think>` leads from `Start` to `Thought`, `</think>` from `Thought` to `Gap`, and any
//! other text from `Start` and from `Gap` to `Text`, which is final.

/// The place of a model's thoughts in the text of an answer, for servers that do not send them
/// separately.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # use std::io::{Read as _, Write as _};
/// # let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
/// # let url = format!("http://{}", server.local_addr().unwrap());
/// # std::thread::spawn(move || {
/// #     let (mut socket, _) = server.accept().unwrap();
/// #     socket.read(&mut [0; 4096]).unwrap();
/// #     let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
/// #     let text = "Two and two.</think>4";
/// #     let text = format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}},"finish_reason":"stop"}}]}}"#);
/// #     write!(socket, "{head}data: {text}\n\ndata: [DONE]\n\n").unwrap();
/// # });
/// use futures_util::StreamExt as _;
/// use silcrow_event::Message;
/// use silcrow_provider::{Delta, Provider as _, Request};
/// use silcrow_vendors::{Chat, InlineReasoning};
///
/// // The server sends `Two and two.</think>4`.
/// let model = Chat::compatible(&url, "qwq", None)?.with_inline_reasoning(InlineReasoning::Opened);
/// let mut deltas = model.stream(Request::new(vec![Message::user("2 + 2?")]));
/// assert_eq!(deltas.next().await.unwrap()?, Delta::Reasoning("Two and two.".to_owned()));
/// assert_eq!(deltas.next().await.unwrap()?, Delta::Text("4".to_owned()));
/// # Ok::<_, silcrow_provider::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InlineReasoning {
    /// The text has no thoughts. This is required if the reader of the answer interprets `<think>`
    /// itself, as a dialect may.
    #[default]
    None,
    /// If the text begins with `<think>`, the thoughts are between it and the next `</think>`.
    Tagged,
    /// The thoughts are everything up to the first `</think>`, for models whose template writes the
    /// `<think>` before the answer. Without a `</think>` all of the text is a thought.
    Opened,
}

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InlineTextKind {
    Text,
    Reasoning,
}

/// Separates the thoughts in a text from the answer, however the text is cut.
#[derive(Debug)]
pub(crate) struct ReasoningSplitter {
    at: SplitterState,
    /// The text that may become a tag.
    pending: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SplitterState {
    Start,
    Thought,
    /// The state after a thought, where white space is dropped.
    Gap,
    Text,
}

impl ReasoningSplitter {
    pub(crate) const fn new(reasoning: InlineReasoning) -> Self {
        let at = match reasoning {
            InlineReasoning::None => SplitterState::Text,
            InlineReasoning::Tagged => SplitterState::Start,
            InlineReasoning::Opened => SplitterState::Thought,
        };
        Self { at, pending: String::new() }
    }

    /// Returns whether everything that follows is text.
    pub(crate) const fn is_done(&self) -> bool {
        matches!(self.at, SplitterState::Text)
    }

    /// Takes more of the text and emits pieces of it as soon as their kind is certain.
    pub(crate) fn push(&mut self, text: &str, mut emit: impl FnMut(InlineTextKind, &str)) {
        self.pending.push_str(text);
        loop {
            let before = self.at;
            self.step(&mut emit);
            if self.at == before {
                return;
            }
        }
    }

    /// Ends the text and emits the pending part.
    pub(crate) fn finish(&mut self, mut emit: impl FnMut(InlineTextKind, &str)) {
        let part = if self.at == SplitterState::Thought {
            InlineTextKind::Reasoning
        } else {
            InlineTextKind::Text
        };
        emit(part, &std::mem::take(&mut self.pending));
    }

    fn step(&mut self, emit: &mut impl FnMut(InlineTextKind, &str)) {
        let pending = &*self.pending;
        match self.at {
            SplitterState::Start => {
                let begun = pending.trim_start();
                let blank = pending.len() - begun.len();
                if blank <= BLANK && begun.starts_with(OPEN) {
                    self.pending.drain(..blank + OPEN.len());
                    self.at = SplitterState::Thought;
                } else if blank > BLANK || !OPEN.starts_with(begun) {
                    self.at = SplitterState::Text;
                }
            }
            SplitterState::Thought => {
                let end = pending.find(CLOSE);
                let sure = end.unwrap_or_else(|| pending.len() - unsure(pending));
                emit(InlineTextKind::Reasoning, &pending[..sure]);
                self.pending.drain(..sure);
                if end.is_some() {
                    self.pending.drain(..CLOSE.len());
                    self.at = SplitterState::Gap;
                }
            }
            SplitterState::Gap => {
                self.pending.drain(..pending.len() - pending.trim_start().len());
                if !self.pending.is_empty() {
                    self.at = SplitterState::Text;
                }
            }
            SplitterState::Text => emit(InlineTextKind::Text, &std::mem::take(&mut self.pending)),
        }
    }
}

/// Returns the number of bytes at the end that may begin the closing tag.
fn unsure(text: &str) -> usize {
    let longest = (1..CLOSE.len()).rev();
    longest.into_iter().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or_default()
}

const OPEN: &str = "<think>";

const CLOSE: &str = "</think>";

/// The maximum number of bytes of white space before the opening tag.
const BLANK: usize = 64;

#[cfg(test)]
mod tests;
