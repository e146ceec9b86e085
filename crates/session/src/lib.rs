//! A session of an agent: plain options in; out comes an agent with a store, tools, MCP servers, a
//! policy, titles, the profile of the person and telemetry.

mod after_run;
mod agents;
pub mod claim;
mod coding;
mod damage;
mod elsewhere;
mod environment;
mod error;
mod fork;
mod host;
pub mod instructions;
mod learning;
mod listed_window;
mod machine;
pub mod manifest;
pub mod model;
mod opening;
mod options;
pub mod policy;
mod prices;
pub mod prompt;
pub mod servers;
mod session;
mod session_mode;
mod setup;
mod shared_servers;
mod store;
mod stored_events;
mod surroundings;
mod target;
mod task;
mod telemetry;
mod text_file;
mod titling;
pub mod tools;
mod user;
mod web;

pub use after_run::AfterRun;
pub use damage::{ToldDamage, damage_line};
pub use elsewhere::{other_holder, wait_for_others};
pub use error::{Error, ErrorKind};
pub use fork::ForkName;
pub use host::SessionHost;
pub use learning::{ProfileLearner, learned_changes};
pub use options::{InstructionOptions, PolicyOptions, SessionOptions, WebOptions, WindowOptions};
pub use session::AgentSession;
pub use session_mode::{ModeChanges, SessionMode};
pub use setup::SessionSetup;
pub use shared_servers::SharedServers;
pub use store::{DatabasePlace, LateStore, OTHER_STORE, OpenStore, StorePlace, new_conversation};
pub use stored_events::stored_events;
pub use surroundings::{shown_folder, today};
pub use target::RunTarget;
pub use task::RunTask;
pub use telemetry::{
    TelemetrySettings, finish_telemetry, start_telemetry, telemetry_options, within_caller,
};
pub use user::user;
