//! Servers' messages about a conversation that is longer than the model can read.
//!
//! This module reads codes and messages; status codes are the business of `fault`.

/// Returns whether a failure says so. `words` are its codes, in lower case.
pub(crate) fn is_too_long(words: &str, message: &str) -> bool {
    if WORDS.iter().any(|word| words.contains(word)) {
        return true;
    }
    let message = message.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| message.contains(part));
    if has(&ADVICE) {
        return true;
    }
    // A limit of tokens per minute is not a limit of the conversation.
    if has(&RATES) {
        return false;
    }
    let has_all = |parts: &[&str]| parts.iter().all(|part| message.contains(part));
    has(&PHRASES) || (has(&LIMITS) && has(&EXCESSES)) || PAIRS.iter().any(|pair| has_all(pair))
}

/// Parts of codes.
const WORDS: [&str; 8] = [
    "context_length_exceeded",
    "context_window_exceeded",
    "exceed_context_size",
    "request_too_large",
    "max_prompt_tokens_exceeded",
    "prompt_too_long",
    "tokens_limit_reached",
    "contextwindowexceeded",
];

/// Phrases that servers use only about a request that no wait makes fit, even if they call it a rate
/// limit.
const ADVICE: [&str; 3] = [
    "please reduce your message size",
    "tokens must be reduced in order to run successfully",
    "required for long context requests",
];

const RATES: [&str; 10] = [
    "per minute",
    "per-minute",
    "per min ",
    "per day",
    "(tpm)",
    "rate limit",
    "too many requests",
    "throttl",
    "please wait",
    "quota",
];

/// Parts of messages that suffice.
const PHRASES: [&str; 38] = [
    "prompt is too long",
    "prompt too long",
    "prompt tokens too long",
    "prompt exceeds max",
    "prompt 超长",
    "input is too long",
    "input too long",
    "input length is too long",
    "input token length too long",
    "input context is too long",
    "input token exceed",
    "too many tokens",
    "too many input tokens",
    "too many total text bytes",
    "exceeds the maximum number of tokens",
    "exceeds the maximum number of input tokens",
    "more than max tokens allowed",
    "exceed max message tokens",
    "should not exceed max_num_tokens",
    "exceed context limit",
    "maximum context length",
    "maximum model length",
    "maximum prompt length",
    "maximum input length",
    "maximum allowed input length",
    "configured context size is",
    "conversation length exceeded",
    "exceeded model token limit",
    "request payload size exceeds",
    "reduce the length of the messages",
    "reduce the input token count",
    "range of input length should be",
    "max_new_tokens` must be <=",
    "max_new_tokens must be <=",
    "max_tokens must be at least 1, got -",
    "max_seq_len",
    "try using a shorter prompt",
    "contextwindowexceedederror",
];

/// Parts that say it together.
const PAIRS: [[&str; 2]; 7] = [
    ["`inputs` must have less than", "tokens"],
    ["request body too large for", "tokens"],
    ["supports only ", "k context"],
    ["tokens, which exceeds the limit of", "request contains"],
    ["n_keep", "n_ctx"],
    ["expected maxlength", "malformed input request"],
    ["token数量", "超过"],
];

/// The names of limits that a conversation can exceed.
const LIMITS: [&str; 14] = [
    "context length",
    "context size",
    "context window",
    "context limit",
    "prompt token count",
    "prompt length",
    "input length",
    "input tokens",
    "when context",
    "tokens in the prompt",
    "session_len",
    "上下文",
    "输入长度",
    "最大长度",
];

/// The words for being longer.
const EXCESSES: [&str; 8] =
    ["exceed", "longer than", "greater than", "too long", "overflow", "larger than", "超", "过长"];

#[cfg(test)]
mod tests;
