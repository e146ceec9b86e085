//! A workflow of a manifest, checked and ready to run.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use serde_json::{Map, Value, json};
use silcrow_agent::Workflow;
use silcrow_event::{ActionAttributes, Call, CallKind, CallMode, Json, OnError, UnknownWord};

use crate::error::Error;
use crate::names::CallableNames;
use crate::toml_text::TomlText;
use crate::written;

/// A workflow that can run.
#[derive(Clone)]
pub(crate) struct ReadyWorkflow {
    pub(crate) calls: Vec<Call>,
    /// The JSON schema of its inputs.
    pub(crate) schema: String,
    pub(crate) defaults: Vec<(String, Json)>,
}

impl ReadyWorkflow {
    pub(crate) fn read(
        source: &TomlText<'_>,
        name: &str,
        written: &written::WrittenWorkflow,
        names: &CallableNames<'_>,
    ) -> Result<Self, Error> {
        let at = format!("workflows.{name}");
        if written.actions.is_empty() {
            let why = "there is no action; write [[workflows.NAME.actions]]";
            return Err(source.wrong(&format!("{at}.actions"), why));
        }
        let mut calls = Vec::new();
        for (index, action) in written.actions.iter().enumerate() {
            calls.push(call(source, &format!("{at}.actions[{index}]"), action, names)?);
        }
        if let Some((index, why)) = Workflow::flaws(&calls).into_iter().next() {
            let field = if why.contains("is taken") { "id" } else { "depends_on" };
            return Err(source.wrong(&format!("{at}.actions[{index}].{field}"), why));
        }
        let (schema, defaults) = inputs(source, &at, &written.inputs, &calls)?;
        if let Some(output) = &written.output {
            check_output(source, &format!("{at}.output"), output, &calls)?;
        }
        Ok(Self { calls, schema, defaults })
    }
}

fn call(
    source: &TomlText<'_>,
    at: &str,
    written: &written::WrittenAction,
    names: &CallableNames<'_>,
) -> Result<Call, Error> {
    let wrong = |field: &str, why: String| source.wrong(&format!("{at}.{field}"), why);
    let kind: Option<CallKind> =
        known(written.r#type.as_deref(), "type").map_err(|why| wrong("type", why))?;
    let kind = kind.unwrap_or_default();
    let mode: Option<CallMode> =
        known(written.mode.as_deref(), "mode").map_err(|why| wrong("mode", why))?;
    let on_error: Option<OnError> =
        known(written.on_error.as_deref(), "policy").map_err(|why| wrong("on_error", why))?;
    names.check(source, &format!("{at}.name"), kind, &written.name)?;
    if written.timeout.is_some_and(|seconds| !seconds.is_finite() || seconds <= 0.0) {
        return Err(wrong("timeout", "it is a number of seconds above 0".to_owned()));
    }
    let timeout = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    let timeout = written.timeout.map(timeout);
    for (field, word) in [("id", Some(&written.id)), ("output_key", written.output_key.as_ref())] {
        if word.is_some_and(|word| !is_name(word)) {
            return Err(wrong(field, NO_NAME.to_owned()));
        }
    }
    let mut args = Map::new();
    for (key, value) in &written.parameters {
        let field = format!("parameters.{key}");
        args.insert(key.clone(), to_json(value).map_err(|why| wrong(&field, why))?);
    }
    let content = json!({"name": written.name, "args": args}).to_string();
    let call = Call::parse(&*written.id, content).map_err(|why| wrong("name", why.to_string()))?;
    Ok(call.with_action(ActionAttributes {
        kind,
        mode: mode.unwrap_or_default(),
        depends_on: written.depends_on.clone(),
        output_key: written.output_key.clone(),
        timeout,
        retry: written.retry,
        on_error,
    }))
}

/// The schema of the inputs, and what stands for those that are not given.
fn inputs(
    source: &TomlText<'_>,
    at: &str,
    written: &BTreeMap<String, written::WrittenInput>,
    calls: &[Call],
) -> Result<(String, Vec<(String, Json)>), Error> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut defaults = Vec::new();
    for (name, input) in written {
        let field = format!("{at}.inputs.{name}");
        if !is_name(name) {
            return Err(source.wrong(&field, NO_NAME));
        }
        if calls.iter().any(|call| output_names(call).any(|taken| taken == name)) {
            let why = format!("an action's output has the name `{name}` too; rename one");
            return Err(source.wrong(&field, why));
        }
        let mut property = Map::new();
        if let Some(kind) = &input.r#type {
            if !TYPES.contains(&&**kind) {
                return Err(source.wrong(&format!("{field}.type"), one_of("type", &TYPES)));
            }
            property.insert("type".to_owned(), json!(kind));
        }
        if let Some(description) = &input.description {
            property.insert("description".to_owned(), json!(description));
        }
        properties.insert(name.clone(), Value::Object(property));
        match &input.default {
            Some(value) => {
                let value =
                    to_json(value).map_err(|why| source.wrong(&format!("{field}.default"), why))?;
                defaults.extend(Json::parse(&value.to_string()).map(|json| (name.clone(), json)));
            }
            None => required.push(name),
        }
    }
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    Ok((schema.to_string(), defaults))
}

fn check_output(
    source: &TomlText<'_>,
    field: &str,
    output: &str,
    calls: &[Call],
) -> Result<(), Error> {
    let is_quiet =
        |call: &Call| call.action().is_some_and(|action| action.mode == CallMode::FireAndForget);
    let given = || calls.iter().filter(|call| !is_quiet(call)).flat_map(output_names);
    if given().any(|name| name == output) {
        return Ok(());
    }
    let names = given().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(source.wrong(field, format!("no action gives `{output}`; use one of {names}")))
}

/// The names that an action's output goes by.
fn output_names(call: &Call) -> impl Iterator<Item = &str> {
    let key = call.action().and_then(|action| action.output_key.as_deref());
    key.into_iter().chain([call.id()])
}

/// The word's meaning, or what is meant without one.
fn known<T: FromStr<Err = UnknownWord>>(
    word: Option<&str>,
    what: &str,
) -> Result<Option<T>, String> {
    let parsed = word.map(str::parse).transpose();
    parsed.map_err(|unknown: UnknownWord| one_of(what, unknown.words()))
}

fn one_of(what: &str, words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("there is no {what} of this name; use one of {}", words.join(", "))
}

/// What `$name` may stand for (P-26).
fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

const NO_NAME: &str =
    "`$` cannot name it: it has letters, digits and `_`, and begins with no digit; rename it";

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

fn to_json(value: &toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text.clone()),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) if number.is_finite() => json!(number),
        toml::Value::Float(_) => {
            return Err("JSON has neither NaN nor infinity; write another number".to_owned());
        }
        toml::Value::Boolean(is) => json!(is),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(values) => {
            Value::Array(values.iter().map(to_json).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => {
            let member = |(key, value): (&String, &_)| Ok((key.clone(), to_json(value)?));
            Value::Object(table.iter().map(member).collect::<Result<_, String>>()?)
        }
    })
}
