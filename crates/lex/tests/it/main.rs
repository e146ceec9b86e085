//! The lexer through its public interface.

mod action;
mod edges_bytes;
mod edges_phase;
mod edges_search;
mod edges_sigil;
mod notation;
mod options;
mod page;
mod pending;
mod splits;
