//! The client: connections to servers, calls of their tools, and their other offers.

mod any_transport;
mod call;
mod call_time;
mod connection;
mod definition;
mod face;
mod http;
mod late_answers;
mod log;
mod old_transport;
mod output;
mod pages;
mod process;
mod program;
mod resource;
mod result;
mod search;
mod served_calls;
mod server;
mod servers;
mod start_folder;
mod started_files;
mod tool;

pub use servers::McpServers;
