//! Tools made of functions, and whole schemas, through a runner where one is due.

mod broken;
mod schema;
mod schemas;
mod tool;

use silcrow_exec::{ToolError, Validator as _};
use silcrow_typed::Schemas;

/// What is told of arguments that do not fit, without the words that always come first.
fn wrong(schema: &str, args: &str) -> String {
    let why = Schemas::new().check(schema, args).expect_err(args).to_string();
    why.strip_prefix("the arguments do not fit: ").unwrap_or(&why).to_owned()
}

fn check(schema: &str, args: &str) -> Result<(), ToolError> {
    Schemas::new().check(schema, args)
}
