//! The fields of a manifest as they are written in TOML, before anything is checked.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;

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
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenAgent {
    pub(crate) description: String,
    pub(crate) instructions: Option<String>,
    /// The model as `--model` takes it, or the run's own if it is left out.
    pub(crate) model: Option<String>,
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
    /// The kind of the relic. The only kind is `kv`.
    pub(crate) kind: String,
    pub(crate) description: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenLlm {
    pub(crate) description: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) model: Option<String>,
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
    pub(crate) name: String,
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
}
