use std::pin::pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use openai_protocol::common::{Function, Tool};
use tool_parser::ToolParser;
use tool_parser::parsers::{
    Gemma4Parser, KimiK2Parser, MinimaxM3Parser, MistralParser, PythonicParser, QwenParser,
    QwenXmlParser,
};

use crate::forms::{TOOL, schema};
use crate::read::Piece;

pub(crate) fn read(family: &str, chunks: &[&str], sink: &mut dyn FnMut(Piece<'_>)) {
    let mut parser: Box<dyn ToolParser> = match family {
        "qwen" => Box::new(QwenParser::new()),
        "qwen_xml" => Box::new(QwenXmlParser::new()),
        "mistral" => Box::new(MistralParser::new()),
        "kimik2" => Box::new(KimiK2Parser::new()),
        "minimax_m3" => Box::new(MinimaxM3Parser::new()),
        "pythonic" => Box::new(PythonicParser::new()),
        _ => Box::new(Gemma4Parser::new()),
    };
    for chunk in chunks {
        // It returns an error for text that it cannot read, and the stream continues.
        let Ok(result) = ready(parser.parse_incremental(chunk, &*TOOLS)) else {
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

/// Returns the output of a future that never waits, such as this parser's.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("nothing here waits"),
    }
}

static TOOLS: LazyLock<[Tool; 1]> = LazyLock::new(|| {
    let function = Function {
        name: TOOL.to_owned(),
        description: None,
        parameters: schema(),
        strict: None,
        extra: Default::default(),
    };
    [Tool { tool_type: "function".to_owned(), function }]
});
