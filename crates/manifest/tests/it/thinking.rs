//! How much the models of a manifest think.

use std::sync::{Arc, Mutex};

use silcrow_agent::Agent;
use silcrow_manifest::ManifestParts;
use silcrow_parser::Dialect;
use silcrow_provider::{
    DeltaStream, Effort, OpeningSession, Provider, Request, Sampling, ScriptedModel,
    ThinkingDisplay,
};
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::Toolbox;

use crate::{read, written};

const MANIFEST: &str = r#"
[agents.thinker]
description = "Thinks about it."
model = "compatible:http://127.0.0.1:1#thinker"
effort = "high"
thinking_display = "omitted"

[llm.brief]
model = "compatible:http://127.0.0.1:1#brief"
thinking_budget = 0

[llm.usual]

[workflows.all]
description = "Asks all of them."

[[workflows.all.actions]]
id = "thinker"
type = "agent"
name = "thinker"
parameters = { task = "Think." }

[[workflows.all.actions]]
id = "brief"
type = "llm"
name = "brief"
parameters = { prompt = "Say." }

[[workflows.all.actions]]
id = "usual"
type = "llm"
name = "usual"
parameters = { prompt = "Say." }
"#;

/// The names of models with the sampling parameters of their requests.
type Asked = Arc<Mutex<Vec<(String, Sampling)>>>;

/// A model that keeps the requests.
struct KeepingModel(String, ScriptedModel, Asked);

impl Provider for KeepingModel {
    fn name(&self) -> &str {
        &self.0
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.2.lock().unwrap().push((self.0.clone(), request.sampling.clone()));
        self.1.stream(request)
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

#[tokio::test]
async fn model_thinking_setting_overrides_the_runs() {
    let asked = Asked::default();
    let model = |name: &str, script: &str| -> Arc<dyn Provider> {
        let script = ScriptedModel::parse(script, 1);
        Arc::new(KeepingModel(name.to_owned(), script, Arc::clone(&asked)))
    };
    let folder = tempfile::tempdir().unwrap();
    let declared = read(&written(folder.path(), MANIFEST), Dialect::Sigil).unwrap();
    let manifest = declared.trust().open_by(|name| {
        Ok::<_, String>(model(name.rsplit('#').next().unwrap(), "§respond: Yes.\n§end"))
    });
    let script = "§call: {\"name\":\"all\"}\n§execute\n%%\nYes.\n%%\n§respond: Done.\n§end";
    let (run, store) = (model("run", script), Arc::new(MemoryStore::new()));
    let store: Arc<dyn Store> = store;
    let mut sampling = Sampling::new();
    sampling.temperature = Some(0.5);
    sampling.thinking_budget = Some(900);
    let agent = Agent::new(Arc::clone(&run), Arc::clone(&store))
        .with_dialect(Dialect::Sigil)
        .with_sampling(sampling.clone());
    let parts = ManifestParts::new(Toolbox::new(), run, store);
    let answer = manifest.unwrap().equip(agent, parts).ask("Go.").await.unwrap();
    assert_eq!(answer.text, "Done.");

    let asked = asked.lock().unwrap();
    let of = |wanted: &str| {
        let found = asked.iter().filter(|(name, _)| name == wanted);
        found.map(|(_, sampling)| sampling.clone()).collect::<Vec<_>>()
    };
    // An effort replaces the budget of the run; the other values stay the run's.
    let mut thinker = sampling.clone();
    thinker.thinking_budget = None;
    thinker.effort = Some(Effort::High);
    thinker.thinking_display = Some(ThinkingDisplay::Omitted);
    assert_eq!(of("thinker"), [thinker]);
    let mut brief = sampling.clone();
    brief.thinking_budget = Some(0);
    assert_eq!(of("brief"), [brief]);
    // The request of the model without its own values is the second of the run's model.
    assert_eq!(of("run"), [sampling.clone(), sampling.clone(), sampling]);
}
