//! Runs at an emulated terminal, as a person sees and uses them, without a process or a
//! pseudo-terminal.

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
