//! The tool `shell`, which runs commands in a sandbox, and `shell_processes`, for those that run in
//! the background.
//!
//! ```toml
//! [dependencies]
//! silcrow-tool = "0.1"
//! silcrow-sandbox = "0.1"
//! silcrow-shell = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```rust,standalone_crate
//! use silcrow_shell::{SandboxOptions, Shell};
//! use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs, Toolbox};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     // First of all: this program is also the helper that confines commands.
//!     silcrow_sandbox::run_helper_if_asked();
//!     run()
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn run() -> Result<(), Box<dyn std::error::Error>> {
//!     let shell = Shell::open(SandboxOptions::new(".").with_protected(".git"))?;
//!     println!("sandbox: {}", shell.sandbox().level());
//!
//!     let context = CallContext::new(Scope::new("a conversation"), "1");
//!     let args = ToolArgs::new(r#"{"command": "echo hello | tr a-z A-Z; exit 3"}"#);
//!     let output = shell.call(args, &context).await?;
//!     assert_eq!(output.content.text(), "HELLO\n");
//!     assert_eq!(output.notices, ["exit status 3"]);
//!     assert!(output.has_failed);
//!
//!     let mut tools = Toolbox::new();
//!     tools.add(shell.processes())?;
//!     tools.add(shell)?;
//!     Ok(())
//! }
//! ```
//!
//! The content of a result is what a terminal would show of what the command wrote, standard output and
//! standard error in the order of arrival: redrawn lines once, and no colours. The exit status, a status
//! that a pipe hides, a signal, a time that was over, processes that were left and ended, and hints about
//! what the sandbox denied are notices beside it, so no output can pass for them. A command that ends with
//! another status than 0, or whose time is over, is a failed call, of which the model reads the same
//! output. The output is reported as progress while the command runs, as it was written.
//!
//! Each call needs approval, unless the permissions of the run allow it; a yes is for the exact
//! command, its folder and the level of the sandbox. The grants of the call open doors: to git's data, to
//! other paths, or out of the sandbox. If no sandbox works or it is [off](Shell::off), each call needs
//! the grant `outside`, and nothing runs without that.
//!
//! With namespaces a grant of a host opens it through a [proxy](EgressProxy) that the variables of the
//! command name, and ports are forwarded; these doors close when the last process of the command has
//! ended. A connection to another host waits at the wall while the call
//! [asks](silcrow_tool::CallContext::ask_for), but not for a command in the background. Without
//! namespaces a grant of a host or a port opens the whole network.
//!
//! A call that may only read ([`CallAccess::ReadOnly`](silcrow_tool::CallAccess::ReadOnly)) changes
//! nothing and has no network, or does not run. Files with
//! [secret names](SandboxOptions::with_secret_names) are hidden from commands; one that names such a
//! file has a risk that says so, and sees it after a yes to that.
//!
//! # What this crate does not do
//!
//! - It does not read commands: `silcrow-policy` decides which are harmless.
//! - It does not undo what a command did. A [keeper](Shell::with_keeper) that knows the files keeps
//!   them before each command that may change some, and finds afterwards what it changed.
//! - It never tries a command again, neither outside of the sandbox nor in it.
//! - It gives a command no terminal and no input.
//! - It does not keep commands in the background beyond the life of [`Shell`].

mod access;
mod arguments;
mod background;
mod command_shell;
mod early_changes;
mod hints;
mod kept;
mod last_lines;
mod named_path;
mod named_secrets;
mod needs;
mod network;
mod open_doors;
mod output;
mod pipe_failures;
mod process_list;
mod processes;
mod protected_notices;
mod proxy_variables;
mod report;
mod running;
mod served_port;
mod shell;
mod terminal_text;
mod time_limit;
mod tool_names;
mod wall_notices;

pub use silcrow_egress::EgressProxy;
pub use silcrow_sandbox::{Error, ErrorKind, Sandbox, SandboxLevel, SandboxOptions};

pub use crate::process_list::ListedProcess;
pub use crate::processes::ShellProcesses;
pub use crate::report::has_failed_command;
pub use crate::shell::Shell;
pub use crate::terminal_text::terminal_text;
pub use crate::time_limit::time_limit;
