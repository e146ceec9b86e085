//! Thoughts that a server leaves in the text.

/// Where a model's thoughts are in the text of an answer, for servers that do not put them beside
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum InlineReasoning {
    /// Nowhere: all of the text is the answer. So it must be where `<think>` means something to
    /// whoever reads the answer.
    #[default]
    None,
    /// Between a `<think>` that begins the text and the first `</think>` after it, if it begins so.
    Tagged,
    /// From the beginning to the first `</think>`, for models whose template writes the `<think>`
    /// before the answer. Without a `</think>` all of the text is a thought.
    Opened,
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Text,
    Reasoning,
}

/// Tells the thoughts in a text from the answer, whatever pieces the text comes in.
#[derive(Debug)]
pub(crate) struct Splitter {
    at: At,
    /// What may become a tag.
    pending: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    Thought,
    /// After a thought: the white space before the answer is not part of it.
    Gap,
    Text,
}

impl Splitter {
    pub(crate) const fn new(reasoning: InlineReasoning) -> Self {
        let at = match reasoning {
            InlineReasoning::None => At::Text,
            InlineReasoning::Tagged => At::Start,
            InlineReasoning::Opened => At::Thought,
        };
        Self { at, pending: String::new() }
    }

    /// Whether all that follows is text.
    pub(crate) const fn is_done(&self) -> bool {
        matches!(self.at, At::Text)
    }

    /// Takes in more of the text and emits its parts as soon as they are certain.
    pub(crate) fn push(&mut self, text: &str, mut emit: impl FnMut(Part, &str)) {
        self.pending.push_str(text);
        loop {
            let before = self.at;
            self.step(&mut emit);
            if self.at == before {
                return;
            }
        }
    }

    /// The text is over: what was pending is what it looks like.
    pub(crate) fn finish(&mut self, mut emit: impl FnMut(Part, &str)) {
        let part = if self.at == At::Thought { Part::Reasoning } else { Part::Text };
        emit(part, &std::mem::take(&mut self.pending));
    }

    fn step(&mut self, emit: &mut impl FnMut(Part, &str)) {
        let pending = &*self.pending;
        match self.at {
            At::Start => {
                let begun = pending.trim_start();
                let blank = pending.len() - begun.len();
                if blank <= BLANK && begun.starts_with(OPEN) {
                    self.pending.drain(..blank + OPEN.len());
                    self.at = At::Thought;
                } else if blank > BLANK || !OPEN.starts_with(begun) {
                    self.at = At::Text;
                }
            }
            At::Thought => {
                let end = pending.find(CLOSE);
                let sure = end.unwrap_or_else(|| pending.len() - unsure(pending));
                emit(Part::Reasoning, &pending[..sure]);
                self.pending.drain(..sure);
                if end.is_some() {
                    self.pending.drain(..CLOSE.len());
                    self.at = At::Gap;
                }
            }
            At::Gap => {
                self.pending.drain(..pending.len() - pending.trim_start().len());
                if !self.pending.is_empty() {
                    self.at = At::Text;
                }
            }
            At::Text => emit(Part::Text, &std::mem::take(&mut self.pending)),
        }
    }
}

/// How many bytes at the end may be the beginning of the closing tag.
fn unsure(text: &str) -> usize {
    let longest = (1..CLOSE.len()).rev();
    longest.into_iter().find(|length| text.ends_with(&CLOSE[..*length])).unwrap_or_default()
}

const OPEN: &str = "<think>";

const CLOSE: &str = "</think>";

/// The most bytes of white space before the opening tag.
const BLANK: usize = 64;

#[cfg(test)]
mod tests;
