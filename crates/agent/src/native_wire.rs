//! An answer with a vendor's own calls as text, which a parked turn is read again from (P-40).
//!
//! This module writes and reads the JSON of the deltas that make events. Each delta is a line.

use serde_json::{Value, json};
use silcrow_provider::{CallDelta, Delta};

use crate::parts::AgentParts;

/// Returns the words for how the text of turns is read: the dialect, and whether delimiters count anywhere
/// in a line.
pub(crate) fn notation(parts: &AgentParts) -> (&'static str, bool) {
    let options = parts.options.dialect;
    match parts.options.calls.is_native() {
        true => (NATIVE, false),
        false => (options.dialect.as_str(), options.inline),
    }
}

/// Adds the line of a delta, if it makes an event.
pub(crate) fn write(delta: &Delta, wire: &mut String) {
    let line = match delta {
        Delta::Text(text) => json!({"text": text}),
        Delta::Reasoning(text) => json!({"reasoning": text}),
        Delta::Opaque(data) => json!({"opaque": data}),
        Delta::Call(CallDelta::Begin { id, name }) => json!({"call": name, "id": id}),
        Delta::Call(CallDelta::Args(args)) => json!({"args": args}),
        Delta::Call(CallDelta::End { opaque }) => json!({"end": opaque}),
        _ => return,
    };
    wire.push_str(&line.to_string());
    wire.push('\n');
}

/// Returns the deltas of a text. Lines that are none are left out.
pub(crate) fn read(wire: &str) -> impl Iterator<Item = Delta> {
    wire.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        let text = |key: &str| line.get(key)?.as_str().map(str::to_owned);
        Some(match line.as_object()?.keys().next()?.as_str() {
            "text" => Delta::Text(text("text")?),
            "reasoning" => Delta::Reasoning(text("reasoning")?),
            "opaque" => Delta::Opaque(text("opaque")?),
            "args" => Delta::Call(CallDelta::Args(text("args")?)),
            "end" => Delta::Call(CallDelta::End { opaque: text("end") }),
            _ => Delta::Call(CallDelta::Begin { id: text("id"), name: text("call")? }),
        })
    })
}

/// The word for such text in place of the name of a dialect.
const NATIVE: &str = "native";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let deltas = [
            Delta::Reasoning("hm\n".to_owned()),
            Delta::Opaque("{\"a\":1}".to_owned()),
            Delta::Text("I look.\n".to_owned()),
            Delta::Call(CallDelta::Begin { id: None, name: "ls".to_owned() }),
            Delta::Call(CallDelta::Args("{\"path\":".to_owned())),
            Delta::Call(CallDelta::End { opaque: None }),
            Delta::Call(CallDelta::Begin { id: Some("b".to_owned()), name: "ls".to_owned() }),
            Delta::Call(CallDelta::End { opaque: Some("x".to_owned()) }),
        ];
        let mut wire = String::new();
        deltas.iter().for_each(|delta| write(delta, &mut wire));
        assert_eq!(read(&wire).collect::<Vec<_>>(), deltas);
    }
}
