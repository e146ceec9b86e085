//! The tokens of chat templates around an answer, which some servers leave in its text.
//!
//! A filter drops them in front of the parser. Text that may belong to a token is pending, and its
//! length is bounded.
//!
//! ```text
//! beginning ── no opening token is possible ──► inside ── finish ──► closing tokens are dropped
//! ```

/// A filter of the tokens that a chat template leaves before and after an answer.
#[derive(Default)]
pub(crate) struct TemplateFilter {
    /// Whether the beginning of the answer is over.
    has_begun: bool,
    pending: String,
}

impl TemplateFilter {
    /// Takes a piece of an answer, and emits its text without the tokens.
    pub(crate) fn push(&mut self, text: &str, emit: &mut dyn FnMut(&str)) {
        if self.has_begun && self.pending.is_empty() && !text.contains('<') {
            return emit(text);
        }
        self.pending.push_str(text);
        if !self.has_begun && !self.begin(emit) {
            return;
        }
        let hold = held_from(&self.pending);
        if hold > 0 {
            emit(&self.pending[..hold]);
            self.pending.drain(..hold);
        }
    }

    /// Ends the answer: drops closing tokens, and emits other text that is pending.
    pub(crate) fn finish(&mut self, emit: &mut dyn FnMut(&str)) {
        let pending = std::mem::take(&mut self.pending);
        let is_opening = !self.has_begun && ALONE.contains(&pending.trim());
        let is_closing = CLOSING.iter().any(|token| pending.starts_with(token));
        if !pending.is_empty() && !is_opening && !is_closing {
            emit(&pending);
        }
    }

    /// Drops opening tokens, and returns whether the beginning is over.
    fn begin(&mut self, emit: &mut dyn FnMut(&str)) -> bool {
        loop {
            let blank = self.pending.len() - self.pending.trim_start_matches(is_blank).len();
            if blank > 0 {
                emit(&self.pending[..blank]);
                self.pending.drain(..blank);
            }
            let text = &*self.pending;
            if let Some(token) = OPENING.iter().find(|token| text.starts_with(**token)) {
                self.pending.drain(..token.len());
            } else if OPENING.iter().any(|token| token.starts_with(text)) {
                return false;
            } else {
                self.has_begun = true;
                return true;
            }
        }
    }
}

/// Returns whether a text begins with the name of the person's role, perhaps after closing tokens: the model writes the turn that
/// follows its own.
pub(crate) fn begins_next_turn(text: &str) -> bool {
    let mut text = text.trim_start_matches(is_blank);
    while let Some(rest) = CLOSING.iter().find_map(|token| text.strip_prefix(token)) {
        text = rest.trim_start_matches(is_blank);
    }
    NEXT_TURN.iter().any(|name| text.starts_with(name))
}

/// Returns the position from which on a text may be nothing but closing tokens.
fn held_from(text: &str) -> usize {
    let mut window = text.len().saturating_sub(MAX_PENDING);
    while !text.is_char_boundary(window) {
        window += 1;
    }
    let mut openings = text[window..].match_indices('<').map(|(at, _)| window + at);
    openings.find(|at| may_close(&text[*at..])).unwrap_or(text.len())
}

/// Returns whether a text is nothing but closing tokens, the last of which may be incomplete.
fn may_close(text: &str) -> bool {
    let mut rest = text;
    while let Some(after) = CLOSING.iter().find_map(|token| rest.strip_prefix(token)) {
        rest = after.trim_start_matches(is_blank);
    }
    CLOSING.iter().any(|token| token.starts_with(rest))
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\r' | '\n' | '\u{feff}')
}

/// The tokens before an answer, and the names of the role that writes it.
const OPENING: [&str; 14] = [
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<|assistant|>",
    "<|begin_of_text|>",
    "<start_of_turn>model",
    "<｜Assistant｜>",
    "assistant:",
    "assistant\n",
    "assistant\r\n",
    "Assistant:",
    "Assistant\n",
    "Assistant\r\n",
    "ASSISTANT:",
];

/// The names of the role that do not count as an answer if nothing follows them.
const ALONE: [&str; 2] = ["assistant", "Assistant"];

/// The tokens after an answer.
const CLOSING: [&str; 17] = [
    "</s>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_turn|>",
    "<end_of_turn>",
    "<eos>",
    "<｜end▁of▁sentence｜>",
    "<|return|>",
    "<|eom|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|observation|>",
    "<turn|>",
    "<seed:eos>",
];

/// The names of the person's role, as models write them at the start of a turn.
const NEXT_TURN: [&str; 8] = [
    "User:",
    "USER:",
    "Human:",
    "<|im_start|>user",
    "<|start_header_id|>user",
    "<|user|>",
    "<start_of_turn>user",
    "<｜User｜>",
];

/// The length in bytes of the longest text that is pending.
const MAX_PENDING: usize = 256;

#[cfg(test)]
mod tests;
