//! An agent that calls the poet of a manifest, and prints its answer.
//!
//! A script stands in for the model, so that the program runs without a key.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_manifest::{DeclaredManifest, KnownTools, ManifestParts};
use silcrow_models::{Environment, ModelOptions, Models};
use silcrow_parser::Dialect;
use silcrow_provider::{Provider, ScriptedModel};
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::Toolbox;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let file: PathBuf = env::args_os().nth(1).ok_or("name a manifest")?.into();
    let tools = Toolbox::new();
    let declared = DeclaredManifest::read(&file, Dialect::Sigil, &KnownTools::new(&tools))?;
    for agent in &declared.facts().agents {
        println!("agent {agent}");
    }
    // The program comes with its manifest, so it trusts it. Others ask a person first.
    let models = Models::new(ModelOptions::read(Environment::process())?);
    let manifest = declared.trust().open(&models)?;

    let model: Arc<dyn Provider> = Arc::new(ScriptedModel::parse(SCRIPT, 1));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let agent = Agent::new(Arc::clone(&model), Arc::clone(&store));
    let agent = manifest.equip(agent, ManifestParts::new(tools, model, store));
    println!("{}", agent.ask("Write about rain.").await?.text);
    Ok(())
}

/// The agent's text, the poet's text, and the agent's text after it.
const SCRIPT: &str = "\
§call: {\"name\":\"poet\",\"args\":{\"task\":\"rain\"}}
§execute
%%
§respond: Drops on the roof.
§end
%%
§respond: The poet has written about rain.
§end";
