//! The form of an answer that a program reads: one JSON value that fits a schema.
//!
//! The model reads the schema, its answer is checked, and it is asked again if necessary. The
//! vendors' own structured outputs do not fit, because the text of a model has delimiters.

use std::fs;
use std::path::Path;

use serde_json::Value;
use silcrow_event::{Content, ContentPart};
use silcrow_tool::{BasicValidator, ToolError, Validator as _};

use crate::error::Error;

/// The schema that an answer has to fit.
///
/// ```
/// use silcrow_session::AnswerSchema;
///
/// let schema = AnswerSchema::new(r#"{"type": "object", "required": ["sum"]}"#)?;
/// assert_eq!(schema.misfit(r#"{"sum": 4}"#), None);
/// assert!(schema.misfit("It is 4.").unwrap().starts_with("it is not JSON"));
/// assert!(schema.misfit("{}").is_some());
/// # Ok::<_, silcrow_session::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnswerSchema {
    text: String,
    schema: Value,
}

impl AnswerSchema {
    /// Takes a JSON schema.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a JSON object, or longer than 64 KiB.
    pub fn new(text: &str) -> Result<Self, Error> {
        if text.len() > MOST_BYTES {
            let most = MOST_BYTES >> 10;
            return Err(Error::given(format!(
                "the schema of the answer is longer than {most} KiB"
            )));
        }
        let schema: Value = serde_json::from_str(text).map_err(|error| {
            Error::given(format!("the schema of the answer is not JSON: {error}"))
        })?;
        match schema.is_object() {
            true => Ok(Self { text: schema.to_string(), schema }),
            false => Err(Error::given("the schema of the answer is not a JSON object")),
        }
    }

    /// Reads the schema of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or has no schema.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let name = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| Error::given(format!("cannot read {name}: {error}")))?;
        Self::new(&text).map_err(|error| Error::given(format!("{name}: {}", error.message())))
    }

    /// Adds the instructions for the model to a prompt.
    pub fn tell(&self, prompt: &mut Content) {
        prompt.push(ContentPart::Text(format!(
            "\nGive your answer as one JSON value that fits this JSON schema, with nothing before or after \
             it, and no fence around it:\n{}",
            self.text
        )));
    }

    /// Returns the fault of an answer that does not fit.
    pub fn misfit(&self, answer: &str) -> Option<String> {
        let answer = answer.trim();
        let value: Value = match serde_json::from_str(answer) {
            Ok(value) => value,
            Err(why) => return Some(format!("it is not JSON ({why})")),
        };
        // The validator checks objects, so any value is put into one.
        let schema = format!(
            r#"{{"type":"object","properties":{{"answer":{}}},"required":["answer"]}}"#,
            self.schema
        );
        let held = format!(r#"{{"answer":{value}}}"#);
        BasicValidator.check(&schema, &held).err().map(ToolError::into_words)
    }

    /// Returns the prompt with which the model is asked again.
    pub fn again(why: &str) -> String {
        format!(
            "Your last answer does not have the form that it has to have: {why}. Answer again, with the \
             JSON alone."
        )
    }
}

/// The number of bytes of a schema.
const MOST_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_value_is_checked() {
        let list = AnswerSchema::new(r#"{"type": "array", "items": {"type": "integer"}}"#).unwrap();
        assert_eq!(list.misfit(" [1, 2]\n"), None);
        assert!(list.misfit(r#"["a"]"#).is_some());
        assert!(list.misfit("{}").is_some());
        assert!(list.misfit("```json\n[1]\n```").is_some(), "a fence is not JSON");
        for wrong in ["", "[]", "{"] {
            assert!(AnswerSchema::new(wrong).is_err(), "{wrong}");
        }
    }
}
