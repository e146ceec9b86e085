//! The encoding of messages as OTLP/JSON, in which ids are hex and long integers are texts.

use std::fmt::Write as _;

use silcrow_event::Json;

use crate::writer::{MessageField, MessageWriter};

/// Writes a message as the members of a JSON object.
#[derive(Default)]
pub(crate) struct JsonWriter {
    members: String,
}

impl JsonWriter {
    /// Returns the object.
    pub(crate) fn finish(self) -> String {
        format!("{{{}}}", self.members)
    }

    fn member(&mut self, field: MessageField, value: impl std::fmt::Display) {
        let comma = if self.members.is_empty() { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(self.members, "{comma}\"{}\":{value}", field.1);
    }

    fn list(&mut self, field: MessageField, items: impl Iterator<Item = String>) {
        let items: Vec<_> = items.collect();
        self.member(field, format_args!("[{}]", items.join(",")));
    }
}

impl MessageWriter for JsonWriter {
    fn text(&mut self, field: MessageField, text: &str) {
        self.member(field, Json::string(text));
    }

    fn id(&mut self, field: MessageField, id: &[u8]) {
        let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        self.member(field, format_args!("\"{hex}\""));
    }

    fn word(&mut self, field: MessageField, number: u64) {
        self.member(field, number);
    }

    fn switch(&mut self, field: MessageField, is_on: bool) {
        self.member(field, is_on);
    }

    fn integer(&mut self, field: MessageField, number: i64) {
        self.member(field, format_args!("\"{number}\""));
    }

    fn fixed(&mut self, field: MessageField, number: u64) {
        self.member(field, format_args!("\"{number}\""));
    }

    fn number(&mut self, field: MessageField, number: f64) {
        self.member(field, json_number(number));
    }

    fn message(&mut self, field: MessageField, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.member(field, inner.finish());
    }

    fn messages<T>(
        &mut self,
        field: MessageField,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        let items = items.into_iter().map(|item| {
            let mut inner = Self::default();
            write(&mut inner, item);
            inner.finish()
        });
        self.list(field, items);
    }

    fn fixed_list(&mut self, field: MessageField, numbers: &[u64]) {
        self.list(field, numbers.iter().map(|number| format!("\"{number}\"")));
    }

    fn number_list(&mut self, field: MessageField, numbers: &[f64]) {
        self.list(field, numbers.iter().map(|number| json_number(*number)));
    }
}

/// Returns a number, or protobuf's JSON for a number that JSON cannot express.
fn json_number(number: f64) -> String {
    match number {
        number if number.is_nan() => "\"NaN\"".to_owned(),
        number if number.is_infinite() && number > 0.0 => "\"Infinity\"".to_owned(),
        number if number.is_infinite() => "\"-Infinity\"".to_owned(),
        number => number.to_string(),
    }
}
