//! The lexer through its public interface.

mod action;
mod shown;
