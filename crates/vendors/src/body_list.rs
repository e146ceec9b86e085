//! The list of messages at the end of a request's body.
//!
//! The list is the last field of each body, and a longer conversation only appends to it.

use serde::Serialize;
use silcrow_event::{Message, MessageList};

use crate::fields::BodyFields;

/// Returns the body of a request: an object with a list as its last field. The fields of the model
/// are added to it, and `encode` writes each message into the list.
///
/// `encode` writes an item by [`write_item`], or nothing. It depends only on the message and the
/// `form`, so that each settled message is encoded once.
pub(crate) fn body(
    head: &impl Serialize,
    fields: &BodyFields,
    form: &'static str,
    messages: &MessageList,
    encode: impl FnMut(&Message, &mut Vec<u8>),
) -> Vec<u8> {
    let head = serde_json::to_vec(head).expect("strings and numbers are JSON");
    let mut body = fields.merge(head);
    let begun = body.strip_suffix(END).expect("the last field is an empty list").len();
    body.truncate(begun);
    messages.encode(form, &mut body, encode);
    if body.len() > begun {
        // The comma of the last item.
        body.pop();
    }
    body.extend_from_slice(END);
    body
}

/// Writes an item of the list, with the comma that precedes the next one.
pub(crate) fn write_item(out: &mut Vec<u8>, item: &impl Serialize) {
    serde_json::to_writer(&mut *out, item).expect("strings and numbers are JSON");
    out.push(b',');
}

/// An empty list as it is written in a head.
pub(crate) const EMPTY: [(); 0] = [];

const END: &[u8] = b"]}";
