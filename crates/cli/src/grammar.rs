//! `silcrow dev grammar`, which prints a dialect as a grammar for constrained decoding.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use silcrow_grammar::{GrammarTool, grammar as write, grammar_of_tools};

use crate::args::GrammarArgs;
use crate::failure::{Failure, written};
use crate::input::Input;

/// Prints a grammar, to which a server can restrict a model.
pub(crate) fn grammar(args: &GrammarArgs) -> Result<(), Failure> {
    let tools = args.tools.as_deref().map(tools).transpose()?;
    let grammar = match &tools {
        None => write(args.dialect, args.format, None),
        Some(tools) => {
            let tools: Vec<_> = tools.iter().map(ListedTool::held).collect();
            grammar_of_tools(args.dialect, args.format, &tools)
        }
    };
    let mut out = io::stdout().lock();
    written(out.write_all(grammar.as_bytes()).and_then(|()| out.flush()))
}

/// A tool of the list: its name, and the schema of its arguments if that is to be held.
struct ListedTool {
    name: String,
    schema: Option<String>,
}

impl ListedTool {
    fn held(&self) -> GrammarTool<'_> {
        let tool = GrammarTool::new(&self.name);
        self.schema.as_ref().map_or(tool, |schema| tool.with_schema(schema))
    }
}

/// Reads the tools in a file, which is a JSON list of names, and of objects with a name and a schema.
fn tools(path: &Path) -> Result<Vec<ListedTool>, Failure> {
    let input = Input::open(path)?;
    let file = input.name().to_owned();
    let text = input.text()?;
    let not_json = |error| Failure::given(format!("{file} is not JSON: {error}"));
    // Checks every character before an item is looked at.
    if !matches!(serde_json::from_str(&text).map_err(not_json)?, Value::Array(_)) {
        return Err(Failure::given(format!("{file} is not a JSON list of tool names")));
    }
    let items: Vec<&RawValue> = serde_json::from_str(&text).map_err(not_json)?;
    let named = |(index, item)| {
        listed(item).map_err(|why| Failure::given(format!("{file}: item {} {why}", index + 1)))
    };
    items.into_iter().enumerate().map(named).collect()
}

/// Returns a tool, or the reason why an item is not one. Any text may be a name (P-9). A schema keeps the
/// order in which it is written.
fn listed(item: &RawValue) -> Result<ListedTool, &'static str> {
    let named = |name: &Value, schema: Option<&RawValue>| match name {
        Value::String(name) if name.is_empty() => Err("is an empty name"),
        Value::String(name) => {
            let schema = schema.map(|schema| schema.get().to_owned());
            Ok(ListedTool { name: name.clone(), schema })
        }
        _ => Err("is not a name: a tool's name is a string"),
    };
    match serde_json::from_str(item.get()).unwrap_or_default() {
        Value::Object(_) => {
            let members: BTreeMap<String, &RawValue> =
                serde_json::from_str(item.get()).unwrap_or_default();
            let name = members.get("name").and_then(|name| serde_json::from_str(name.get()).ok());
            let schema = SCHEMAS.iter().find_map(|key| members.get(*key).copied());
            named(&name.unwrap_or_default(), schema)
        }
        name => named(&name, None),
    }
}

/// The members that hold a schema: ours, and the members of OpenAI's functions and of MCP's tools.
const SCHEMAS: [&str; 4] = ["schema", "parameters", "inputSchema", "input_schema"];
