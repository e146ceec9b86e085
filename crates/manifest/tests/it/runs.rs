//! Agents with the declarations of a manifest.

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

/// One of each kind. The agent calls the relic.
const MANIFEST: &str = r#"
[agents.keeper]
description = "Keeps what it hears."
model = "script:keeper"
relics = ["notes"]

[relics.notes]
kind = "kv"

[llm.short]
model = "script:short"

[workflows.both]
description = "Makes a text short, and keeps it."
output = "s"

[workflows.both.inputs.text]
type = "string"

[[workflows.both.actions]]
id = "s"
type = "llm"
name = "short"
parameters = { prompt = "Make it short.", text = "$text" }

[[workflows.both.actions]]
id = "k"
type = "agent"
name = "keeper"
parameters = { task = "$s" }
depends_on = ["s"]
"#;

#[tokio::test]
async fn workflow_calls_model_agent_and_relic() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), MANIFEST);
    let answers = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    answers("short", "Rain.");
    let keep = r#"{"name": "notes", "parameters": {"operation": "set", "key": "k", "value": "v"}}"#;
    answers(
        "keeper",
        &format!("<action type=\"relic\" id=\"r\">{keep}</action>\n%%\n<response>Kept.</response>"),
    );
    let models = Models::new(ModelOptions::new(Environment::from_vars::<&str, &str>([])));
    let declared = read(&file, Dialect::Action).unwrap();
    let facts = declared.facts();
    assert_eq!(facts.files.len(), 2);
    assert!(facts.servers.is_empty() && facts.workflows.contains("both"));
    let manifest = declared.trust().open(&models).unwrap();
    assert_eq!(manifest.declared().count(), 4);

    let call = r#"{"name": "both", "parameters": {"text": "It rains all day."}}"#;
    let script = format!(
        "<action type=\"workflow\" id=\"w\">{call}</action>\n%%\n<response>Done.</response>"
    );
    let model: Arc<dyn Provider> = Arc::new(ScriptedModel::parse(&script, 1));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agent = Agent::new(Arc::clone(&model), Arc::clone(&store)).with_dialect(Dialect::Action);
    let parts = ManifestParts::new(Toolbox::new(), model, Arc::clone(&store));
    let agent = manifest.equip(agent, parts);
    let answer = agent.ask("Keep the weather.").await.unwrap();
    assert_eq!(answer.text, "Done.");
    // The relic has its value, so the agent was called with the output of the model.
    let keys = store.keys().await.unwrap();
    assert!(keys.iter().any(|(_, key)| key.contains('k')), "{keys:?}");
}

/// A workflow that asks a model about each of its inputs and chooses by the answer.
const BLOCKS: &str = r#"
[llm.judge]
model = "script:judge"

[workflows.sift]
description = "Keeps the good ones."
output = "verdict"

[workflows.sift.inputs.names]
type = "array"

[[workflows.sift.actions]]
id = "all"
foreach = "names"
as = "name"
max_parallel = 1

[[workflows.sift.actions.actions]]
id = "one"
type = "llm"
name = "judge"
parameters = { prompt = "Is it good?", text = "$name" }

[[workflows.sift.actions]]
id = "good"
value = "all.filter(said, said == 'good').size()"

[[workflows.sift.actions]]
id = "verdict"
if = "good > 1"

[[workflows.sift.actions.then]]
id = "many"
value = "'many: ' + string(good)"

[[workflows.sift.actions.else]]
id = "few"
value = "'few'"
"#;

#[tokio::test]
async fn workflow_of_a_manifest_repeats_and_chooses() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), BLOCKS);
    std::fs::write(folder.path().join("judge"), "good\n%%\nbad\n%%\ngood").unwrap();
    let models = Models::new(ModelOptions::new(Environment::from_vars::<&str, &str>([])));
    let declared = read(&file, Dialect::Sigil).unwrap();
    let manifest = declared.trust().open(&models).unwrap();
    let call = r#"{"name": "sift", "args": {"names": ["Ada", "Max", "Eve"]}}"#;
    let script = format!("§call: {call}\n§execute\n%%\n§respond: Done.\n§end");
    let model: Arc<dyn Provider> = Arc::new(ScriptedModel::parse(&script, 1));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agent = Agent::new(Arc::clone(&model), Arc::clone(&store)).with_dialect(Dialect::Sigil);
    let parts = ManifestParts::new(Toolbox::new(), model, Arc::clone(&store));
    let agent = manifest.equip(agent, parts);
    let mut output = None;
    let mut take = |event: RunEventRef<'_>| {
        if let RunEventRef::Entry(entry) = event
            && let Event::Result(result) = &entry.event
            && result.id.as_deref() == Some("a1")
        {
            output = Some(result.content.text().into_owned());
        }
    };
    agent.run("c", "Sift.", &mut take).await.unwrap();
    assert_eq!(output.as_deref(), Some("many: 2"));
}
