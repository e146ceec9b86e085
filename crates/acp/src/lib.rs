//! Lets editors run an agent, by version 1 of the Agent Client Protocol (ACP).
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! silcrow-acp = "0.1"
//! silcrow-agent = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-store = "0.1"
//! tokio = "1"
//! ```
//!
//! An editor starts a program, and both write a JSON object a line to each other. [`serve`] is that
//! conversation; an [`AcpHost`] is the program, which makes an agent for each prompt:
//!
//! ```
//! use std::sync::Arc;
//!
//! use futures_util::FutureExt as _;
//! use futures_util::future::BoxFuture;
//! use silcrow_acp::{AcpHost, AcpPerson, AcpSession, serve};
//! use silcrow_agent::Agent;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_store::{MemoryStore, Store};
//!
//! struct Greeter(Arc<MemoryStore>);
//!
//! impl AcpHost for Greeter {
//!     fn store(&self) -> Arc<dyn Store> {
//!         Arc::<MemoryStore>::clone(&self.0)
//!     }
//!
//!     fn new_id(&self) -> String {
//!         "talk".to_owned()
//!     }
//!
//!     fn agent<'a>(
//!         &'a self,
//!         _: &'a AcpSession,
//!         person: &'a Arc<AcpPerson>,
//!     ) -> BoxFuture<'a, Result<Agent, String>> {
//!         let model = ScriptedModel::parse("§respond: Hello.\n§end", 1);
//!         let agent = Agent::new(model, self.store()).with_approver(person.approver());
//!         async move { Ok(agent) }.boxed()
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let input = concat!(
//!     r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#, "\n",
//!     r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
//! );
//! let mut output = Vec::new();
//! // A program has standard input and output here.
//! serve(Arc::new(Greeter(Arc::default())), input.as_bytes(), &mut output).await.unwrap();
//! let output = String::from_utf8(output).unwrap();
//! assert!(output.lines().last().unwrap().contains(r#""result":{"sessionId":"talk"}"#));
//! # });
//! ```
//!
//! Prompts of several sessions run beside each other. A call that needs a yes asks the client, and
//! several questions may be open at once. A prompt that is cancelled is answered as that, whatever is
//! open. The list that an agent keeps with the tool `todo` is the plan of its session. `_session/steering` sends a message to a run that is at work, as other agents offer it.
//!
//! # What it does not do
//!
//! - It reads and writes no files through the editor, and opens no terminals in it: the agent's own
//!   tools act on the disk.
//! - It reads no settings, makes no agents, and starts no MCP servers: the host does.
//! - It speaks no draft of version 2.

mod client;
mod client_lines;
mod client_servers;
mod client_sessions;
mod connection;
mod host;
mod message;
mod offers;
mod permission;
mod person;
mod prompt_blocks;
mod prompt_run;
mod serve;
mod session_plan;
mod session_update;
mod stored_sessions;
mod tool_call;

pub use client_servers::{AcpServer, AcpServerAddress};
pub use host::{AcpChoice, AcpHost, AcpOption, AcpSession};
pub use person::{AcpFormAnswer, AcpPerson};
pub use serve::serve;
