//! The sampling parameters that each kind of model supports.

use silcrow_provider::SamplingField;
use silcrow_vendors::{
    AnthropicVersion, ChatApi, GeminiApi, InteractionsApi, LiveApi, MessagesApi, RealtimeApi,
    ResponsesApi,
};

use crate::by_key::version;
use crate::error::Error;
use silcrow_environment::Environment;

/// Returns whether the model with this name has a value of the sampling, such as a temperature.
///
/// ```
/// use silcrow_models::{Environment, has_sampling_field};
/// use silcrow_provider::SamplingField;
///
/// let environment = Environment::process();
/// assert!(has_sampling_field(&environment, "openai:gpt-5.1", SamplingField::Seed)?);
/// assert!(!has_sampling_field(&environment, "rehearsal", SamplingField::Seed)?);
/// # Ok::<_, silcrow_models::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error of [`Setting`](crate::ErrorKind::Setting) for a version of Anthropic's API that
/// is not known.
pub fn has_sampling_field(
    environment: &Environment,
    name: &str,
    field: SamplingField,
) -> Result<bool, Error> {
    let fields = match name.split_once(':').map_or(name, |(kind, _)| kind) {
        "anthropic" if field == SamplingField::Temperature => {
            return Ok(version(environment)? == AnthropicVersion::V20230601);
        }
        "anthropic" => MessagesApi::SAMPLING,
        "azure" | "openai" => ChatApi::SAMPLING,
        "compatible" => ChatApi::COMPATIBLE_SAMPLING,
        "gemini" => GeminiApi::SAMPLING,
        "gemini-interactions" => InteractionsApi::SAMPLING,
        "gemini-live" => LiveApi::SAMPLING,
        "openai-realtime" => RealtimeApi::SAMPLING,
        "openai-responses" => ResponsesApi::SAMPLING,
        // The answers were recorded with the parameters of that time.
        "replay" => &SamplingField::ALL,
        _ => &[],
    };
    Ok(fields.contains(&field))
}
