//! One form for each encoding: the call that a message has, and the parsers that read it.

use serde_json::{Value, json};

use crate::read::Reader;
use crate::{dynamo, ours, tool_parser};

/// A form that is read.
pub(crate) struct NativeForm {
    pub(crate) encoding: &'static str,
    pub(crate) family: &'static str,
    /// The text before the tested text.
    before: &'static str,
    /// A call of [`TOOL`] with [`args`].
    call: &'static str,
    /// The families of dynamo-parsers-v2 and tool-parser, if they have one.
    dynamo: Option<&'static str>,
    tool_parser: Option<&'static str>,
}

impl NativeForm {
    /// Returns a message: a kilobyte of text, and a call.
    pub(crate) fn message(&self) -> String {
        format!("{}{}\n{}", self.before, PROSE.repeat(8), self.call)
    }

    /// Returns the text of a message, with single spaces.
    pub(crate) fn said(&self) -> String {
        PROSE.repeat(8).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the parsers of the form. The others are compared with the first.
    pub(crate) fn readers(&self) -> Vec<Reader> {
        let ours = Reader { name: "silcrow-native", family: self.family, read: ours::read };
        let dynamo =
            self.dynamo.map(|family| Reader { name: "dynamo", family, read: dynamo::read });
        let tools = self.tool_parser.map(|family| Reader {
            name: "tool-parser",
            family,
            read: tool_parser::read,
        });
        [Some(ours), dynamo, tools].into_iter().flatten().collect()
    }
}

pub(crate) const FORMS: &[NativeForm] = &[
    NativeForm {
        encoding: "Object",
        family: "hermes",
        before: "",
        call: "<tool_call>\n{\"name\": \"file_write\", \"arguments\": {\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}}\n</tool_call>",
        dynamo: None,
        tool_parser: Some("qwen"),
    },
    NativeForm {
        encoding: "Array",
        family: "mistral_json",
        before: "",
        call: "[TOOL_CALLS] [{\"name\": \"file_write\", \"arguments\": {\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}}]",
        dynamo: None,
        tool_parser: Some("mistral"),
    },
    NativeForm {
        encoding: "Header",
        family: "kimi_k2",
        before: "",
        call: "<|tool_calls_section_begin|><|tool_call_begin|>functions.file_write:0<|tool_call_argument_begin|>{\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}<|tool_call_end|><|tool_calls_section_end|>",
        dynamo: Some("kimi_k2"),
        tool_parser: Some("kimik2"),
    },
    NativeForm {
        encoding: "Parameters",
        family: "qwen3_coder",
        before: "",
        call: "<tool_call>\n<function=file_write>\n<parameter=path>\nsrc/main.rs\n</parameter>\n<parameter=text>\nfn main() {\n    println!(\"Hello, world\");\n}\n\n</parameter>\n<parameter=n>\n12\n</parameter>\n</function>\n</tool_call>",
        dynamo: Some("qwen3"),
        tool_parser: Some("qwen_xml"),
    },
    NativeForm {
        encoding: "Elements",
        family: "minimax_m3",
        before: "",
        call: "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"file_write\">]<]minimax[>[<path>src/main.rs]<]minimax[>[</path>]<]minimax[>[<text>fn main() {\n    println!(\"Hello, world\");\n}\n]<]minimax[>[</text>]<]minimax[>[<n>12]<]minimax[>[</n>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
        dynamo: Some("minimax_m3"),
        tool_parser: Some("minimax_m3"),
    },
    NativeForm {
        encoding: "Expression",
        family: "pythonic",
        before: "",
        call: "[file_write(path=\"src/main.rs\", text=\"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", n=12)]",
        dynamo: None,
        tool_parser: Some("pythonic"),
    },
    NativeForm {
        encoding: "Loose",
        family: "gemma4",
        before: "",
        call: "<|tool_call>call:file_write{path:<|\"|>src/main.rs<|\"|>,text:<|\"|>fn main() {\n    println!(\"Hello, world\");\n}\n<|\"|>,n:12}<tool_call|>",
        dynamo: Some("gemma4"),
        tool_parser: Some("gemma4"),
    },
    NativeForm {
        encoding: "Messages",
        family: "harmony",
        before: "<|channel|>final<|message|>",
        call: "<|end|><|start|>assistant<|channel|>commentary to=functions.file_write <|constrain|>json<|message|>{\"path\": \"src/main.rs\", \"text\": \"fn main() {\\n    println!(\\\"Hello, world\\\");\\n}\\n\", \"n\": 12}<|call|>",
        // Its parser wants a file of tokens from the network.
        dynamo: None,
        tool_parser: None,
    },
];

/// The tool that the messages call.
pub(crate) const TOOL: &str = "file_write";

/// Returns the arguments of the calls.
pub(crate) fn args() -> Value {
    let text = "fn main() {\n    println!(\"Hello, world\");\n}\n";
    json!({"path": "src/main.rs", "text": text, "n": 12})
}

/// Returns the schema of the arguments.
pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "text": {"type": "string"},
            "n": {"type": "integer"},
        },
    })
}

const PROSE: &str = "The file has 3 parts, and 1 < 2 holds in each. Next I look at what `main` does \
    with the arguments: it reads them, and writes what it finds.\n";
