//! The exported grammars, compared with the parser.
//!
//! The Lark format runs in a real engine, GBNF in our own recogniser; both must always agree.

mod agreement;
mod engine;
mod every;
mod gbnf;
mod generated;
mod judge;
mod listed;
mod parse;
mod schemas;
