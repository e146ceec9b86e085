//! The parser through its public interface.

mod action;
mod action_written;
mod attempts;
mod attempts_honest;
mod attempts_laws;
mod bless;
mod call_text;
mod cases;
mod cut_off;
mod edges;
mod laws;
mod native_thought;
mod oracle;
mod own;
mod page;
mod parse;
mod prompt;
mod surface;
mod tokens;
mod written;

/// L-3 is checked for one text in this many: for every text.
const PROMPT_SHARE: u64 = 1;
