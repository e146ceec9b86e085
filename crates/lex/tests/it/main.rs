//! The lexer through its public interface.

mod action;
mod page;
mod shown;
