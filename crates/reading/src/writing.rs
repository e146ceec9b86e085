//! The way back: events and grammars as text, from plain JSON.

use serde_json::{Value, json};
use silcrow_event::{Event, read_entry};
use silcrow_grammar::{GrammarTool, grammar, grammar_of_tools};
use silcrow_native::NativeFamily;
use silcrow_parser::{Options, write};

use crate::options::{WireForm, WrongOptions, object};

/// Writes events as the wire text of a dialect, which is parsed as the same events (L-4).
///
/// `lines` has an event as a JSON object in each line.
///
/// ```
/// use silcrow_reading::{WireForm, write_events};
///
/// let WireForm::Dialect(sigil) = WireForm::named("sigil")? else { panic!() };
/// let text = write_events(sigil, r#"{"type":"think","content":"easy"}"#)?;
/// assert_eq!(text, "§think: easy");
/// # Ok::<(), silcrow_reading::WrongOptions>(())
/// ```
///
/// # Errors
///
/// Returns the first line that is not an event, and why.
pub fn write_events(options: impl Into<Options>, lines: &str) -> Result<String, WrongOptions> {
    let lines = lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let events = lines.map(|(index, line)| match read_entry(line) {
        Ok(entry) => Ok(entry.event),
        Err(why) => Err(WrongOptions::new(format!("event {}: {why}", index + 1))),
    });
    let events: Vec<Event> = events.collect::<Result<_, _>>()?;
    Ok(write(&events, options))
}

/// Writes a grammar for constrained decoding from a JSON object: `form`, the name of a dialect; `format`,
/// which is `gbnf` or `lark`; and `tools`, the names that a call may have, or any without it. A tool is its name, or
/// an object with `name` and `schema`, which the arguments then fit.
///
/// # Errors
///
/// Returns the member that cannot be used, and why.
pub fn write_grammar(json: &str) -> Result<String, WrongOptions> {
    let value = object(json)?;
    let WireForm::Dialect(options) = WireForm::named(value["form"].as_str().unwrap_or("sigil"))?
    else {
        return Err(WrongOptions::new("a native form has no grammar; name a dialect"));
    };
    let format = value["format"].as_str().unwrap_or("gbnf").parse();
    let format = format.map_err(|why| WrongOptions::new(format!("format: {why}")))?;
    let Some(tools) = value["tools"].as_array() else {
        return Ok(grammar(options.dialect, format, None));
    };
    let written =
        |tool: &Value| Some((tool["name"].as_str()?.to_owned(), tool["schema"].to_string()));
    let tools: Vec<(String, Option<String>)> = (tools.iter())
        .filter_map(|tool| match tool {
            Value::String(name) => Some((name.clone(), None)),
            tool => written(tool).map(|(name, schema)| (name, Some(schema))),
        })
        .collect();
    let tools: Vec<_> = (tools.iter())
        .map(|(name, schema)| match schema {
            None => GrammarTool::new(name),
            Some(schema) => GrammarTool::new(name).with_schema(schema),
        })
        .collect();
    Ok(grammar_of_tools(options.dialect, format, &tools))
}

/// Returns the families of native forms as a JSON array of `{"name", "special_tokens"}`.
pub fn families() -> String {
    let all = NativeFamily::all().map(
        |family| json!({"name": family.name(), "special_tokens": family.needs_special_tokens()}),
    );
    Value::Array(all.collect()).to_string()
}
