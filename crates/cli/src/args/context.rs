//! The arguments of `silcrow context` and `silcrow compact`, as clap reads them.

use super::AgentArgs;

/// The arguments of `silcrow context`.
#[derive(Debug, clap::Args)]
pub(crate) struct ContextArgs {
    /// A conversation's id, or its beginning; the last one of this folder by default
    pub(crate) conversation: Option<String>,
    /// Leave the texts out, and show the tokens only
    #[arg(long)]
    pub(crate) brief: bool,
    /// Show the summary only
    #[arg(long, conflicts_with = "brief")]
    pub(crate) summary: bool,
    #[command(flatten)]
    pub(crate) agent: Box<AgentArgs>,
}

/// A summary of the older part of a conversation.
#[derive(Debug, clap::Args)]
pub(crate) struct CompactArgs {
    /// A conversation's id, or its beginning; the last one of this folder by default
    pub(crate) conversation: Option<String>,
    /// What the summary is to keep above all
    #[arg(long, value_name = "WORDS")]
    pub(crate) focus: Option<String>,
    /// Replace the words of the summary by these, or by a file's
    #[arg(long, value_name = "TEXT|@FILE", conflicts_with_all = ["focus", "undo"])]
    pub(crate) text: Option<String>,
    /// Take the summary back: the model reads everything again
    #[arg(long, conflicts_with = "focus")]
    pub(crate) undo: bool,
    #[command(flatten)]
    pub(crate) agent: Box<AgentArgs>,
}
