//! `silcrow dev assemble`, which makes the messages of the next request from stored events.

use std::io::{self, Write as _};
use std::path::Path;

use silcrow_console::printer::write_json;
use silcrow_context as context;
use silcrow_event::{Message, Role};
use silcrow_parser::Options;

use crate::args::AssembleArgs;
use crate::failure::{Failure, written};
use silcrow_session::stored_events;
use silcrow_session::tools::BuiltInTools;

/// Reads stored events and prints the messages of the next request.
pub(crate) fn assemble(args: &AssembleArgs) -> Result<(), Failure> {
    let entries = stored_events(&args.file)?;
    let options = Options::from(args.dialect);
    let mut messages = Vec::new();
    if args.system {
        let tools = BuiltInTools::to_list(Path::new("."))?.toolbox;
        let cards: Vec<_> = tools.iter().map(card).collect();
        let prompt = context::SystemPrompt::new(options).with_tools(&cards);
        messages.push(Message::new(Role::System, prompt.to_text()));
    }
    messages.extend(context::assemble(&entries, options));
    let messages: Vec<_> = messages.iter().map(Message::to_json).collect();
    let mut out = io::stdout().lock();
    let json = format!("[{}]", messages.join(",\n"));
    written(write_json(&mut out, &json).and_then(|()| out.flush()))
}

pub(crate) fn card(tool: &dyn silcrow_tool::Tool) -> context::ToolCard<'_> {
    context::ToolCard {
        kind: silcrow_event::CallKind::Tool,
        name: tool.name(),
        description: tool.description(),
        schema: tool.schema(),
    }
}
