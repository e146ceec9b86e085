//! The arguments of `silcrow config`, as clap reads them.

use std::path::PathBuf;

/// The arguments of `silcrow config`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Settings are in config.toml in $XDG_CONFIG_HOME/silcrow, usually ~/.config/silcrow, and in
.silcrow/config.toml in the root and in the folders above it up to its repository's. What counts is,
in this order: a flag, the environment, the profile, the files of the project, and your own file.

A project can only narrow what the tools may do. Its model, store, search engine, proxy and prices
count once you trust its file. No file holds a key.

  model = \"openai:gpt-5.1\"
  tools = { except = [\"web_search\", \"web_scrape\"] }

  [policy]                    # what policy.toml may say; see silcrow policy check --help
  mode = \"workspace\"

  [profiles.work]             # counts with --profile work
  model = \"anthropic:claude-sonnet-4-5\"")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ConfigCommand>,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The root of the project
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
}

/// The subcommands of `silcrow config`.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the value of a key that counts; the exit code is 1 if nothing sets it
    Get {
        /// The key, such as model or policy.mode
        key: String,
    },
    /// Set a key in your own file, with --profile in that profile, and keep the rest of the file
    Set {
        /// The key, such as model or policy.mode
        key: String,
        /// The value
        value: String,
        /// In the file of the project
        #[arg(long)]
        project: bool,
    },
    /// Remove a key from your own file, with --profile from that profile
    Unset {
        /// The key
        key: String,
        /// From the file of the project
        #[arg(long)]
        project: bool,
    },
    /// Print the paths of the files, also of those that do not exist
    Path,
    /// Trust the files of the project as they are now, so that its AGENTS.md and all settings count
    Trust,
    /// Trust the files of the project no longer
    Revoke,
}
