//! Sessions at a terminal, as a person sees and uses them, on a real one of the kernel.

mod active;
mod attention;
mod checks;
mod ends;
mod first_minute;
pub(crate) mod handed_over;
mod hooked;
mod keys;
mod modes;
mod patience;
mod pictures;
mod planned;
mod profile;
mod questions;
mod session;
mod slow_line;
mod subagents;
mod titles;
mod tool;
mod typed;
mod window;

use crate::support::Sandbox;
pub(crate) use window::{TerminalWindow, exit_code};

/// The model that plays a script, for a window in which things happen in the same order each time.
fn script(sandbox: &Sandbox, text: &str) -> String {
    format!("script:{}", sandbox.write("script", text))
}
