//! The fields of a manifest as they are written in TOML, before anything is checked.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use silcrow_provider::{Effort, ThinkingDisplay};

/// A manifest as it is written.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenManifest {
    #[serde(default)]
    pub(crate) agents: BTreeMap<String, WrittenAgent>,
    #[serde(default)]
    pub(crate) relics: BTreeMap<String, WrittenRelic>,
    #[serde(default)]
    pub(crate) workflows: BTreeMap<String, WrittenWorkflow>,
    #[serde(default)]
    pub(crate) llm: BTreeMap<String, WrittenLlm>,
    /// Other names of tools, and the tools.
    #[serde(default)]
    pub(crate) aliases: BTreeMap<String, String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenAgent {
    pub(crate) description: String,
    pub(crate) instructions: Option<String>,
    /// The model as `--model` takes it, or the run's own if it is left out.
    pub(crate) model: Option<String>,
    #[serde(default, deserialize_with = "by_word")]
    pub(crate) effort: Option<Effort>,
    pub(crate) thinking_budget: Option<u32>,
    #[serde(default, deserialize_with = "by_word")]
    pub(crate) thinking_display: Option<ThinkingDisplay>,
    /// The tools that it may call; the fields below are for the other kinds.
    #[serde(default)]
    pub(crate) tools: Vec<String>,
    #[serde(default)]
    pub(crate) agents: Vec<String>,
    #[serde(default)]
    pub(crate) relics: Vec<String>,
    #[serde(default)]
    pub(crate) workflows: Vec<String>,
    #[serde(default)]
    pub(crate) llm: Vec<String>,
    pub(crate) max_steps: Option<NonZeroU32>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenRelic {
    /// The kind of the relic: `kv`, `http`, `sql` or `mcp`.
    pub(crate) kind: String,
    pub(crate) description: Option<String>,
    /// The base address of an API.
    pub(crate) base: Option<String>,
    /// The header with its key.
    pub(crate) key: Option<WrittenKey>,
    /// The variable with the address of a database.
    pub(crate) database: Option<String>,
    /// The name of an MCP server.
    pub(crate) server: Option<String>,
    #[serde(default)]
    pub(crate) operations: BTreeMap<String, WrittenOperation>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenKey {
    pub(crate) header: String,
    pub(crate) prefix: Option<String>,
    pub(crate) variable: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenOperation {
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) parameters: Vec<String>,
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) statement: Option<String>,
    pub(crate) writes: Option<bool>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenLlm {
    pub(crate) description: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) model: Option<String>,
    #[serde(default, deserialize_with = "by_word")]
    pub(crate) effort: Option<Effort>,
    pub(crate) thinking_budget: Option<u32>,
    #[serde(default, deserialize_with = "by_word")]
    pub(crate) thinking_display: Option<ThinkingDisplay>,
    /// The models that a call may choose, by name.
    #[serde(default)]
    pub(crate) models: BTreeMap<String, String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenWorkflow {
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) inputs: BTreeMap<String, WrittenInput>,
    pub(crate) output: Option<String>,
    pub(crate) actions: Vec<WrittenAction>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenInput {
    pub(crate) r#type: Option<String>,
    pub(crate) description: Option<String>,
    /// The default value. Without one the input is required.
    pub(crate) default: Option<toml::Value>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenAction {
    pub(crate) id: String,
    pub(crate) r#type: Option<String>,
    /// The name of the called action. A block has another field in its place.
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) parameters: toml::Table,
    #[serde(default)]
    pub(crate) depends_on: Vec<String>,
    pub(crate) output_key: Option<String>,
    pub(crate) mode: Option<String>,
    /// The time limit in seconds.
    pub(crate) timeout: Option<f64>,
    pub(crate) retry: Option<u32>,
    pub(crate) on_error: Option<String>,
    /// The call that takes this one back, if its transaction is rolled back.
    pub(crate) compensate: Option<WrittenCompensation>,
    /// Whether the caller reads this output as well as the workflow's.
    pub(crate) show: Option<bool>,
    /// The body of a transaction.
    pub(crate) transaction: Option<Vec<Self>>,
    /// The test of a choice.
    pub(crate) r#if: Option<String>,
    #[serde(default)]
    pub(crate) then: Vec<Self>,
    #[serde(default)]
    pub(crate) r#else: Vec<Self>,
    /// The list of a loop.
    pub(crate) foreach: Option<String>,
    pub(crate) r#as: Option<String>,
    pub(crate) index: Option<String>,
    pub(crate) max_parallel: Option<usize>,
    pub(crate) limit: Option<usize>,
    /// The condition on which a group ends.
    pub(crate) parallel: Option<String>,
    pub(crate) max: Option<usize>,
    /// The body of a loop or a group.
    #[serde(default)]
    pub(crate) actions: Vec<Self>,
    /// The expression of a value.
    pub(crate) value: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenCompensation {
    pub(crate) r#type: Option<String>,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) parameters: toml::Table,
}

impl WrittenAction {
    /// Returns a field that is given although this kind of entry does not have it.
    pub(crate) fn misplaced(&self) -> Option<&'static str> {
        let (is_call, is_choice) = (self.name.is_some(), self.r#if.is_some());
        let (is_loop, is_group) = (self.foreach.is_some(), self.parallel.is_some());
        let is_transaction = self.transaction.is_some();
        let fields = [
            ("compensate", self.compensate.is_some(), is_call),
            ("show", self.show.is_some(), is_call),
            ("type", self.r#type.is_some(), is_call),
            ("parameters", !self.parameters.is_empty(), is_call),
            ("depends_on", !self.depends_on.is_empty(), is_call),
            ("mode", self.mode.is_some(), is_call),
            ("timeout", self.timeout.is_some(), is_call || is_group || is_transaction),
            ("retry", self.retry.is_some(), is_call),
            ("on_error", self.on_error.is_some(), is_call || is_loop),
            ("then", !self.then.is_empty(), is_choice),
            ("else", !self.r#else.is_empty(), is_choice),
            ("as", self.r#as.is_some(), is_loop),
            ("index", self.index.is_some(), is_loop),
            ("max_parallel", self.max_parallel.is_some(), is_loop),
            ("limit", self.limit.is_some(), is_loop),
            ("max", self.max.is_some(), is_group),
            ("actions", !self.actions.is_empty(), is_loop || is_group),
        ];
        let found = fields.into_iter().find(|(_, is_given, belongs)| *is_given && !belongs);
        found.map(|(field, ..)| field)
    }
}

/// Reads a value by its word, such as `low`.
fn by_word<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let word = String::deserialize(deserializer)?;
    word.parse().map(Some).map_err(D::Error::custom)
}
