//! The arguments of `silcrow dev rehearse`, as clap reads them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use silcrow_parser::Dialect;

use super::values::{dialect, rate};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Stubs are a JSON object from the id of an action, or the name of a tool, to one of
  {\"ms\":10,\"ok\":VALUE}                     ends well after 10 ms
  {\"ms\":10,\"fail\":\"why\"}                  fails
  {\"ms\":10,\"fail_times\":2,\"ok\":VALUE}      fails twice first
  {\"hang\":true}                           never ends
A call without a stub takes 10 ms and returns the text `ID:ok`. A token is 4 characters.")]
pub(crate) struct RehearseArgs {
    /// The wire form: sigil, phase or action
    #[arg(long, default_value = "sigil", value_parser = dialect)]
    pub(crate) dialect: Dialect,
    /// Let delimiters count anywhere in a line (sigil)
    #[arg(long)]
    pub(crate) inline: bool,
    /// Stubs in place of the tools: a JSON file [default: every call succeeds]
    #[arg(long, value_name = "FILE")]
    pub(crate) stubs: Option<PathBuf>,
    /// The values that names have from the start: a JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) vars: Option<String>,
    /// How many calls may run at once
    #[arg(long, value_name = "N", default_value = "16")]
    pub(crate) max_parallel: NonZeroUsize,
    /// How many tokens of text arrive each second; 0 means all at once
    #[arg(long, value_name = "N", default_value = "0", value_parser = rate)]
    pub(crate) rate: f64,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// Wire text; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
}
