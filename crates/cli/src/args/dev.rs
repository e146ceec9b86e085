//! The commands of `silcrow dev`, for people who build on silcrow.

use super::{AssembleArgs, GrammarArgs, ParseArgs, RehearseArgs, ReplayArgs};

/// The subcommands of `silcrow dev`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum DevCommand {
    /// Read wire text and print its events, one JSON object a line
    Parse(ParseArgs),
    /// Read stored events and print the messages of the next request
    Assemble(AssembleArgs),
    /// Play wire text against stubbed tools, in virtual time
    Rehearse(RehearseArgs),
    /// Write a dialect as a grammar for constrained decoding
    Grammar(GrammarArgs),
    /// Run the prompts of a conversation again, with another model
    ///
    /// A call of a tool that is read-only or idempotent gets the result that the log has of an
    /// identical call, and its tool does not run. You are asked about every other call; where nobody
    /// can be asked, the model reads that it was not allowed, unless --allow names its tool.
    Replay(Box<ReplayArgs>),
}
