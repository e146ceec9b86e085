use std::sync::LazyLock;

use dynamo_parsers_v2::{
    Tool, UnifiedParserEvent, UnifiedParserInit, UnifiedParserOutput,
    create_unified_parser_for_family,
};

use crate::forms::{TOOL, schema};
use crate::read::Piece;

pub(crate) fn read(family: &str, chunks: &[&str], sink: &mut dyn FnMut(Piece<'_>)) {
    let mut parser =
        create_unified_parser_for_family(family, &*TOOLS).expect("the family is built in");
    parser.initialize_request(UnifiedParserInit::default()).expect("these are its defaults");
    let mut take = |output: UnifiedParserOutput| {
        for event in &output.events {
            match event {
                UnifiedParserEvent::Text(text) | UnifiedParserEvent::Reasoning(text) => {
                    sink(Piece::Say(text));
                }
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
        if parser.parse_into(chunk, &mut output).is_err() {
            break;
        }
        take(output);
    }
    if let Ok(output) = parser.finish() {
        take(output);
    }
}

static TOOLS: LazyLock<[Tool; 1]> = LazyLock::new(|| {
    [Tool { name: TOOL.to_owned(), description: None, parameters: schema(), strict: None }]
});
