//! The two shapes in which OpenAI's and Google's APIs report usage.
//!
//! The names of the fields differ from API to API and are known to its reader. A count that is
//! missing is 0.

use serde::Deserialize;
use silcrow_event::Usage;

use crate::lenient::{LenientField, LenientObject};

/// The details of the input tokens in a usage of OpenAI's APIs.
#[derive(Default, Deserialize)]
pub(crate) struct InputTokenDetails<'a> {
    #[serde(borrow)]
    pub(crate) cached_tokens: LenientField<'a>,
    /// The tokens that were written to the cache.
    #[serde(borrow)]
    cache_write_tokens: LenientField<'a>,
}

/// The details of the output tokens in a usage of OpenAI's APIs.
#[derive(Default, Deserialize)]
pub(crate) struct OutputTokenDetails<'a> {
    #[serde(borrow)]
    reasoning_tokens: LenientField<'a>,
}

/// Creates the usage that an API of OpenAI reports.
pub(crate) fn with_details(
    [input, output]: [LenientField<'_>; 2],
    input_details: LenientObject<InputTokenDetails<'_>>,
    output_details: LenientObject<OutputTokenDetails<'_>>,
) -> Usage {
    let InputTokenDetails { cached_tokens, cache_write_tokens } = input_details.unwrap_or_default();
    let reasoning = output_details.unwrap_or_default().reasoning_tokens;
    let [input, output, cached, cache_written, reasoning] =
        [input, output, cached_tokens, cache_write_tokens, reasoning].map(count);
    Usage { input, output, cached, cache_written, reasoning, ..Usage::default() }
}

/// Creates the usage that an API of Google reports, whose `written` tokens do not include thoughts.
pub(crate) fn with_thoughts_apart(
    [input, cached, written, thoughts]: [LenientField<'_>; 4],
) -> Usage {
    let [input, cached, written, reasoning] = [input, cached, written, thoughts].map(count);
    let output = written.saturating_add(reasoning);
    Usage { input, output, cached, reasoning, ..Usage::default() }
}

fn count(field: LenientField<'_>) -> u64 {
    field.count().unwrap_or_default()
}
