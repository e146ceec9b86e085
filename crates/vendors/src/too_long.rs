//! The ways in which servers say that a conversation is longer than the model can read.
//!
//! This module knows words and messages. It knows no status codes.

/// Returns whether a failure says so. `words` are its codes, in lower case.
pub(crate) fn is_too_long(words: &str, message: &str) -> bool {
    if WORDS.iter().any(|word| words.contains(word)) {
        return true;
    }
    let message = message.to_lowercase();
    // A limit of tokens in a minute is no limit of the conversation.
    if RATES.iter().any(|rate| message.contains(rate)) {
        return false;
    }
    let has = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    has(&PHRASES) || (has(&LIMITS) && has(&EXCESSES))
}

/// Parts of codes.
const WORDS: [&str; 5] = [
    "context_length_exceeded",
    "exceed_context_size",
    "request_too_large",
    "model_context_window_exceeded",
    "max_prompt_tokens_exceeded",
];

const RATES: [&str; 4] = ["per minute", "per-minute", "per day", "rate limit"];

/// Parts of messages that say it by themselves.
const PHRASES: [&str; 20] = [
    "prompt is too long",
    "prompt too long",
    "prompt exceeds max",
    "prompt 超长",
    "input is too long",
    "input too long",
    "too many tokens",
    "too many input tokens",
    "exceeds the maximum number of tokens",
    "exceed context limit",
    "maximum context length",
    "maximum model length",
    "maximum prompt length",
    "maximum input length",
    "exceeded model token limit",
    "reduce the length of the messages",
    "max_new_tokens` must be <=",
    "max_new_tokens must be <=",
    "greater than max_seq_len",
    "range of input length should be",
];

/// The names of what a conversation can be longer than.
const LIMITS: [&str; 6] = [
    "context length",
    "context size",
    "context window",
    "context limit",
    "prompt token count",
    "when context",
];

/// The words for being longer.
const EXCESSES: [&str; 6] =
    ["exceed", "longer than", "greater than", "too long", "overflow", "larger than"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_is_understood() {
        for message in [
            "prompt is too long: 213462 tokens > 200000 maximum",
            "input length and `max_tokens` exceed context limit: 199211 + 20000 > 200000, decrease input",
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000.",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).",
            "The model returned the following errors: Input is too long for requested model.",
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            "Please reduce the length of the messages or completion.",
            "This endpoint's maximum context length is 40960 tokens. However, you requested about 52000 tokens.",
            "the request exceeds the available context size, try increasing it",
            "tokens to keep from the initial prompt is greater than the context length",
            "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded.",
            "prompt token count of 150000 exceeds the limit of 128000",
            "invalid params, context window exceeds limit (2013)",
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)",
            "Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 500",
            "inputs tokens + max_new_tokens must be <= 32769",
            "too many tokens: total number of tokens in the prompt exceeds the limit of 128000",
            "Prompt exceeds max length",
            "Prompt 超长",
            "Range of input length should be [1, 129024]",
            "The input (70000 tokens) is longer than the model's context length (65536 tokens).",
            "Requested token count exceeds the model's maximum context length of 32768 tokens.",
            "Prompt length 9000 is greater than max_seq_len 8192",
            "Requested input length 56000 exceeds maximum input length 32768",
            "prompt too long; exceeded max context length by 400 tokens",
            "the input length exceeds the context length",
            "The prompt is too long: 140000, model maximum context length: 131071",
        ] {
            assert!(is_too_long("", message), "{message}");
        }
        for words in ["exceed_context_size_error", "invalid model_max_prompt_tokens_exceeded"] {
            assert!(is_too_long(words, ""), "{words}");
        }
    }

    #[test]
    fn what_is_something_else_stays_it() {
        for message in [
            "Rate limit reached for tokens per minute: too many tokens",
            "Request too large: tokens per minute (TPM): Limit 6000, Requested 8000",
            "max_tokens is too large: 200000. This model supports at most 16384 completion tokens",
            "the name of the tool is longer than 64 characters",
            "You exceeded your current quota, please check your plan and billing details",
            "the context of the image cannot be read",
        ] {
            assert!(!is_too_long("", message), "{message}");
        }
    }
}
