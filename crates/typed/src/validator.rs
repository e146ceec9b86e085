//! A validator for the whole of JSON schema.
//!
//! This module compiles schemas and keeps them in a cache. It does not word errors for the model,
//! which `messages` does.

mod messages;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use silcrow_tool::{ArgumentErrors, ToolError, Validator};

/// A validator that checks arguments against the whole of a JSON schema.
///
/// The schema is read as draft 2020-12, or as the draft that `$schema` names. It is compiled once;
/// at most 256 compiled schemas are kept. Nothing is fetched, so a schema that refers to another
/// document is rejected. For arguments of more than 128 KiB, only the first error is reported.
///
/// A schema can be written so that checking it never ends. Use this validator for tools whose
/// authors are trusted.
///
/// ```
/// use silcrow_tool::Validator as _;
/// use silcrow_typed::SchemaValidator;
///
/// let validator = SchemaValidator::new();
/// let schema = r#"{"properties":{"n":{"type":"integer","minimum":1}}}"#;
/// assert!(validator.check(schema, r#"{"n":1}"#).is_ok());
/// let error = validator.check(schema, r#"{"n":0}"#).unwrap_err();
/// assert!(error.to_string().contains("n"), "{error}");
/// ```
#[derive(Default)]
pub struct SchemaValidator {
    /// The compiled schemas by their text.
    compiled: Mutex<HashMap<String, Arc<CompileResult>>>,
}

type CompileResult = Result<CompiledSchema, ToolError>;

struct CompiledSchema {
    text: Value,
    validator: jsonschema::Validator,
}

impl SchemaValidator {
    /// Creates a validator that has compiled no schema yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn compiled(&self, schema: &str) -> Arc<CompileResult> {
        let lock = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(schema) {
            return Arc::clone(known);
        }
        // Compiling takes a while, so it is done without the lock.
        let result = Arc::new(compile(schema));
        let mut compiled = lock();
        if compiled.len() >= MAX_COMPILED {
            compiled.clear();
        }
        compiled.insert(schema.to_owned(), Arc::clone(&result));
        result
    }
}

impl Validator for SchemaValidator {
    fn check(&self, schema: &str, args: &str) -> Result<(), ToolError> {
        let compiled = self.compiled(schema);
        let schema = compiled.as_ref().as_ref().map_err(Clone::clone)?;
        let value: Value = serde_json::from_str(args).map_err(|error| {
            ToolError::new(format!("the arguments are not valid JSON: {error}"))
        })?;
        let mut argument_errors = ArgumentErrors::new();
        if !value.is_object() {
            argument_errors.must_be_of("", &["object"], &value);
        } else if args.len() <= MAX_LISTED {
            let errors: Vec<_> = schema.validator.iter_errors(&value).collect();
            messages::write(schema, &errors, &mut argument_errors);
        } else if let Err(error) = schema.validator.validate(&value) {
            messages::write(schema, &[error], &mut argument_errors);
        }
        argument_errors.into_result()
    }
}

fn compile(schema: &str) -> CompileResult {
    let broken = |why: String| {
        let why = format!("{why}; no arguments can be right, so do without this tool");
        ToolError::new(format!("the tool's own schema is {why}"))
    };
    let text = serde_json::from_str(schema)
        .map_err(|error| broken(format!("not valid JSON ({error})")))?;
    // Stay offline, even if another crate turns on features of `jsonschema`.
    let validator = jsonschema::options().offline().build(&text);
    let validator = validator.map_err(|error| broken(format!("not a JSON schema ({error})")))?;
    Ok(CompiledSchema { text, validator })
}

impl fmt::Debug for SchemaValidator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("SchemaValidator").field("compiled", &compiled.len()).finish()
    }
}

/// The maximum number of compiled schemas that are kept.
const MAX_COMPILED: usize = 256;

/// The length of the longest arguments, in bytes, whose errors are all reported. Two bytes of
/// arguments can cause an error of hundreds of bytes.
const MAX_LISTED: usize = 128 << 10;
