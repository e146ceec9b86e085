//! Reads the call that takes another one back (P-32).

use crate::action::{CallKind, Compensation};
use crate::call::{Call, CallMember};
use crate::call_parse_error::CallParseError;
use crate::json::Json;

impl Compensation {
    /// Reads `{"name", "parameters"}`, and `type` if it calls something else than a tool. The
    /// arguments may be under any key that [`Call::parse`] takes.
    ///
    /// # Errors
    ///
    /// Returns the reason, in words for the model, if the text is not such an object.
    pub fn parse(json: &str) -> Result<Self, CallParseError> {
        let call = Call::parse("", json)?;
        let members = Call::members(json)?;
        let word = members.iter().find(|member| member.key() == "type");
        let kind = match word.and_then(CallMember::text) {
            None => CallKind::default(),
            Some(word) => word.parse().map_err(|_| {
                let words = CallKind::ALL.map(CallKind::as_str).join(", ");
                CallParseError::new(format!("`type` is unknown: `{word}`; use one of {words}"))
            })?,
        };
        let args = Json::parse(call.args())
            .ok_or_else(|| CallParseError::new("`parameters` is not JSON"))?;
        Ok(Self { kind, name: call.name().to_owned(), args })
    }
}
