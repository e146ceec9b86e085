//! The call that takes another one back (P-32).
//!
//! This module knows its JSON. It does not know when it runs.

use crate::action::CallKind;
use crate::call::{Call, CallMember, CallParseError};
use crate::json::{Json, Object};

/// The call that takes another one back, if the transaction around that is rolled back (P-32).
///
/// ```
/// use silcrow_event::Compensation;
///
/// let json = r#"{"name":"delete_order","parameters":{"order":"$create"}}"#;
/// let undo = Compensation::parse(json).unwrap();
/// assert_eq!((&*undo.name, undo.args.as_str()), ("delete_order", r#"{"order":"$create"}"#));
/// assert_eq!(undo.to_json(), json);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "P-32 names its members")]
pub struct Compensation {
    /// The kind of thing that is called.
    pub kind: CallKind,
    /// The name of what is called.
    pub name: String,
    /// The arguments, a JSON object, in which `$name` is an output (P-26).
    pub args: Json,
}

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

    /// Returns it as the JSON that [`parse`](Self::parse) reads.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::open(&mut out);
        self.write(&mut object);
        object.close();
        out
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        if self.kind != CallKind::default() {
            to.string("type", self.kind.as_str());
        }
        to.string("name", &self.name);
        to.raw("parameters", self.args.as_str());
    }
}
