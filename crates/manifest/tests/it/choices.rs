//! Models that a call chooses, and transactions of a workflow.

use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_event::{Event, RunEventRef};
use silcrow_manifest::ManifestParts;
use silcrow_models::{Environment, ModelOptions, Models};
use silcrow_parser::Dialect;
use silcrow_provider::{Provider, ScriptedModel};
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::Toolbox;

use crate::{read, written};

const MANIFEST: &str = r#"
[relics.notes]
kind = "kv"

[llm.say]
model = "script:usual"
models = { fast = "script:fast" }

[workflows.choose]
description = "Asks both, and one that there is not."

[[workflows.choose.actions]]
id = "usual"
type = "llm"
name = "say"
parameters = { prompt = "Who are you?" }

[[workflows.choose.actions]]
id = "fast"
type = "llm"
name = "say"
parameters = { prompt = "Who are you?", model = "fast" }

[workflows.keep]
description = "Keeps a note, or nothing."
output = "all"

[[workflows.keep.actions]]
id = "all"

[[workflows.keep.actions.transaction]]
id = "note"
type = "relic"
name = "notes"
parameters = { operation = "set", key = "k", value = "v" }
compensate = { type = "relic", name = "notes", parameters = { operation = "delete", key = "k" } }

[[workflows.keep.actions.transaction]]
id = "bad"
type = "llm"
name = "say"
parameters = { prompt = "Who are you?", model = "other" }
"#;

/// Calls a workflow, and returns its output.
async fn call(workflow: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), MANIFEST);
    for name in ["usual", "fast"] {
        std::fs::write(folder.path().join(name), format!("I am {name}.")).unwrap();
    }
    let models = Models::new(ModelOptions::new(Environment::from_vars::<&str, &str>([])));
    let declared = read(&file, Dialect::Sigil).unwrap();
    assert_eq!(declared.facts().files.len(), 2);
    let manifest = declared.trust().open(&models).unwrap();
    let script = format!("§call: {{\"name\":\"{workflow}\"}}\n§execute\n%%\n§respond: Done.\n§end");
    let model: Arc<dyn Provider> = Arc::new(ScriptedModel::parse(&script, 1));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agent = Agent::new(Arc::clone(&model), Arc::clone(&store)).with_dialect(Dialect::Sigil);
    let parts = ManifestParts::new(Toolbox::new(), model, Arc::clone(&store));
    let agent = manifest.equip(agent, parts);
    let mut output = String::new();
    let mut take = |event: RunEventRef<'_>| {
        if let RunEventRef::Entry(entry) = event
            && let Event::Result(result) = &entry.event
            && result.id.as_deref() == Some("a1")
        {
            output = result.content.text().into_owned();
        }
    };
    agent.run("c", "Go.", &mut take).await.unwrap();
    output
}

#[tokio::test]
async fn call_chooses_among_llm_models() {
    let output = call("choose").await;
    assert_eq!(output, r#"{"usual":"I am usual.","fast":"I am fast."}"#);
}

#[tokio::test]
async fn transaction_rolls_back_relic_values() {
    let output = call("keep").await;
    assert!(output.contains("`model` must be one of \"fast\""), "{output}");
    assert!(output.ends_with("rolled back: `note`"), "{output}");
}
