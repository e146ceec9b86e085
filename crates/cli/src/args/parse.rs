//! The arguments of `silcrow dev parse` and `silcrow dev assemble`, as clap reads them.

use std::path::PathBuf;

use silcrow_parser::Dialect;

use super::values::{Chunks, ParseOutput, chunks, dialect};

#[derive(Debug, clap::Args)]
pub(crate) struct ParseArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Let delimiters count anywhere in a line (sigil)
    #[arg(long)]
    pub(crate) inline: bool,
    /// Print complete events, or fragments as they come
    #[arg(long, value_enum, default_value = "event")]
    pub(crate) stream: ParseOutput,
    /// Print the text of calls too while they are written (with --stream token)
    #[arg(long)]
    pub(crate) call_text: bool,
    /// Cut the input: `whole`, N bytes a piece, or `random:SEED` [default: as it is read]
    #[arg(long, value_name = "whole|N|random:SEED", value_parser = chunks)]
    pub(crate) chunks: Option<Chunks>,
    /// Print the time at which each line was certain
    #[arg(long)]
    pub(crate) timestamps: bool,
    /// Print diagnostics too, as `error` events of scope `model`
    #[arg(long)]
    pub(crate) notes: bool,
    /// Wire text; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct AssembleArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Put the system message first
    #[arg(long)]
    pub(crate) system: bool,
    /// Stored events, one JSON object a line; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}
