use dynamo_parsers_v2::{
    Tool, UnifiedParserEvent, UnifiedParserInit, UnifiedParserOutput,
    create_unified_parser_for_family,
};
use serde_json::Value;

use crate::message::{Message, TOOL, schema};
use crate::peer::{Peer, Piece};

/// The family that is most similar to ours: the arguments of a call are JSON.
pub(crate) struct KimiK2([Tool; 1]);

impl Default for KimiK2 {
    fn default() -> Self {
        Self(tools())
    }
}

impl Peer for KimiK2 {
    const NAME: &'static str = "dynamo, kimi_k2";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = true;
    const CALLS: bool = true;

    fn wire(message: &Message) -> String {
        let Message { thought, calls, answer } = message;
        let mut out = format!("<think>{thought}\n</think>\n");
        for (index, call) in calls.iter().enumerate() {
            out += if index == 0 { "<|tool_calls_section_begin|>" } else { "" };
            out += &format!("<|tool_call_begin|>functions.{}:{index}", call.name);
            out += &format!("<|tool_call_argument_begin|>{}<|tool_call_end|>", call.args);
        }
        out += if calls.is_empty() { "" } else { "<|tool_calls_section_end|>\n" };
        out + answer + "\n"
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        read("kimi_k2", &self.0, chunks, sink);
    }
}

/// The family with the shortest delimiters: the arguments of a call are text between tags.
pub(crate) struct Qwen3([Tool; 1]);

impl Default for Qwen3 {
    fn default() -> Self {
        Self(tools())
    }
}

impl Peer for Qwen3 {
    const NAME: &'static str = "dynamo, qwen3";
    const ENDLESS: bool = true;
    const THOUGHTS: bool = true;
    const CALLS: bool = true;

    fn wire(message: &Message) -> String {
        let Message { thought, calls, answer } = message;
        let mut out = format!("<think>{thought}\n</think>\n");
        for call in calls {
            out += &format!("<tool_call>\n<function={}>\n", call.name);
            let args: Value = serde_json::from_str(&call.args).expect("arguments are JSON");
            for (key, value) in args.as_object().expect("arguments are an object") {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                out += &format!("<parameter={key}>\n{value}\n</parameter>\n");
            }
            out += "</function>\n</tool_call>\n";
        }
        out + answer + "\n"
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        read("qwen3", &self.0, chunks, sink);
    }
}

fn read(family: &str, tools: &[Tool], chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
    let mut parser =
        create_unified_parser_for_family(family, tools).expect("the family is built in");
    parser.initialize_request(UnifiedParserInit::default()).expect("these are its defaults");
    let mut take = |output: UnifiedParserOutput| {
        for event in &output.events {
            match event {
                UnifiedParserEvent::Text(text) => sink(Piece::Say(text)),
                UnifiedParserEvent::Reasoning(text) => sink(Piece::Think(text)),
                UnifiedParserEvent::ToolCall(call) => {
                    if let Some(name) = &call.name {
                        sink(Piece::Name(call.tool_index, name));
                    }
                    sink(Piece::Args(call.tool_index, &call.arguments));
                }
                _ => sink(Piece::Other),
            }
        }
    };
    for chunk in chunks {
        // Its documentation asks for a new parser each time, if text is shown at once.
        let mut output = UnifiedParserOutput::default();
        parser.parse_into(chunk, &mut output).expect("it does not refuse what it reads");
        take(output);
    }
    take(parser.finish().expect("it does not refuse what it reads"));
}

fn tools() -> [Tool; 1] {
    [Tool { name: TOOL.to_owned(), description: None, parameters: schema(), strict: None }]
}
