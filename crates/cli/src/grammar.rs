//! `silcrow dev grammar`, which prints a dialect as a grammar for constrained decoding.

use std::io::{self, Write as _};
use std::path::Path;

use serde_json::Value;
use silcrow_grammar::grammar as write;

use crate::args::GrammarArgs;
use crate::failure::{Failure, written};
use crate::input::Input;

/// Prints a grammar, to which a server can restrict a model.
pub(crate) fn grammar(args: &GrammarArgs) -> Result<(), Failure> {
    let tools = args.tools.as_deref().map(tools).transpose()?;
    let names: Option<Vec<&str>> =
        tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
    let grammar = write(args.dialect, args.format, names.as_deref());
    let mut out = io::stdout().lock();
    written(out.write_all(grammar.as_bytes()).and_then(|()| out.flush()))
}

/// Reads the names of tools in a file, which is a JSON list of strings.
fn tools(path: &Path) -> Result<Vec<String>, Failure> {
    let input = Input::open(path)?;
    let file = input.name().to_owned();
    let text = input.text()?;
    let not_json = |error| Failure::given(format!("{file} is not JSON: {error}"));
    let Value::Array(items) = serde_json::from_str(&text).map_err(not_json)? else {
        return Err(Failure::given(format!("{file} is not a JSON list of tool names")));
    };
    let named = |(index, item)| {
        name(item).map_err(|why| Failure::given(format!("{file}: item {} {why}", index + 1)))
    };
    items.into_iter().enumerate().map(named).collect()
}

/// Returns a tool's name, or the reason why an item is not one. Any text may be a name (P-9). A
/// schema is rejected, because the grammar would not enforce it.
fn name(item: Value) -> Result<String, &'static str> {
    match item {
        Value::String(name) if name.is_empty() => Err("is an empty name"),
        Value::String(name) => Ok(name),
        Value::Object(_) => {
            Err("is an object; give the tool's name alone, schemas are not held yet")
        }
        _ => Err("is no name: a tool's name is a string"),
    }
}
