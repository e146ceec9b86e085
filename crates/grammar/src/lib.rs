//! Exports the dialects as grammars for constrained decoding.
//!
//! A server with constrained decoding lets a model write only texts that a grammar accepts.
//! [`grammar`] returns such a grammar for a dialect, so that every turn is well-formed and parses
//! without diagnostics.
//!
//! ```toml
//! [dependencies]
//! silcrow-grammar = "0.1"
//! ```
//!
//! ```
//! use silcrow_grammar::{Dialect, GrammarFormat, grammar};
//!
//! // Send this with a request to llama.cpp, in the field `grammar`.
//! let tools = ["file_list", "file_read"];
//! let gbnf = grammar(Dialect::Sigil, GrammarFormat::Gbnf, Some(&tools));
//! assert!(gbnf.starts_with("root ::= turn\n"));
//! assert!(gbnf.contains(r#"name ::= "\"file_list\"" | "\"file_read\"""#));
//! ```
//!
//! One definition serves both formats:
//!
//! ```text
//! sigil  phase  action      the rules of a turn, one file per dialect
//!        │
//!    text  json             regular expressions with `&` and `~`, JSON of bounded depth
//!        │
//!        ├──► lark          prints the expressions as they are
//!        └──► automaton ──► gbnf
//!                           prints the states of the smallest automaton as rules
//! ```
//!
//! [The page on grammars] lists the grammars' bounds and cost. Labels such as P-15 refer to clauses
//! of [the protocol].
//!
//! # What it does not do
//!
//! - It expresses only part of a tool's schema ([`grammar_of_tools`]): no patterns, and no bounds
//!   of numbers.
//! - It does not read wire text: `silcrow-parser` does.
//! - It does not decode, and it depends on no engine: a grammar is a string.
//! - It does not fail: every dialect has a grammar, with any tools.
//!
//! [The page on grammars]: https://github.com/silcrow/silcrow/blob/main/docs/grammar.md
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md

#![warn(clippy::disallowed_types)]

mod action;
mod arguments;
mod automaton;
mod blocks;
mod char_set;
mod choices;
mod export;
mod format;
mod gbnf;
mod gbnf_spelling;
mod grammar_tool;
mod json;
mod lark;
mod phase;
mod regex;
mod rules;
mod schema;
mod shared_choices;
mod sigil;
mod state_rules;
mod text;
mod turn;

pub use silcrow_lex::Dialect;

pub use export::{grammar, grammar_of_tools};
pub use format::{GrammarFormat, UnknownGrammarFormat};
pub use grammar_tool::GrammarTool;
