//! Creates tools from async functions, deriving the JSON schema for the model from the argument
//! types.
//!
//! ```toml
//! [dependencies]
//! schemars = "1"
//! serde = { version = "1", features = ["derive"] }
//! silcrow-tool = "0.1"
//! silcrow-typed = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_tool::{CallContext, Tool as _, ToolArgs};
//! use silcrow_typed::{tool_fn, typed};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), silcrow_tool::ToolError> {
//!     let add = tool_fn("add", "Adds two numbers.", ["a", "b"], |a: i64, b: i64| async move {
//!         Ok((a + b).to_string())
//!     });
//!
//!     #[derive(serde::Deserialize, schemars::JsonSchema)]
//!     #[serde(deny_unknown_fields)]
//!     struct Repeat {
//!         /// The text to repeat.
//!         text: String,
//!         /// How often.
//!         #[schemars(range(max = 10))]
//!         times: usize,
//!     }
//!
//!     let repeat = typed("repeat", "Repeats a text.", |Repeat { text, times }, _| async move {
//!         Ok(text.repeat(times))
//!     });
//!
//!     let context = CallContext::new("a conversation", "a1");
//!     let output = add.call(ToolArgs::new(r#"{"a": 2, "b": 3}"#), &context).await?;
//!     assert_eq!(output.content, "5");
//!     let output = repeat.call(ToolArgs::new(r#"{"text": "ab", "times": 2}"#), &context).await?;
//!     assert_eq!(output.content, "abab");
//!     Ok(())
//! }
//! ```
//!
//! [`tool_fn`] takes a function of a few arguments, and their names. [`typed`] takes a function of
//! the call's context and one struct, whose fields have descriptions and limits. In both, `serde`
//! reads the arguments and `schemars` makes the schema.
//!
//! With the feature `validator`, `SchemaValidator` checks the calls of any tool against all of JSON
//! Schema. Without it, `silcrow_tool::BasicValidator` checks the most common keywords, and the
//! function's types check the rest. The feature adds 57 crates, so it is off by default.
//!
//! This crate has no macros, and runs nothing on its own. The function has to check conditions that
//! a schema cannot express, such as one number being less than another.

mod function;
mod schema;
mod typed;
#[cfg(feature = "validator")]
mod validator;

pub use function::{NamedArgs, ToolFunction, tool_fn};
pub use typed::{Typed, typed};
#[cfg(feature = "validator")]
pub use validator::SchemaValidator;
