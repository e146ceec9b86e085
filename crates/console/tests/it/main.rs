//! What a person sees and does at a terminal, on an emulated one: no process, no pseudo-terminal.

mod calls;
mod edit;
mod keys;
mod lines;
mod loops;
mod modes;
mod picker;
mod printer;
mod questions;
mod support;
mod window;
