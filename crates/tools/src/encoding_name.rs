//! The argument `encoding` of the tools that read and write files.

use serde::Deserialize;
use silcrow_tool::ToolError;

use crate::encoding::TextEncoding;

/// The name of an encoding, as the model writes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct EncodingName(String);

impl EncodingName {
    /// Returns the encoding that a call names, if it names one.
    pub(crate) fn read(name: Option<&Self>) -> Result<Option<TextEncoding>, ToolError> {
        name.map(|Self(name)| TextEncoding::named(name)).transpose().map_err(ToolError::new)
    }
}

/// The schema of the argument, with its name.
macro_rules! encoding_schema {
    () => {
        concat!(
            r#""encoding":{"type":"string","description":"the encoding, such as "#,
            r#"`shift_jis`, if another one is found"}"#,
        )
    };
}

pub(crate) use encoding_schema;
