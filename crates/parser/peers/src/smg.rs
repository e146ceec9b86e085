use std::pin::pin;
use std::task::{Context, Poll, Waker};

use openai_protocol::common::{Function, Tool};
use reasoning_parser::{Qwen3Parser, ReasoningParser};
use tool_parser::{QwenParser, ToolParser};

use crate::message::{Message, TOOL, schema};
use crate::peer::{Peer, Piece};

/// A parser that separates thoughts from the rest, which includes calls.
#[derive(Default)]
pub(crate) struct Reasoning(Qwen3Parser);

impl Peer for Reasoning {
    const NAME: &'static str = "reasoning-parser";
    const ENDLESS: bool = false;
    const THOUGHTS: bool = true;
    const CALLS: bool = false;

    fn wire(message: &Message) -> String {
        qwen(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        self.0.reset();
        let mut take = |result: reasoning_parser::ParserResult| {
            if !result.reasoning_text.is_empty() {
                sink(Piece::Think(&result.reasoning_text));
            }
            if !result.normal_text.is_empty() {
                sink(Piece::Say(&result.normal_text));
            }
        };
        for chunk in chunks {
            let result = self.0.parse_reasoning_streaming_incremental(chunk);
            take(result.expect("a message is shorter than its buffer"));
        }
        take(self.0.flush().expect("a message is shorter than its buffer"));
    }
}

/// A parser that separates calls from the rest, which includes thoughts.
pub(crate) struct Tools {
    parser: QwenParser,
    tools: [Tool; 1],
}

impl Default for Tools {
    fn default() -> Self {
        let function = Function {
            name: TOOL.to_owned(),
            description: None,
            parameters: schema(),
            strict: None,
            extra: Default::default(),
        };
        let tools = [Tool { tool_type: "function".to_owned(), function }];
        Self { parser: QwenParser::new(), tools }
    }
}

impl Peer for Tools {
    const NAME: &'static str = "tool-parser";
    const ENDLESS: bool = false;
    const THOUGHTS: bool = false;
    const CALLS: bool = true;

    fn wire(message: &Message) -> String {
        qwen(message)
    }

    fn read(&mut self, chunks: &[&str], sink: &mut impl FnMut(Piece<'_>)) {
        let Self { parser, tools } = self;
        parser.reset();
        for chunk in chunks {
            // It returns an error for text that it cannot read, and the stream continues.
            let Ok(result) = ready(parser.parse_incremental(chunk, tools)) else {
                sink(Piece::Other);
                continue;
            };
            if !result.normal_text.is_empty() {
                sink(Piece::Say(&result.normal_text));
            }
            for call in &result.calls {
                if let Some(name) = &call.name {
                    sink(Piece::Name(call.tool_index, name));
                }
                sink(Piece::Args(call.tool_index, &call.parameters));
            }
        }
        for call in parser.get_unstreamed_tool_args().into_iter().flatten() {
            sink(Piece::Args(call.tool_index, &call.parameters));
        }
        let text = parser.take_unstreamed_normal_text();
        if !text.is_empty() {
            sink(Piece::Say(&text));
        }
    }
}

/// Returns the output of a future that never waits, such as this parser's.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("nothing here waits"),
    }
}

fn qwen(message: &Message) -> String {
    let Message { thought, calls, answer } = message;
    let mut out = format!("<think>{thought}\n</think>\n");
    for call in calls {
        let (name, args) = (&call.name, &call.args);
        out += &format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {args}}}");
        out += "\n</tool_call>\n";
    }
    out + answer + "\n"
}
