//! Tools from functions, and whole schemas, through the public interface.

#[cfg(feature = "validator")]
mod broken;
mod function;
mod schema;
mod tool;
#[cfg(feature = "validator")]
mod validator;

#[cfg(feature = "validator")]
use silcrow_tool::{ToolError, Validator as _};
#[cfg(feature = "validator")]
use silcrow_typed::SchemaValidator;

#[cfg(feature = "validator")]
/// Returns the message about arguments that do not fit, without the words that always come first.
fn wrong(schema: &str, args: &str) -> String {
    let why = SchemaValidator::new().check(schema, args).expect_err(args).to_string();
    why.strip_prefix("the arguments do not fit: ").unwrap_or(&why).to_owned()
}

#[cfg(feature = "validator")]
fn check(schema: &str, args: &str) -> Result<(), ToolError> {
    SchemaValidator::new().check(schema, args)
}
