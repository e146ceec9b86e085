//! How much of a model's window a request takes.
//!
//! Tokens are estimated, and the usage that the vendor reported for the last request corrects the
//! estimate. A window that nobody named is learned from the error of a request that was too long.

use std::sync::{Arc, OnceLock};

use silcrow_context::ModelLimits;
use silcrow_event::{Message, MessageList, Usage};
use silcrow_media::ImageTokenRule;
use silcrow_provider::{Error, ErrorKind, Estimate, MessageEstimates};

use crate::parts::AgentParts;

/// The window of a run's model.
pub(crate) struct ModelWindow {
    limits: ModelLimits,
    /// The limits that may become known while the run lasts.
    later: Arc<OnceLock<ModelLimits>>,
    /// The limits that count until then.
    presumed: ModelLimits,
    /// The tokens of the last request, as the vendor reported them and as they were estimated.
    last: Option<(u64, u64)>,
    /// How the model counts pictures.
    images: ImageTokenRule,
    /// The estimates of the messages of the run's requests.
    estimates: MessageEstimates,
    /// The number of requests that were too long.
    too_long: u32,
    /// The most tokens that a request had which the vendor took.
    taken: u64,
    /// Whether a refusal was taken for a request that is too long.
    has_doubted: bool,
}

impl ModelWindow {
    pub(crate) fn new(
        limits: ModelLimits,
        later: Arc<OnceLock<ModelLimits>>,
        images: ImageTokenRule,
    ) -> Self {
        Self {
            limits,
            later,
            presumed: ModelLimits::default(),
            last: None,
            images,
            estimates: MessageEstimates::for_images(images),
            too_long: 0,
            taken: 0,
            has_doubted: false,
        }
    }

    /// Creates the window of an agent's model.
    pub(crate) fn for_agent(parts: &AgentParts) -> Self {
        let images = ImageTokenRule::of_model(parts.provider.name());
        let later = Arc::clone(&parts.later_limits);
        Self { presumed: parts.presumed_limits, ..Self::new(parts.options.model, later, images) }
    }

    /// Returns the known limits of the model.
    pub(crate) fn limits(&self) -> ModelLimits {
        completed(self.limits, &self.later, self.presumed)
    }

    /// Returns about how many tokens messages have.
    pub(crate) fn tokens(&self, messages: &[Message]) -> u64 {
        self.corrected(Estimate::of_messages_for(messages, self.images))
    }

    /// Returns the estimate of a request of the run, which mostly repeats the messages of the one
    /// before.
    pub(crate) fn estimate(&mut self, request: &MessageList) -> u64 {
        self.estimates.estimate(request)
    }

    /// Returns an estimate, corrected by the last report.
    pub(crate) fn corrected(&self, estimated: u64) -> u64 {
        let Some((reported, expected)) = self.last else { return estimated };
        let corrected = u128::from(estimated) * u128::from(reported) / u128::from(expected);
        corrected.try_into().unwrap_or(u64::MAX)
    }

    /// Takes the vendor's figure for a request with this estimate.
    pub(crate) fn correct(&mut self, usage: &Usage, estimated: u64) {
        if usage.estimated || usage.input == 0 || estimated == 0 {
            return;
        }
        self.taken = self.taken.max(estimated);
        // A report of a small part of the conversation says nothing about the whole.
        let reported = usage.input.clamp(estimated / 2, estimated.saturating_mul(4));
        self.last = Some((reported.max(1), estimated));
    }

    /// Takes an error, and returns whether a shorter request is to be tried. `tokens` is the
    /// estimate for the request.
    ///
    /// Not every server says that a request is too long. So a refusal of one that is longer than any
    /// that was taken is believed to mean it, once.
    pub(crate) fn learn(&mut self, error: &Error, tokens: u64) -> bool {
        if self.too_long == MAX_TOO_LONG {
            return false;
        }
        let most = match error.kind() {
            ErrorKind::ContextTooLong => tokens,
            ErrorKind::Refused if !self.has_doubted && tokens > self.taken.max(LEAST_DOUBTED) => {
                self.has_doubted = true;
                // The request for a summary has to fit, too.
                tokens - tokens / 10
            }
            _ => return false,
        };
        self.too_long += 1;
        // A window that was thought to be greater than the rejected request is not.
        let known = self.limits().context.unwrap_or(u64::MAX).min(most);
        let named = named_window(&error.to_string());
        self.limits = self.limits.with_context(named.unwrap_or(known).min(known));
        true
    }
}

/// Returns limits with those that became known later in place of those that are unknown, and with
/// presumed ones in place of the rest.
pub(crate) fn completed(
    mut limits: ModelLimits,
    later: &OnceLock<ModelLimits>,
    presumed: ModelLimits,
) -> ModelLimits {
    for others in later.get().into_iter().chain([&presumed]) {
        limits.context = limits.context.or(others.context);
        limits.output = limits.output.or(others.output);
    }
    limits
}

/// Returns the window that an error names: the number that is nearest to a word for a limit.
fn named_window(message: &str) -> Option<u64> {
    let text = message.to_ascii_lowercase();
    let words = LIMIT_WORDS.iter().flat_map(|word| text.match_indices(word));
    let words: Vec<_> = words.map(|(at, word)| (at, at + word.len())).collect();
    let far = |number: &(usize, usize, u64)| {
        let distances = words.iter().map(|&(begin, end)| {
            // Most numbers of limits follow their word.
            if number.0 >= end { number.0 - end } else { 3 * begin.saturating_sub(number.1) }
        });
        distances.min()
    };
    let numbers = numbers(&text).filter(|number| number.2 >= LEAST_WINDOW);
    let near = numbers.filter_map(|number| Some((far(&number)?, number.2)));
    near.min().filter(|(distance, _)| *distance <= NEAR).map(|(_, window)| window)
}

/// Returns the numbers in a text with their positions. Commas may group the digits.
fn numbers(text: &str) -> impl Iterator<Item = (usize, usize, u64)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let begin = at + text[at..].find(|char: char| char.is_ascii_digit())?;
        let is_part = |char: char| char.is_ascii_digit() || char == ',';
        let end = text[begin..].find(|char| !is_part(char)).map_or(text.len(), |len| begin + len);
        at = end;
        let digits: String = text[begin..end].chars().filter(char::is_ascii_digit).collect();
        Some((begin, end, digits.parse().unwrap_or(0)))
    })
}

/// The words for a limit in the errors of vendors.
const LIMIT_WORDS: [&str; 12] = [
    "maximum",
    "context length is",
    "context size",
    "context window",
    "limit",
    "n_ctx",
    "max_seq_len",
    "max size",
    "less than",
    "cannot exceed",
    "supports up to",
    "length should be [",
];

/// The greatest distance in bytes between a number and a word for a limit.
const NEAR: usize = 40;

/// The smallest number that counts as a window.
const LEAST_WINDOW: u64 = 256;

/// The most tokens of a request that is short enough for every model, so that a refusal means something
/// else.
const LEAST_DOUBTED: u64 = 8_000;

/// The number of requests of a run that may be too long.
const MAX_TOO_LONG: u32 = 2;

#[cfg(test)]
mod tests;
