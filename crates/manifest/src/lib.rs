//! Declares agents, workflows, relics and models in a file, and offers them to an agent as tools.
//!
//! A manifest is a TOML file. This crate reads and checks it, opens its models once the caller
//! trusts it, and adds everything it declares to an agent.
//!
//! ```toml
//! [dependencies]
//! silcrow-agent = "0.1"
//! silcrow-tool = "0.1"
//! silcrow-manifest = "0.1"
//! silcrow-models = "0.1"
//! silcrow-parser = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use std::path::PathBuf;
//! use std::sync::Arc;
//!
//! use silcrow_agent::Agent;
//! use silcrow_manifest::{DeclaredManifest, KnownTools, ManifestParts};
//! use silcrow_models::{Environment, ModelOptions, Models};
//! use silcrow_parser::Dialect;
//! use silcrow_provider::{Provider, ScriptedModel};
//! use silcrow_store::{MemoryStore, Store};
//! use silcrow_tool::Toolbox;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("silcrow-manifest-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//!     let file = PathBuf::from("silcrow.toml");
//! # let file = folder.join("silcrow.toml");
//!     std::fs::write(&file, "[agents.poet]\ndescription = \"Writes verses.\"\nmax_steps = 2")?;
//!     let tools = Toolbox::new();
//!     let declared = DeclaredManifest::read(&file, Dialect::Sigil, &KnownTools::new(&tools))?;
//!     assert!(declared.facts().agents.contains("poet"));
//!
//!     // This program wrote the file, so it trusts it. Others ask a person first.
//!     let models = Models::new(ModelOptions::read(Environment::process())?);
//!     let manifest = declared.trust().open(&models)?;
//!
//!     // The agent of the run calls the poet, who answers, and then tells what the poet said.
//!     let script = "§call: {\"name\":\"poet\",\"args\":{\"task\":\"rain\"}}\n§execute\n%%\n\
//!                   §respond: Drops on the roof.\n§end\n%%\n§respond: It is done.\n§end";
//!     let model: Arc<dyn Provider> = Arc::new(ScriptedModel::parse(script, 1));
//!     let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
//!     let agent = Agent::new(Arc::clone(&model), Arc::clone(&store));
//!     let agent = manifest.equip(agent, ManifestParts::new(tools, model, store));
//!     let answer = agent.ask("Write about rain.").await?;
//!     assert_eq!(answer.text, "It is done.");
//! # std::fs::remove_dir_all(&folder)?;
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! file ─► DeclaredManifest ─► trust ─► TrustedManifest ─► models ─► Manifest ─► Agent
//!          names, plans        ▲                            ▲         equip
//!                              a person                     a program's Models
//! ```
//!
//! Trust is part of the types: nothing that a file declares can run, and no model opens, before its
//! text is trusted. A mistake in the file is an error with its line and field. Files named by a
//! manifest must be beneath its folder, after links are followed.
//!
//! This crate does not record trust or ask for it; the caller does. It starts no servers, has no
//! command line, and does not decide which calls run; the agent's approver does.

mod agent_factory;
mod declared;
mod error;
mod flow;
mod flow_step;
mod manifest;
mod named_model;
mod names;
mod parts;
mod relic;
mod server_relic;
mod service;
mod thinking;
mod toml_text;
mod trusted;
mod written;

pub use declared::{DeclaredManifest, ManifestFacts};
pub use error::{Error, ErrorKind};
pub use manifest::Manifest;
pub use names::{KnownTools, ServerToolNames};
pub use parts::{ManifestParts, ServerToolSource};
pub use relic::{
    HttpDeclaration, HttpOperationDeclaration, KeyDeclaration, SqlDeclaration,
    SqlOperationDeclaration,
};
pub use service::ServiceOpener;
pub use trusted::TrustedManifest;
