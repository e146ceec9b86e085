//! The part of a successful request that a collector rejected.
//!
//! Its answer is a message with one message in it, `partial_success`: a number and a text. In JSON
//! the number is a text, or missing.

use serde::Deserialize;

use crate::options::OtlpEncoding;

/// The data that a collector rejected.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PartialSuccess {
    pub(crate) rejected: u64,
    pub(crate) message: String,
}

impl PartialSuccess {
    /// Reads an answer. One that cannot be read says nothing.
    pub(crate) fn read(encoding: OtlpEncoding, body: &[u8]) -> Self {
        let read = match encoding {
            OtlpEncoding::Protobuf => fields(body)
                .and_then(|fields| Some(fields.into_iter().find(|field| field.0 == 1)?.1))
                .and_then(|value| Self::read_message(value.bytes()?)),
            OtlpEncoding::Json => serde_json::from_slice::<ExportAnswer>(body).ok().map(|answer| {
                let partial = answer.partial_success;
                let rejected = partial.spans.or(partial.points).unwrap_or_default();
                let rejected = rejected.to_string().trim_matches('"').parse().unwrap_or_default();
                Self { rejected, message: partial.message }
            }),
        };
        read.unwrap_or_default()
    }

    fn read_message(bytes: &[u8]) -> Option<Self> {
        let mut read = Self::default();
        for (number, value) in fields(bytes)? {
            match (number, value) {
                (1, FieldValue::Number(rejected)) => read.rejected = rejected,
                (2, FieldValue::Bytes(text)) => {
                    read.message = String::from_utf8_lossy(text).into_owned();
                }
                _ => {}
            }
        }
        Some(read)
    }
}

/// The value of a field of protobuf.
enum FieldValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> FieldValue<'a> {
    const fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Number(_) => None,
        }
    }
}

/// Returns the fields of a message, unless it is cut.
fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, FieldValue<'_>)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let value = match tag & 7 {
            0 => FieldValue::Number(varint(&mut bytes)?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (value, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                FieldValue::Bytes(value)
            }
            _ => return None,
        };
        fields.push((tag >> 3, value));
    }
    Some(fields)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[derive(Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[derive(Default)]
struct ExportAnswer {
    partial_success: RejectedPart,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RejectedPart {
    #[serde(rename = "rejectedSpans")]
    spans: Option<serde_json::Value>,
    #[serde(rename = "rejectedDataPoints")]
    points: Option<serde_json::Value>,
    #[serde(rename = "errorMessage")]
    message: String,
}

#[cfg(test)]
mod tests {
    use super::PartialSuccess;
    use crate::options::OtlpEncoding::{Json, Protobuf};

    #[test]
    fn answers_are_read() {
        let read = |encoding, body: &[u8]| {
            let read = PartialSuccess::read(encoding, body);
            (read.rejected, read.message)
        };
        let said = (300, "too old".to_owned());
        assert_eq!(read(Protobuf, b"\x0a\x0c\x08\xac\x02\x12\x07too old"), said);
        let json = br#"{"partialSuccess":{"rejectedSpans":"300","errorMessage":"too old"}}"#;
        assert_eq!(read(Json, json), said);
        let json = br#"{"partialSuccess":{"rejectedDataPoints":300,"errorMessage":"too old"}}"#;
        assert_eq!(read(Json, json), said);
        let nothing = (0, String::new());
        for body in [&b""[..], b"{}", b"\x0a\x0c\x08", b"\xff\xff", b"<html>", b"\x0a\x00"] {
            assert_eq!(read(Protobuf, body), nothing);
            assert_eq!(read(Json, body), nothing);
        }
    }
}
