//! The parser through its public interface.

mod action;
mod action_written;
mod attempts;
mod attempts_laws;
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
