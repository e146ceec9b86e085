//! The arguments of `silcrow dev grammar`, as clap reads them.

use std::path::PathBuf;

use silcrow_grammar::GrammarFormat;
use silcrow_parser::Dialect;

use super::values::{dialect, format};

#[derive(Debug, clap::Args)]
pub(crate) struct GrammarArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// The notation of the grammar, for llama.cpp or llguidance
    #[arg(long, value_parser = format())]
    pub(crate) format: GrammarFormat,
    /// The tools that may be called, a JSON list of names, or of objects with `name` and `schema`; `-` is standard input [default: any]
    #[arg(long, value_name = "FILE")]
    pub(crate) tools: Option<PathBuf>,
}
