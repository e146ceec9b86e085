//! A small, bounded expression language over JSON values, in the syntax of the Common Expression
//! Language.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-expression = "0.1"
//! ```
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use silcrow_event::CallEnd;
//! use silcrow_expression::{EvaluationScope, Expression, ExpressionValue};
//!
//! struct Outputs(BTreeMap<&'static str, ExpressionValue>);
//!
//! impl EvaluationScope for Outputs {
//!     fn variable(&self, name: &str) -> Option<ExpressionValue> {
//!         self.0.get(name).cloned()
//!     }
//!
//!     fn end(&self, id: &str) -> Option<CallEnd> {
//!         (id == "list").then_some(CallEnd::Ok)
//!     }
//! }
//!
//! let files = r#"[{"path":"a.rs","size":90},{"path":"b.rs","size":1200}]"#;
//! let outputs = Outputs([("files", ExpressionValue::read(files).unwrap())].into());
//!
//! let big = Expression::parse("files.filter(f, f.size > 1000).map(f, f.path)").unwrap();
//! assert_eq!(big.evaluate(&outputs).unwrap().to_string(), r#"["b.rs"]"#);
//!
//! let test = Expression::parse("ok(list) and len($files) < 10").unwrap();
//! assert_eq!(test.evaluate(&outputs).unwrap(), ExpressionValue::Bool(true));
//!
//! let wrong = Expression::parse("files[0].size == '90'").unwrap();
//! let why = wrong.evaluate(&outputs).unwrap_err().to_string();
//! assert_eq!(why, "`==` compares a number with a string, at `== '90'`");
//! ```
//!
//! An [`Expression`] is parsed once and evaluated as often as needed. Its variables are the outputs
//! of calls, with or without a leading `$`; an [`EvaluationScope`] supplies their values. Control
//! blocks use expressions for tests, for the lists of loops, and for values (P-29, P-30). Labels
//! such as P-29 refer to clauses of [the protocol].
//!
//! ```text
//! source ─ Expression::parse ─► tree ─ evaluate, with a scope and limits ─► value
//!               │                              │
//!               └─────── ExpressionError ◄─────┘   a text for the model
//! ```
//!
//! # The language
//!
//! | | |
//! |---|---|
//! | literals | `null`, `true`, `12`, `1.5`, `"text"`, `'text'`, `[1, 2]`, `{"key": 1}` |
//! | variables | `files`, `$files`, `files[0].path`, `object["key"]` |
//! | operators | `? :`, `\|\|` or `or`, `&&` or `and`, `!` or `not`, `==` `!=` `<` `<=` `>` `>=` `in`, `+ - * / %` |
//! | ends of calls | `ok(id)`, `failed(id)`, `skipped(id)` |
//! | presence | `has(x.path)` or `exists(x.path)` |
//! | loops over a list, or over the keys of an object | `.all(x, test)`, `.exists(x, test)`, `.exists_one(x, test)`, `.filter(x, test)`, `.map(x, value)`, `.map(x, test, value)`, `.sortBy(x, key)` |
//! | lists | `size` or `len`, `sum`, `min`, `max`, `sort`, `distinct`, `flatten`, `reverse`, `slice(from, to)`, `join(between)`, `range(n)` |
//! | objects | `keys`, `values` |
//! | text | `size`, `contains`, `startsWith`, `endsWith`, `lowerAscii`, `upperAscii`, `trim`, `lines`, `split(at)`, `replace(from, to)`, `slice(from, to)` |
//! | types | `string`, `int`, `double`, `type`, `json(text)` |
//!
//! A function may also be written as a method: `len(x)` is `x.size()`. Types are strict: comparing
//! or joining values of different types is an error, except that anything can be compared with
//! `null`. Integer division rounds toward zero. `&&` and `||` ignore an error on one side if the
//! other side decides.
//!
//! # Names in text
//!
//! Text refers to an output as `$name`; `$$name` is the literal text `$name` (P-26). [`name_parts`]
//! finds the names, and the caller gives them their meaning.
//!
//! # Bounds
//!
//! An expression has at most [`MAX_SOURCE`] bytes and [`MAX_DEPTH`] levels. An evaluation is
//! limited in steps and bytes ([`EvaluationLimits`]); every node and every value it visits is a
//! step. So evaluation always ends, for any source.
//!
//! # What it does not do
//!
//! - It calls nothing and changes nothing: it has no clock, no randomness and no I/O.
//! - It has no regular expressions and no dates, and callers cannot add functions.
//! - It never panics: an expression that cannot be evaluated gives an [`ExpressionError`] for the
//!   model.
//! - It gives no meaning to blocks, calls or names; callers do.
//!
//! [the protocol]: https://github.com/silcrow/silcrow/blob/main/docs/protocol.md

#![warn(clippy::disallowed_types)]

mod compare;
mod error;
mod evaluate;
mod expression;
mod function;
mod functions;
mod json;
mod limits;
mod lists;
mod names;
mod operators;
mod parse;
mod scope;
mod syntax;
mod texts;
mod token;
mod value;

pub use error::ExpressionError;
pub use expression::Expression;
pub use limits::EvaluationLimits;
pub use names::{NamePart, begins_name, continues_name, name_len, name_parts};
pub use parse::MAX_SOURCE;
pub use scope::EvaluationScope;
pub use syntax::MAX_DEPTH;
pub use value::ExpressionValue;
