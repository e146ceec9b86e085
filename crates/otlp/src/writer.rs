//! The writing of a message, which each encoding does differently.

/// A field of a message: its number in protobuf and its name in JSON.
#[derive(Clone, Copy)]
pub(crate) struct MessageField(pub(crate) u64, pub(crate) &'static str);

/// Writes the fields of one message.
pub(crate) trait MessageWriter: Sized {
    fn text(&mut self, field: MessageField, text: &str);
    /// Writes an id, which is bytes in protobuf and hex in JSON.
    fn id(&mut self, field: MessageField, id: &[u8]);
    /// Writes a number of an enumeration.
    fn word(&mut self, field: MessageField, number: u64);
    fn switch(&mut self, field: MessageField, is_on: bool);
    /// Writes an `int64`.
    fn integer(&mut self, field: MessageField, number: i64);
    /// Writes a `fixed64` or an `sfixed64` that is not negative.
    fn fixed(&mut self, field: MessageField, number: u64);
    fn number(&mut self, field: MessageField, number: f64);
    fn message(&mut self, field: MessageField, write: impl FnOnce(&mut Self));
    fn messages<T>(
        &mut self,
        field: MessageField,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(&mut Self, T),
    );
    fn fixed_list(&mut self, field: MessageField, numbers: &[u64]);
    fn number_list(&mut self, field: MessageField, numbers: &[f64]);
}
