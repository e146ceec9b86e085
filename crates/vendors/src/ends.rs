//! The vendors' words for the reason why an answer is over, one table for each API.
//!
//! A word that is in no table is an error, because the answer may be incomplete.

use silcrow_provider::ErrorKind::{self, Cut, Malformed, Overload, Refused};

/// The meaning of a vendor's word for the end of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FinishMeaning {
    /// The model ended the answer, or a stop sequence did.
    Stop,
    /// The model called a tool in the vendor's own way.
    ToolUse,
    /// A limit of tokens was reached.
    Length,
    /// A filter withheld the rest, or the model refused to answer.
    Filter,
    /// The answer is incomplete. The kind says whether asking again may help.
    Failed(ErrorKind),
    /// The word has no meaning: some servers write it where others write none.
    None,
}

use FinishMeaning::{Failed, Filter, Length, Stop, ToolUse};

/// The words for each meaning.
pub(crate) type FinishTable = [(FinishMeaning, &'static [&'static str])];

/// Returns the meaning of a word, in any case.
pub(crate) fn find(ends: &FinishTable, word: &str) -> FinishMeaning {
    let has = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let found = ends.iter().find(|(_, words)| has(words));
    found.map_or(Failed(Malformed), |(end, _)| *end)
}

/// `finish_reason` of Chat Completions, of OpenAI's own and of compatible servers.
pub(crate) const CHAT: &FinishTable = &[
    (Stop, &["stop", "eos", "eos_token", "stop_sequence", "end_turn", "complete", "completed"]),
    (ToolUse, &["tool_calls", "function_call", "tool_use"]),
    (Length, &["length", "max_tokens", "model_length", "max_length"]),
    (Filter, &["content_filter", "sensitive", "safety", "refusal"]),
    (Failed(Overload), &["error", "network_error", "insufficient_system_resource", "timeout"]),
    (Failed(Cut), &["abort", "aborted", "cancel", "cancelled", "canceled", "incomplete"]),
    (FinishMeaning::None, &["null"]),
];

/// `stop_reason` of Messages.
pub(crate) const MESSAGES: &FinishTable = &[
    (Stop, &["end_turn", "stop_sequence"]),
    (ToolUse, &["tool_use"]),
    (Length, &["max_tokens", "model_context_window_exceeded"]),
    (Filter, &["refusal"]),
    // The server paused for its own tools, although none was requested.
    (Failed(Cut), &["pause_turn"]),
];

/// `status` of Responses and of Realtime, and the types of events that have none. `incomplete`
/// comes with a reason, and `failed` with an error.
pub(crate) const RESPONSES: &FinishTable = &[
    (Stop, &["completed", "response.completed"]),
    (Failed(Cut), &["cancelled", "queued", "in_progress"]),
    (Failed(Overload), &["failed", "response.failed"]),
];

/// The reason why a response is `incomplete`.
pub(crate) const INCOMPLETE: &FinishTable = &[
    (Length, &["max_output_tokens", "max_tokens"]),
    (Filter, &["content_filter"]),
    (Failed(Cut), &["steered", "turn_detected", "client_cancelled"]),
];

/// `finishReason` of Gemini.
pub(crate) const GEMINI: &FinishTable = &[
    (Stop, &["STOP"]),
    // `CONTINUATION` is a limit of one request, after which the model would continue.
    (Length, &["MAX_TOKENS", "CONTINUATION"]),
    (
        Filter,
        &[
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "MODEL_ARMOR",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
        ],
    ),
    (
        Failed(Cut),
        &[
            "OTHER",
            "IMAGE_OTHER",
            "NO_IMAGE",
            "MALFORMED_FUNCTION_CALL",
            "MALFORMED_RESPONSE",
            "UNEXPECTED_TOOL_CALL",
            "TOO_MANY_TOOL_CALLS",
        ],
    ),
    (Failed(Refused), &["MISSING_THOUGHT_SIGNATURE"]),
    (FinishMeaning::None, &["FINISH_REASON_UNSPECIFIED"]),
];

/// `status` of Interactions. `failed` comes with errors.
pub(crate) const INTERACTIONS: &FinishTable = &[
    (Stop, &["completed"]),
    (ToolUse, &["requires_action"]),
    (Length, &["incomplete", "requires_continuation"]),
    (Failed(Cut), &["cancelled", "queued", "in_progress"]),
    (Failed(Refused), &["budget_exceeded"]),
    (Failed(Overload), &["failed"]),
];

/// `turnCompleteReason` of Live. Its other words name kinds of forbidden content.
pub(crate) const LIVE: &FinishTable = &[
    (Stop, &["TURN_COMPLETE_REASON_UNSPECIFIED", "STOP"]),
    (Length, &["MAX_TOKENS"]),
    (Filter, &["SAFETY", "RESPONSE_REJECTED"]),
    (Failed(Cut), &["MALFORMED_FUNCTION_CALL", "NEED_MORE_INPUT", "interrupted"]),
];

#[cfg(test)]
mod tests;
