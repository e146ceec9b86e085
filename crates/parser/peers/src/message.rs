use silcrow_event::{Fragment, TextKind};
use silcrow_parser::{Dialect, Parser};

use crate::corpus::corpus;

/// The parts of one answer of an agent, without a notation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) thought: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) answer: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// The arguments, a JSON object.
    pub(crate) args: String,
}

/// Returns the messages of the corpus that the other benches read.
pub(crate) fn messages(bytes: usize) -> Vec<Message> {
    let text = corpus(Dialect::Sigil, bytes, 2);
    let mut parser = Parser::new(Dialect::Sigil);
    let mut messages: Vec<Message> = Vec::new();
    let mut last = 0;
    let mut take = |fragment: Fragment<'_>| match fragment {
        Fragment::Text(text) => {
            // Each message begins with a thought.
            if text.kind == TextKind::Think && text.part != last {
                messages.push(Message::default());
            }
            last = text.part;
            let message = messages.last_mut().expect("a thought came first");
            match text.kind {
                TextKind::Think => message.thought.push_str(text.text),
                TextKind::Respond { .. } | TextKind::Malformed => {
                    message.answer.push_str(text.text)
                }
            }
        }
        Fragment::Call(call) => {
            let message = messages.last_mut().expect("a thought came first");
            message.calls.push(Call { name: call.name().to_owned(), args: call.args().to_owned() });
        }
        _ => {}
    };
    parser.push(&text, &mut take);
    parser.finish(&mut take);
    messages
}

/// The one tool that the messages call.
pub(crate) const TOOL: &str = "file_write";

/// Returns the schema of its arguments.
pub(crate) fn schema() -> serde_json::Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "lines": { "type": "array", "items": { "type": "integer" } },
            "content": { "type": "string" },
            "create": { "type": "boolean" },
        },
    })
}

/// Returns short messages that are hard for parsers.
pub(crate) fn odd() -> Vec<Message> {
    let write = |content: &str| Call {
        name: TOOL.to_owned(),
        args: serde_json::json!({ "path": "a.md", "content": content }).to_string(),
    };
    let message = |thought: &str, calls: &[Call], answer: &str| Message {
        thought: thought.to_owned(),
        calls: calls.to_vec(),
        answer: answer.to_owned(),
    };
    vec![
        message("If a < b, look.", &[], "1 < 2, and `<b>` is a tag; x → y <"),
        message("Write it.", &[write("\"so\" }]} \\ {[")], "Done."),
        message("Two of them.", &[write("one"), write("two: 日本語")], "Both are written."),
        message("", &[write("# How\n\n</think> ends a thought.\n")], "It says how."),
        message("Tags.", &[write("<tool_call>\n{}\n</tool_call> is a call")], "Written."),
        message("Marks.", &[write("<|tool_call_end|> and <|tool_calls_section_end|>")], "Written."),
        message("Ours.", &[write("\n§end\n§execute\n</execute> <end>")], "Written."),
    ]
}
