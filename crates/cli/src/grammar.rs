use std::io::{self, Write as _};
use std::path::Path;

use serde_json::Value;
use silcrow_parser::grammar as write;

use crate::args::Grammar;
use crate::failure::{Failure, written};
use crate::input::Input;

/// `silcrow grammar`: a grammar out, for a server that lets a model write nothing else.
pub(crate) fn grammar(args: &Grammar) -> Result<(), Failure> {
    let tools = args.tools.as_deref().map(tools).transpose()?;
    let names: Option<Vec<&str>> =
        tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
    let grammar = write(args.dialect, args.format.into(), names.as_deref());
    let mut out = io::stdout().lock();
    written(out.write_all(grammar.as_bytes()).and_then(|()| out.flush()))
}

/// The names in a file: a JSON list of strings.
fn tools(path: &Path) -> Result<Vec<String>, Failure> {
    let input = Input::open(path)?;
    let name = input.name().to_owned();
    let text = input.text()?;
    let not_json = |error| Failure::given(format!("{name} is not JSON: {error}"));
    let Value::Array(items) = serde_json::from_str(&text).map_err(not_json)? else {
        return Err(Failure::given(format!("{name} is not a JSON list of tool names")));
    };
    let items = items.into_iter().enumerate();
    items
        .map(|(index, item)| match item {
            Value::String(tool) if !tool.is_empty() => Ok(tool),
            other => {
                let why = format!("{name}: item {} is no tool's name: {other}", index + 1);
                Err(Failure::given(why))
            }
        })
        .collect()
}
