//! The values in the arguments of a call, decoded and in their order.

use serde_json::value::RawValue;
use silcrow_event::Call;

/// A value that contains no other values.
pub(super) struct LeafValue {
    /// The path of the value in the arguments.
    pub(super) path: String,
    /// The name of the argument that has the value.
    pub(super) argument: String,
    /// The characters of a string, or the JSON of any other value.
    pub(super) text: String,
    pub(super) is_string: bool,
}

impl LeafValue {
    /// Returns whether it is shown in separate rows.
    pub(super) fn is_block(&self) -> bool {
        const LONG: usize = 200;
        let is_command = self.path == "command";
        self.is_string && (is_command || self.text.len() > LONG || self.text.contains(['\n', '\r']))
    }
}

/// Returns the values in the arguments, decoded and in order.
pub(super) fn leaves(args: &str) -> Vec<LeafValue> {
    let mut leaves = Vec::new();
    collect(String::new(), None, args, &mut leaves);
    leaves
}

fn collect(path: String, argument: Option<&str>, json: &str, leaves: &mut Vec<LeafValue>) {
    let start = leaves.len();
    if let Ok(members) = Call::members(json) {
        for member in &members {
            let key = name(member.key());
            let path = if path.is_empty() { key } else { format!("{path}.{key}") };
            collect(path, argument.or_else(|| Some(member.key())), member.value(), leaves);
        }
    } else if let Ok(elements) = serde_json::from_str::<Vec<&RawValue>>(json) {
        for (index, element) in elements.iter().enumerate() {
            collect(format!("{path}[{index}]"), argument, element.get(), leaves);
        }
    }
    // An empty object at the top means that the call has no arguments.
    if leaves.len() == start && !path.is_empty() {
        let text = serde_json::from_str::<String>(json);
        let is_string = text.is_ok();
        let argument = argument.unwrap_or_default().to_owned();
        let text = text.unwrap_or_else(|_| json.to_owned());
        leaves.push(LeafValue { path, argument, text, is_string });
    }
}

/// Returns a key, in quotes unless it is a plain word.
fn name(key: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match !key.is_empty() && key.bytes().all(plain) {
        true => key.to_owned(),
        false => format!("{key:?}"),
    }
}
