use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use silcrow_exec::{ArgumentErrors, ToolError, Validator};

use crate::words;

/// Holds arguments against the whole of a JSON schema (draft 2020-12, or what `$schema` says).
///
/// What it makes of a schema is kept, for the 256 schemas that it met last or so. Nothing is
/// fetched: a schema that refers to another document is refused. Of arguments of more than 128 KiB
/// one mistake is told. The cost of a check is the schema's own: one that is made to take for ever
/// does, so it is for tools whose maker is trusted.
#[derive(Default)]
pub struct Schemas {
    /// By the text of the schema.
    known: Mutex<HashMap<String, Arc<Known>>>,
}

/// What was made of a schema: itself, or why it is broken.
type Known = Result<Schema, ToolError>;

/// A schema that is ready for use.
pub(crate) struct Schema {
    pub(crate) text: Value,
    validator: jsonschema::Validator,
}

/// Schemas that are kept at most.
const MAX_KNOWN: usize = 256;

/// Bytes of arguments of which all mistakes are listed, and not only one: each of two bytes can be
/// a mistake, which takes hundreds.
const MAX_LISTED: usize = 128 << 10;

impl Schemas {
    /// One that knows no schema yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn known(&self, schema: &str) -> Arc<Known> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(schema) {
            return Arc::clone(known);
        }
        // It takes a while, so that others are not held up by it.
        let made = Arc::new(read(schema));
        let mut known = lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(schema.to_owned(), Arc::clone(&made));
        made
    }
}

impl Validator for Schemas {
    fn check(&self, schema: &str, args: &str) -> Result<(), ToolError> {
        let known = self.known(schema);
        let schema = known.as_ref().as_ref().map_err(Clone::clone)?;
        let value: Value = serde_json::from_str(args).map_err(|error| {
            ToolError::new(format!("the arguments are not valid JSON: {error}"))
        })?;
        let mut mistakes = ArgumentErrors::new();
        if !value.is_object() {
            mistakes.must_be_of("", &["object"], &value);
        } else if args.len() <= MAX_LISTED {
            let errors: Vec<_> = schema.validator.iter_errors(&value).collect();
            words::tell(schema, &errors, &mut mistakes);
        } else if let Err(error) = schema.validator.validate(&value) {
            words::tell(schema, &[error], &mut mistakes);
        }
        mistakes.into_result()
    }
}

fn read(schema: &str) -> Known {
    let broken = |why: String| {
        let why = format!("{why}; no arguments can be right, so do without this tool");
        ToolError::new(format!("the tool's own schema is {why}"))
    };
    let text = serde_json::from_str(schema)
        .map_err(|error| broken(format!("not valid JSON ({error})")))?;
    // Offline whatever features another crate of the build asks for.
    let validator = jsonschema::options().offline().build(&text);
    let validator = validator.map_err(|error| broken(format!("not a JSON schema ({error})")))?;
    Ok(Schema { text, validator })
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Schemas").field("known", &known.len()).finish()
    }
}
