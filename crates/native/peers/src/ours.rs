use std::sync::{Arc, LazyLock};

use silcrow_native::{Fragment, NativeFamily, NativeParser, ToolSchemas};

use crate::forms::{TOOL, schema};
use crate::read::Piece;

pub(crate) fn read(family: &str, chunks: &[&str], sink: &mut dyn FnMut(Piece<'_>)) {
    let family: NativeFamily = family.parse().expect("the family is built in");
    let mut parser = NativeParser::new(family).with_tools(Arc::clone(&TOOLS));
    let mut calls = 0;
    let mut take = |fragment: Fragment<'_>| match fragment {
        Fragment::Text(text) => sink(Piece::Say(text.text)),
        Fragment::Call(call) => {
            sink(Piece::Name(calls, call.name()));
            sink(Piece::Args(calls, call.args()));
            calls += 1;
        }
        _ => sink(Piece::Other),
    };
    for chunk in chunks {
        parser.push(chunk, &mut take);
    }
    parser.finish(&mut take);
}

static TOOLS: LazyLock<Arc<ToolSchemas>> =
    LazyLock::new(|| Arc::new(ToolSchemas::new().with_tool(TOOL, schema())));
