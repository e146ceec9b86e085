//! Runs an agent in editors, through version 1 of the Agent Client Protocol (ACP).
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! silcrow-acp = "0.1"
//! silcrow-agent = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! The editor starts your program, and the two exchange JSON objects, one a line. [`serve`] handles
//! the conversation; your [`AcpHost`] makes an agent for each prompt:
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
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let input = concat!(
//!         r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
//!         "\n",
//!         r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
//!     );
//!     let mut output = Vec::new();
//!     // A program has standard input and output here.
//!     serve(Arc::new(Greeter(Arc::default())), input.as_bytes(), &mut output).await.unwrap();
//!     let output = String::from_utf8(output).unwrap();
//!     assert!(output.lines().last().unwrap().contains(r#""result":{"sessionId":"talk"}"#));
//! }
//! ```
//!
//! Sessions run their prompts in parallel. A call that needs approval asks the editor, and several
//! questions may be open at once. Cancelling a prompt always ends it with that stop reason, even
//! while questions are open. A list that the agent keeps with the tool `todo` appears as the plan
//! of the session. A prompt may begin with a [command](AcpHost::commands) of the host. Besides the
//! standard methods, `_session/steering` sends a message to a running
//! prompt, as other agents offer it.
//!
//! # What it does not do
//!
//! - It reads and writes no files through the editor and opens no terminals in it: the agent's
//!   tools work on the disk.
//! - It reads no settings, makes no agents, and starts no MCP servers: the host does.
//! - It does not speak the draft of version 2.

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
mod session_commands;
mod session_plan;
mod session_update;
mod stored_sessions;
mod tool_call;

pub use client_servers::{AcpServer, AcpServerAddress};
pub use host::{AcpChoice, AcpCommand, AcpHost, AcpOption, AcpSession};
pub use person::{AcpFormAnswer, AcpPerson};
pub use serve::serve;
