//! A tool from an async function and a struct of its arguments.
//!
//! ```
//! use silcrow_exec::{ToolArgs, CallContext, ToolOutput, Tool as _};
//! use silcrow_typed::typed;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Add {
//!     a: i64,
//!     b: i64,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), silcrow_exec::ToolError> {
//! let add = typed("add", "Adds two numbers.", |Add { a, b }, _| async move {
//!     Ok(ToolOutput::new("added", (a + b).to_string()))
//! });
//!
//! let context = CallContext::new("a conversation", "a1");
//! let output = add.call(ToolArgs::new(r#"{"a": 2, "b": 3}"#), &context).await?;
//! assert_eq!(output.content, "5");
//! # Ok(())
//! # }
//! ```
//!
//! The struct says what the model may write: `serde` reads it, `schemars` makes the JSON schema
//! that the model sees, with the comments on fields as descriptions. [`Schemas`] holds calls of any
//! tool, also one that is not made here, against the whole of its schema, where the validator of
//! `silcrow-exec` knows the most common part.
//!
//! It has no macro, runs nothing by itself, and fetches nothing: a schema that refers to another
//! document is refused. What a schema cannot say, such as that one number is less than another, is
//! for the function to refuse with a failure.

mod schema;
mod schemas;
mod tool;
mod words;

pub use schemas::Schemas;
pub use tool::{Typed, typed};
