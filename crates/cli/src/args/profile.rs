//! The arguments of `silcrow profile`, and of runs that learn the profile.

use std::path::PathBuf;

use super::ProxyArgs;

/// The arguments of `silcrow profile`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The profile is a short list of facts about you. The model reads it as data, below the system prompt.
It is off: with --learn-profile, or once you write

  silcrow config set learn_profile true

runs read it, and after every six messages of yours one request asks your model what to note of
them. You can change and delete everything here. A project cannot switch it on.")]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProfileCommand>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Whose profile it is, where several people share a store [default: SILCROW_USER, or no user]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, global = true, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
}

/// The subcommands of `silcrow profile`.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum ProfileCommand {
    /// Add a fact, which no model changes
    Add {
        /// The fact, in one line
        text: String,
    },
    /// Change the profile as JSON in your editor: $VISUAL, $EDITOR or vi
    Edit {
        /// Take the JSON from this file instead, such as an export; `-` is standard input
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
    },
    /// Write the profile as JSON
    Export {
        /// The file to write [default: standard output]
        file: Option<PathBuf>,
    },
    /// Remove one fact
    Forget {
        /// Its number, as silcrow profile shows it
        number: usize,
    },
    /// Remove all facts; nothing is learned from what you said before
    Delete {
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Learn now from your messages, by one request
    Learn {
        /// The model to ask; see silcrow help models
        #[arg(long)]
        model: Option<String>,
        #[command(flatten)]
        proxy: ProxyArgs,
    },
}

/// Whether a run reads and learns the profile of the person.
#[derive(Debug, clap::Args)]
pub(crate) struct LearnArgs {
    /// Tell the model your profile, and learn it from your messages; see silcrow profile
    #[arg(long, overrides_with = "no_learn_profile")]
    pub(crate) learn_profile: bool,
    /// Do neither, whatever your settings say
    #[arg(long, overrides_with = "learn_profile")]
    pub(crate) no_learn_profile: bool,
}
