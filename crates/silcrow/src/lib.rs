//! Streaming agents: a model writes its thoughts, calls and answer as one text stream, and calls
//! can run while it writes.
//!
//! ```toml
//! [dependencies]
//! silcrow = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
#![cfg_attr(feature = "typed", doc = "```")]
#![cfg_attr(not(feature = "typed"), doc = "```ignore")]
//! use silcrow::prelude::*;
//!
//! async fn add(a: i64, b: i64) -> Result<String, ToolError> {
//!     Ok((a + b).to_string())
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // Stands in for a real model, so that this example runs anywhere.
//!     let model = ScriptedModel::parse(
//!         r#"§call: {"name": "add", "args": {"a": 2, "b": 3}}
//! §execute
//! %%
//! §respond: It is 5.
//! §end"#,
//!         1,
//!     );
//!     let add = tool_fn("add", "Adds two numbers.", ["a", "b"], add);
//!     let agent = Agent::new(model, MemoryStore::new()).with_tool(add)?;
//!     let answer = agent.ask("What is 2 + 3?").await?;
//!     assert_eq!(answer.text, "It is 5.");
//!     assert_eq!(answer.calls[0].call.name(), "add");
//!     Ok(())
//! }
//! ```
//!
//! A real model takes one line, such as
//! `Chat::compatible("http://127.0.0.1:8080/v1", "gemma3", None)?` for a server on this machine.
//! The [example `hello`] is the whole program. To show the answer while it is written, use
//! [`Agent::stream`](agent::Agent::stream) or [`Agent::run`](agent::Agent::run) instead of
//! [`Agent::ask`](agent::Agent::ask).
//!
//! The names that most programs need are at the root of this crate and in its [`prelude`]. All other
//! names are in modules, one for each crate. These features add modules; each depends on a crate of
//! the same name with `silcrow-` in front:
//!
//! | feature | default | module |
//! |---|---|---|
//! | `typed` | yes | tools from async functions |
//! | `vendors` | yes | models over HTTP and WebSockets |
//! | `validator` | no | a validator for the whole of JSON schema, in the module `typed` |
//! | `tools` | no | tools that list, read, search and write files in one folder |
//! | `shell` | no | a tool that runs commands, in the module `sandbox` what confines them |
//! | `web` | no | tools that search the web and read pages |
//! | `mcp` | no | the tools of MCP servers |
//! | `mcp-server` | no | the agent as a tool of others, by the Model Context Protocol |
//! | `recall` | no | a tool that searches earlier conversations |
//! | `hooks` | no | commands of a person that run before and after calls, and at prompts |
//! | `skills` | no | skills and prompt commands from files |
//! | `profile` | no | a few facts about a person that a model notes from conversations |
//! | `policy` | no | permissions: modes, rules, and decisions about commands |
//! | `store-log` | no | a store on disk |
//! | `store-postgres` | no | a store in PostgreSQL, which many machines share |
//! | `key-value` | no | a tool that keeps values by key |
//! | `sql` | no | declared statements in a PostgreSQL database as a tool |
//! | `server` | no | agents over HTTP: a page, AG-UI, the AI SDK and OpenAI's APIs |
//! | `front` | no | the encoders of those protocols alone, without a server |
//! | `acp` | no | agents in editors, by the Agent Client Protocol |
//! | `otlp` | no | traces and metrics of OpenTelemetry, as bytes |
//! | `otlp-http` | no | the sending of these to a collector |
//! | `native` | no | a reader of what models write unasked: the native forms of sixty families |
//! | `models` | no | a model by its name, with keys from variables, files and commands |
//! | `manifest` | no | agents, workflows and relics that a file declares |
//! | `environment` | no | the variables of a process as a value, and the secrets in them |
//! | `session` | no | an agent with store, tools, servers and rules from plain options, as the command has it |
//! | `settings` | no | the settings of a person and of a project, each with its source |
//! | `history` | no | stored conversations: found, listed, compared and exported |
//! | `console` | no | runs in a terminal or a pipe, and questions to the person |
//! | `interactive` | no | a chat at a terminal, and the fronts of a run and of a call |
//! | `term` | no | a renderer of Markdown for a terminal, while it is written |
//! | `rehearsal` | no | a model that follows simple rules and needs no network |
//! | `simulation` | no | what a model writes, played against stubs of its tools in virtual time |
//!
//! This crate only re-exports. A library that implements one trait, such as a store, depends
//! on the crate of that trait instead, and builds less. The command `silcrow` is in the package
//! `silcrow-cli`.
//!
//! [example `hello`]: https://github.com/silcrow/silcrow/blob/main/crates/silcrow/examples/hello.rs

