//! The form that a client wants an answer to have.

use serde_json::Value;

use super::error::OpenAiError;
use super::request_body::RequestBody;

/// The form that an answer has to have: one JSON value and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerForm {
    /// The JSON schema of the value; without one it is any object.
    pub schema: Option<String>,
}

impl AnswerForm {
    /// Returns the instruction for the model.
    ///
    /// ```
    /// use silcrow_front::CompletionRequest;
    ///
    /// let body = br#"{"model": "silcrow", "response_format": {"type": "json_object"},
    ///     "messages": [{"role": "user", "content": "2 + 2?"}]}"#;
    /// let form = CompletionRequest::parse(body)?.wishes.form.unwrap();
    /// assert!(form.instruction().contains("one JSON object"));
    /// # Ok::<(), silcrow_front::OpenAiError>(())
    /// ```
    pub fn instruction(&self) -> String {
        let alone = "with nothing before or after it, and no fence around it";
        match &self.schema {
            None => format!("Give your answer to the person as one JSON object, {alone}."),
            Some(schema) => format!(
                "Give your answer to the person as one JSON value that fits this JSON schema, \
                 {alone}:\n\n{schema}"
            ),
        }
    }

    /// Reads the form in a member of a request. A schema is below `json_schema`, or in the form itself.
    pub(super) fn read(
        body: &RequestBody<'_>,
        key: &str,
        format: Option<&Value>,
    ) -> Result<Option<Self>, OpenAiError> {
        let Some(format) = format.filter(|format| !format.is_null()) else { return Ok(None) };
        match format["type"].as_str() {
            Some("text") => Ok(None),
            Some("json_object") => Ok(Some(Self { schema: None })),
            Some("json_schema") => {
                let schema = match &format["json_schema"]["schema"] {
                    Value::Null => &format["schema"],
                    schema => schema,
                };
                if !schema.is_object() {
                    return Err(
                        body.invalid(key, format!("`{key}` has no schema, which is an object."))
                    );
                }
                let schema = schema.to_string();
                if schema.len() > MOST_SCHEMA {
                    return Err(
                        body.invalid(key, format!("The schema of `{key}` is longer than 16 KiB."))
                    );
                }
                Ok(Some(Self { schema: Some(schema) }))
            }
            _ => {
                let why = format!(
                    "`{key}` has to be of the type `text`, `json_object` or `json_schema`."
                );
                Err(body.invalid(key, why).with_code("unsupported_value"))
            }
        }
    }
}

/// The instructions of a program are read up to 32 KiB, in which the schema must fit.
const MOST_SCHEMA: usize = 16 << 10;
