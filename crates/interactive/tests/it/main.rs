//! What a person sees of a chat and does in it, on an emulated terminal: no process, no pseudo-terminal.

mod asked;
mod commands;
mod conversations;
mod modes;
mod support;
mod window;
