//! The tool `shell`, which runs commands in a sandbox, and `shell_processes`, which manages
//! commands in the background.
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
//! A result contains what a terminal would show at the end, with standard output and standard error
//! in order of arrival: redrawn lines once, and no colours. The exit status, a status hidden by a
//! pipe, a signal, a timeout, ended leftover processes, and hints about denials of the sandbox are
//! notices beside the content, so no output can fake them. A command that exits with a status other
//! than 0, or times out, is a failed call, and the model reads the same output. While the command
//! runs, its raw output is reported as progress.
//!
//! Each call needs approval, unless the permissions of the run allow it; an approval covers the
//! exact command, its folder and the level of the sandbox. Grants of the call open doors: to git's
//! data, to other paths, or out of the sandbox. If no sandbox works, or it is [off](Shell::off),
//! each call needs the grant `outside`, and nothing runs without it.
//!
//! With namespaces, a host is granted through a [proxy](EgressProxy) that the command's variables
//! name, and ports are forwarded; these doors close when the command's last process has ended. A
//! connection to another host waits while the call [asks](silcrow_tool::CallContext::ask_for),
//! except for commands in the background. Without namespaces, granting a host or a port opens the
//! whole network.
//!
//! A call that may only read ([`CallAccess::ReadOnly`](silcrow_tool::CallAccess::ReadOnly)) changes
//! nothing and has no network, or does not run. Files with [secret
//! names](SandboxOptions::with_secret_names) are hidden from commands. A command that names such a
//! file carries a risk, and sees the file only if that risk is approved.
//!
//! # What this crate does not do
//!
//! - It does not read commands: `silcrow-policy` decides which are harmless.
//! - It does not undo commands. A [keeper](Shell::with_keeper) saves files before each command that
//!   may change them, and afterwards finds the changes.
//! - It never repeats a command, inside or outside the sandbox.
//! - Commands get no terminal and no input.
//! - Background commands do not outlive the [`Shell`].

mod access;
mod arguments;
mod background;
mod command_shell;
mod drive;
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
