//! The fields of a manifest as they are written in TOML, before anything is checked.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;

/// A manifest as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenManifest {
    #[serde(default)]
    pub(super) agents: BTreeMap<String, WrittenAgent>,
    #[serde(default)]
    pub(super) relics: BTreeMap<String, WrittenRelic>,
    #[serde(default)]
    pub(super) workflows: BTreeMap<String, WrittenWorkflow>,
    #[serde(default)]
    pub(super) llm: BTreeMap<String, WrittenLlm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenAgent {
    pub(super) description: String,
    pub(super) instructions: Option<String>,
    /// The model as `--model` takes it, or the run's own if it is left out.
    pub(super) model: Option<String>,
    /// The tools that it may call; the fields below are for the other kinds.
    #[serde(default)]
    pub(super) tools: Vec<String>,
    #[serde(default)]
    pub(super) agents: Vec<String>,
    #[serde(default)]
    pub(super) relics: Vec<String>,
    #[serde(default)]
    pub(super) workflows: Vec<String>,
    #[serde(default)]
    pub(super) llm: Vec<String>,
    pub(super) max_steps: Option<NonZeroU32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenRelic {
    /// The kind of the relic. The only kind is `kv`.
    pub(super) kind: String,
    pub(super) description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenLlm {
    pub(super) description: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) model: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenWorkflow {
    pub(super) description: String,
    #[serde(default)]
    pub(super) inputs: BTreeMap<String, WrittenInput>,
    pub(super) output: Option<String>,
    pub(super) actions: Vec<WrittenAction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenInput {
    pub(super) r#type: Option<String>,
    pub(super) description: Option<String>,
    /// The default value. Without one the input is required.
    pub(super) default: Option<toml::Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenAction {
    pub(super) id: String,
    pub(super) r#type: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) parameters: toml::Table,
    #[serde(default)]
    pub(super) depends_on: Vec<String>,
    pub(super) output_key: Option<String>,
    pub(super) mode: Option<String>,
    /// The time limit in seconds.
    pub(super) timeout: Option<f64>,
    pub(super) retry: Option<u32>,
    pub(super) on_error: Option<String>,
}
