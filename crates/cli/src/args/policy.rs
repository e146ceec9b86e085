//! The arguments about permissions, as clap reads them.

use std::path::PathBuf;

use clap::ValueEnum;
use silcrow_policy::PermissionMode;

use super::values::permissions;

/// How much runs without a question.
#[derive(Debug, clap::Args)]
pub(crate) struct PolicyArgs {
    /// What runs without asking: plan, read-only, ask, workspace or full
    #[arg(long, value_name = "MODE", value_parser = permissions())]
    pub(crate) permissions: Option<PermissionMode>,
    /// A file of rules; see silcrow help permissions
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Confine commands in a sandbox: on or off
    #[arg(long, value_name = "SWITCH", value_enum)]
    pub(crate) sandbox: Option<SandboxSwitch>,
}

/// Whether commands run in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxSwitch {
    /// The best one that works here
    On,
    /// None
    Off,
}

/// The subcommands of `silcrow policy`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check a policy file; without one, your own and the root's
    ///
    /// Your own file is policy.toml in $XDG_CONFIG_HOME/silcrow, usually ~/.config/silcrow. The root
    /// may have a file silcrow-policy.toml, which cannot allow anything. A file looks like this:
    ///
    ///     mode = "workspace"
    ///
    ///     [[rules]]
    ///     effect = "allow"              # allow, ask or deny
    ///     tool = "shell"                # a name, or a pattern such as file_*
    ///     command = "cargo test *"      # also path, host, agent and args
    ///     root = "/home/ada/work"       # only where the tools see this folder
    #[command(verbatim_doc_comment)]
    Check {
        /// The file to check
        file: Option<PathBuf>,
        /// Check it as the file of a project, which can only narrow
        #[arg(long, requires = "file")]
        project: bool,
        /// The root whose file is checked
        #[arg(long, value_name = "DIR", default_value = ".", conflicts_with = "file")]
        root: PathBuf,
    },
    /// Say whether a command is harmless, asked about or never run, and why; it does not run
    ///
    /// Rules are not considered. What is harmless runs without a question in every mode in which a
    /// sandbox confines it.
    Judge {
        /// The text of the command; `-` reads one a line from standard input
        #[arg(allow_hyphen_values = true)]
        command: String,
    },
}
