//! The encoding of messages as protobuf: tags, varints, numbers of fixed length, and lengths.

use crate::writer::{MessageField, MessageWriter};

/// Writes a message as protobuf.
#[derive(Default)]
pub(crate) struct ProtobufWriter {
    pub(crate) bytes: Vec<u8>,
}

impl ProtobufWriter {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn tag(&mut self, field: MessageField, wire: u64) {
        self.varint(field.0 << 3 | wire);
    }

    fn delimited(&mut self, field: MessageField, bytes: &[u8]) {
        self.tag(field, DELIMITED);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }
}

impl MessageWriter for ProtobufWriter {
    fn text(&mut self, field: MessageField, text: &str) {
        self.delimited(field, text.as_bytes());
    }

    fn id(&mut self, field: MessageField, id: &[u8]) {
        self.delimited(field, id);
    }

    fn word(&mut self, field: MessageField, number: u64) {
        self.tag(field, VARINT);
        self.varint(number);
    }

    fn switch(&mut self, field: MessageField, is_on: bool) {
        self.word(field, is_on.into());
    }

    fn integer(&mut self, field: MessageField, number: i64) {
        self.word(field, number as u64);
    }

    fn fixed(&mut self, field: MessageField, number: u64) {
        self.tag(field, FIXED);
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn number(&mut self, field: MessageField, number: f64) {
        self.fixed(field, number.to_bits());
    }

    fn message(&mut self, field: MessageField, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.delimited(field, &inner.bytes);
    }

    fn messages<T>(
        &mut self,
        field: MessageField,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T),
    ) {
        for item in items {
            self.message(field, |to| write(to, item));
        }
    }

    fn fixed_list(&mut self, field: MessageField, numbers: &[u64]) {
        let bytes: Vec<_> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.delimited(field, &bytes);
    }

    fn number_list(&mut self, field: MessageField, numbers: &[f64]) {
        let bytes: Vec<_> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.delimited(field, &bytes);
    }
}

/// The wire type of varints.
const VARINT: u64 = 0;

/// The wire type of eight bytes.
const FIXED: u64 = 1;

/// The wire type of bytes with their length before them.
const DELIMITED: u64 = 2;
