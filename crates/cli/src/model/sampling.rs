//! Which values of the sampling of a request each kind of model has.

use silcrow_provider::SamplingField;
use silcrow_vendors::{
    AnthropicVersion, ChatApi, GeminiApi, InteractionsApi, LiveApi, MessagesApi, RealtimeApi,
    ResponsesApi,
};

use super::by_key::version;
use crate::failure::Failure;

/// Returns whether the model with this name has a value of the sampling.
pub(crate) fn has_field(name: &str, field: SamplingField) -> Result<bool, Failure> {
    let fields = match name.split_once(':').map_or(name, |(kind, _)| kind) {
        "anthropic" if field == SamplingField::Temperature => {
            return Ok(version()? == AnthropicVersion::V20230601);
        }
        "anthropic" => MessagesApi::SAMPLING,
        "azure" | "compatible" | "openai" => ChatApi::SAMPLING,
        "gemini" => GeminiApi::SAMPLING,
        "gemini-interactions" => InteractionsApi::SAMPLING,
        "gemini-live" => LiveApi::SAMPLING,
        "openai-realtime" => RealtimeApi::SAMPLING,
        "openai-responses" => ResponsesApi::SAMPLING,
        // The answers were recorded with whatever was asked for then.
        "replay" => &SamplingField::ALL,
        _ => &[],
    };
    Ok(fields.contains(&field))
}
