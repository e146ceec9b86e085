//! A workflow of a manifest, checked and ready to run.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use silcrow_agent::Workflow;
use silcrow_event::{CallMode, Json};
use silcrow_plan::ControlStep;

use crate::error::Error;
use crate::flow_step::{NO_NAME, StepReader, is_name, one_of, to_json};
use crate::names::CallableNames;
use crate::toml_text::TomlText;
use crate::written;

/// A workflow that can run.
#[derive(Clone)]
pub(crate) struct ReadyWorkflow {
    pub(crate) steps: Vec<ControlStep>,
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
            let why = "no action given; write [[workflows.NAME.actions]]";
            return Err(source.wrong(&format!("{at}.actions"), why));
        }
        let mut reader = StepReader::new(source, names);
        let steps = reader.steps(&format!("{at}.actions"), &written.actions)?;
        if let Some((index, why)) = Workflow::step_flaws(&steps).into_iter().next() {
            return Err(source.wrong(&format!("{at}.actions[{index}].depends_on"), why));
        }
        let (schema, defaults) = inputs(source, &at, &written.inputs, &steps)?;
        if let Some(output) = &written.output {
            check_output(source, &format!("{at}.output"), output, &steps)?;
        }
        Ok(Self { steps, schema, defaults })
    }
}

/// The schema of the inputs, and their defaults.
fn inputs(
    source: &TomlText<'_>,
    at: &str,
    written: &BTreeMap<String, written::WrittenInput>,
    steps: &[ControlStep],
) -> Result<(String, Vec<(String, Json)>), Error> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut defaults = Vec::new();
    for (name, input) in written {
        let field = format!("{at}.inputs.{name}");
        if !is_name(name) {
            return Err(source.wrong(&field, NO_NAME));
        }
        if is_bound(steps, name) {
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
    steps: &[ControlStep],
) -> Result<(), Error> {
    let given = || steps.iter().filter(|step| !is_quiet(step)).flat_map(output_names);
    if given().any(|name| name == output) {
        return Ok(());
    }
    let names = given().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    Err(source.wrong(field, format!("no action gives `{output}`; use one of {names}")))
}

/// Returns whether no other step waits for a step, so that it has no output.
fn is_quiet(step: &ControlStep) -> bool {
    let ControlStep::Call(call) = step else { return false };
    call.action().is_some_and(|action| action.mode == CallMode::FireAndForget)
}

/// Returns whether a step, or one in it, binds a name.
fn is_bound(steps: &[ControlStep], name: &str) -> bool {
    steps.iter().any(|step| {
        output_names(step).any(|taken| taken == name)
            || matches!(step, ControlStep::Block { body, otherwise, .. }
                if is_bound(body, name) || is_bound(otherwise, name))
    })
}

/// The names under which a step's output is available.
fn output_names(step: &ControlStep) -> impl Iterator<Item = &str> {
    let key = match step {
        ControlStep::Call(call) => call.action().and_then(|action| action.output_key.as_deref()),
        ControlStep::Block { block, .. } => block.output_key.as_deref(),
        _ => None,
    };
    key.into_iter().chain([step.id()])
}

const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];