#[cfg(all(
    doctest,
    feature = "console",
    feature = "manifest",
    feature = "models",
    feature = "server",
    feature = "session",
    feature = "settings",
    feature = "store-log",
    feature = "tools",
    feature = "typed",
    feature = "vendors"
))]
mod pages;
pub mod prelude;

#[cfg(feature = "acp")]
pub use silcrow_acp as acp;
pub use silcrow_agent as agent;
#[cfg(feature = "console")]
pub use silcrow_console as console;
pub use silcrow_context as context;
#[cfg(feature = "environment")]
pub use silcrow_environment as environment;
pub use silcrow_event as event;
/// The runner of calls, and the [contract of tools](crate::tool) with it.
pub mod exec {
    pub use silcrow_exec::*;
    pub use silcrow_tool::*;
}
#[cfg(feature = "front")]
pub use silcrow_front as front;
#[cfg(feature = "history")]
pub use silcrow_history as history;
#[cfg(feature = "hooks")]
pub use silcrow_hooks as hooks;
#[cfg(feature = "interactive")]
pub use silcrow_interactive as interactive;
#[cfg(feature = "key-value")]
pub use silcrow_key_value as key_value;
#[cfg(feature = "manifest")]
pub use silcrow_manifest as manifest;
#[cfg(feature = "mcp")]
pub use silcrow_mcp as mcp;
#[cfg(feature = "mcp-server")]
pub use silcrow_mcp_server as mcp_server;
#[cfg(feature = "models")]
pub use silcrow_models as models;
#[cfg(feature = "native")]
pub use silcrow_native as native;
#[cfg(feature = "otlp")]
pub use silcrow_otlp as otlp;
#[cfg(feature = "otlp-http")]
pub use silcrow_otlp_http as otlp_http;
pub use silcrow_parser as parser;
#[cfg(feature = "policy")]
pub use silcrow_policy as policy;
#[cfg(feature = "profile")]
pub use silcrow_profile as profile;
pub use silcrow_provider as provider;
#[cfg(feature = "recall")]
pub use silcrow_recall as recall;
#[cfg(feature = "rehearsal")]
pub use silcrow_rehearsal as rehearsal;
#[cfg(feature = "sandbox")]
pub use silcrow_sandbox as sandbox;
#[cfg(feature = "server")]
pub use silcrow_server as server;
#[cfg(feature = "session")]
pub use silcrow_session as session;
#[cfg(feature = "settings")]
pub use silcrow_settings as settings;
#[cfg(feature = "shell")]
pub use silcrow_shell as shell;
#[cfg(feature = "simulation")]
pub use silcrow_simulation as simulation;
#[cfg(feature = "skills")]
pub use silcrow_skills as skills;
#[cfg(feature = "sql")]
pub use silcrow_sql as sql;
pub use silcrow_store as store;
#[cfg(feature = "store-log")]
pub use silcrow_store_log as store_log;
#[cfg(feature = "store-postgres")]
pub use silcrow_store_postgres as store_postgres;
#[cfg(feature = "term")]
pub use silcrow_term as term;
pub use silcrow_tool as tool;
#[cfg(feature = "tools")]
pub use silcrow_tools as tools;
#[cfg(feature = "typed")]
pub use silcrow_typed as typed;
#[cfg(feature = "vendors")]
pub use silcrow_vendors as vendors;
#[cfg(feature = "web")]
pub use silcrow_web as web;

pub use silcrow_agent::{Agent, Answer, Error};
pub use silcrow_event::RunEvent;
pub use silcrow_provider::ScriptedModel;
pub use silcrow_store::MemoryStore;
pub use silcrow_tool::{Tool, ToolError, ToolOutput};
#[cfg(feature = "typed")]
pub use silcrow_typed::tool_fn;
#[cfg(feature = "vendors")]
pub use silcrow_vendors::Chat;
