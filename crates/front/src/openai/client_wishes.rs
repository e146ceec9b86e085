//! The wishes of a client about the form of an answer, and fields that are ignored.

use serde_json::Value;

use super::answer_form::AnswerForm;
use super::declared_tools::other_tools;
use super::error::OpenAiError;
use super::request_body::RequestBody;

/// The wishes of a client about the form of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ClientWishes {
    /// The amount of chance in the choice of a word, from 0 to 2.
    pub temperature: Option<f64>,
    /// The most tokens of an answer of the model. A run may have several.
    pub max_tokens: Option<u32>,
    /// The seed of the chance.
    pub seed: Option<u32>,
    /// The amount of thinking, such as `low`.
    pub effort: Option<String>,
    /// The form that the answer has to have, if it is not free.
    pub form: Option<AnswerForm>,
    /// The members of the request that change nothing here, such as `stop`, in the order of their
    /// names. A server names them in a header, to show that they have no effect.
    pub unused: Vec<String>,
}

impl ClientWishes {
    /// Reads the wishes in a request for a completion. `read` are its members that are read elsewhere.
    pub(crate) fn of_completion(
        body: &RequestBody<'_>,
        read: &[&str],
    ) -> Result<Self, OpenAiError> {
        let most = body.count("max_completion_tokens")?.or(body.count("max_tokens")?);
        let wishes = Self {
            temperature: temperature(body)?,
            max_tokens: most,
            seed: body.count("seed")?,
            effort: body.text("reasoning_effort")?.map(str::to_owned),
            form: AnswerForm::read(body, "response_format", body.get("response_format"))?,
            unused: Vec::new(),
        };
        let own =
            ["temperature", "max_completion_tokens", "max_tokens", "seed", "reasoning_effort"];
        Ok(wishes.with_unused(body, &[read, &own].concat()))
    }

    /// Reads the wishes in a request for a response.
    pub(crate) fn of_response(body: &RequestBody<'_>, read: &[&str]) -> Result<Self, OpenAiError> {
        let reasoning = match body.get("reasoning") {
            Some(value) => RequestBody::read(value, "reasoning")?.text("effort")?,
            None => None,
        };
        let wishes = Self {
            temperature: temperature(body)?,
            max_tokens: body.count("max_output_tokens")?,
            seed: None,
            effort: reasoning.map(str::to_owned),
            form: AnswerForm::read(
                body,
                "text.format",
                body.get("text").and_then(|text| text.get("format")),
            )?,
            unused: Vec::new(),
        };
        let own = ["temperature", "max_output_tokens", "reasoning"];
        Ok(wishes.with_unused(body, &[read, &own].concat()))
    }

    fn with_unused(self, body: &RequestBody<'_>, read: &[&str]) -> Self {
        let is_unused = |(key, value): &(&String, &Value)| {
            !read.contains(&key.as_str()) && !changes_nothing(key, value)
        };
        let mut unused: Vec<_> =
            body.members().filter(is_unused).map(|(key, _)| key.clone()).collect();
        let others = body.get("tools").into_iter().flat_map(other_tools);
        unused.extend(others.map(|kind| format!("tools={kind}")));
        unused.sort_unstable();
        Self { unused, ..self }
    }
}

fn temperature(body: &RequestBody<'_>) -> Result<Option<f64>, OpenAiError> {
    let Some(value) = body.get("temperature") else { return Ok(None) };
    match value.as_f64() {
        Some(number) if (0.0..=2.0).contains(&number) => Ok(Some(number)),
        _ => Err(body.invalid("temperature", "`temperature` has to be a number from 0 to 2.")),
    }
}

/// Returns whether the value of a member holds anyway.
fn changes_nothing(key: &str, value: &Value) -> bool {
    let is_number = |wanted: f64| value.as_f64() == Some(wanted);
    match key {
        "n" | "top_p" => is_number(1.0),
        "presence_penalty" | "frequency_penalty" => is_number(0.0),
        "include" | "functions" => value.as_array().is_some_and(Vec::is_empty),
        "tool_choice" => matches!(value.as_str(), Some("auto" | "none")),
        "service_tier" => value.as_str() == Some("auto"),
        "truncation" => value.as_str() == Some("disabled"),
        "response_format" | "text" => true,
        "parallel_tool_calls" => value.is_boolean(),
        _ => value.is_null() || value.as_bool() == Some(false),
    }
}
