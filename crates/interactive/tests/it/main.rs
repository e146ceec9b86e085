//! Chats, runs and calls, as a person sees and uses them, on an emulated terminal: without a
//! pseudo-terminal, and with processes only for commands.

mod asked;
mod attached;
mod calls;
mod commands;
mod conversations;
mod emulator;
mod hooks;
mod kept;
mod keys;
mod leaving;
mod misbehaviour;
mod modes;
mod processes;
mod queued;
mod recordings;
mod run_window;
mod subagents;
mod support;
mod tool;
mod usual_calls;
mod window;
