//! The operations of a service: the form of their calls, and their parsing.
//!
//! A service is one tool with several declared operations, such as the requests of an HTTP API or
//! the statements of a database. Other crates carry the operations out.

use serde_json::{Map, Value, json};

use crate::tool_output::ToolError;

/// An operation of a service, as a call names it: `{"operation": NAME, …parameters}`.
///
/// ```
/// use silcrow_tool::{ServiceOperation, ServiceOperations, ServiceParameter};
///
/// let city = ServiceParameter::parse("city").unwrap();
/// let days = ServiceParameter::parse("days:integer?").unwrap();
/// let forecast = ServiceOperation::new("forecast", "The weather of the next days.", [city, days]);
/// let operations = ServiceOperations::new([forecast]);
/// let (operation, given) = operations.read(r#"{"operation":"forecast","city":"Bern"}"#).unwrap();
/// assert_eq!((operation, given["city"].as_str()), (0, Some("Bern")));
/// let why = operations.read(r#"{"operation":"forecast"}"#).unwrap_err().into_words();
/// assert_eq!(why, "`forecast` needs `city`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceOperation {
    /// The name in calls.
    pub name: String,
    /// A sentence about its effect.
    pub description: String,
    /// The parameters, in the order of their declarations.
    pub parameters: Vec<ServiceParameter>,
}

/// A parameter of an operation.
///
/// ```
/// use silcrow_tool::ServiceParameter;
///
/// let days = ServiceParameter::parse("days:integer?").unwrap();
/// assert_eq!((&*days.name, days.kind.as_deref()), ("days", Some("integer")));
/// assert!(!days.is_required);
/// let why = ServiceParameter::parse("days:number-of-days").unwrap_err();
/// assert!(why.starts_with("unknown type `number-of-days`; use one of "), "{why}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceParameter {
    /// The name.
    pub name: String,
    /// The type of its JSON value; any without one.
    pub kind: Option<String>,
    /// Whether every call has it.
    pub is_required: bool,
}

/// The operations of a service, with the description and the schema of its tool.
///
/// ```
/// use silcrow_tool::{ServiceOperation, ServiceOperations, ServiceParameter};
///
/// let city = ServiceParameter::parse("city").unwrap();
/// let forecast = ServiceOperation::new("forecast", "The next days.", [city]);
/// let operations = ServiceOperations::new([forecast]);
/// let description = "The weather. Operations: forecast(city): The next days.";
/// assert_eq!(operations.description("The weather."), description);
/// assert!(operations.schema().contains(r#""enum":["forecast"]"#));
/// ```
#[derive(Clone, Debug)]
pub struct ServiceOperations {
    operations: Vec<ServiceOperation>,
    schema: String,
}

impl ServiceOperation {
    /// Creates an operation.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl IntoIterator<Item = ServiceParameter>,
    ) -> Self {
        let (name, description) = (name.into(), description.into());
        Self { name, description, parameters: parameters.into_iter().collect() }
    }

    /// Returns the operation on one line, for the model.
    fn to_line(&self) -> String {
        let parameters = self.parameters.iter().map(|parameter| {
            let optional = if parameter.is_required { "" } else { "?" };
            format!("{}{optional}", parameter.name)
        });
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        format!("{}({parameters}): {}", self.name, self.description.trim_end_matches('.'))
    }
}

impl ServiceParameter {
    /// Reads a parameter as declarations write it: `NAME`, `NAME:TYPE`, and with `?` if a call may
    /// leave it out. A type is one of JSON schema.
    ///
    /// # Errors
    ///
    /// Returns the error in it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (text, is_required) = match text.strip_suffix('?') {
            Some(text) => (text, false),
            None => (text, true),
        };
        let (name, kind) = match text.split_once(':') {
            Some((name, kind)) => (name, Some(kind)),
            None => (text, None),
        };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_word) {
            return Err("a parameter is a name, such as `city`, `days:integer` or `days?`".into());
        }
        if name == OPERATION {
            return Err("`operation` names the operation; call the parameter otherwise".into());
        }
        if let Some(kind) = kind
            && !TYPES.contains(&kind)
        {
            return Err(format!("unknown type `{kind}`; use one of {}", TYPES.join(", ")));
        }
        Ok(Self { name: name.to_owned(), kind: kind.map(str::to_owned), is_required })
    }
}

impl ServiceOperations {
    /// Creates the operations of a service.
    pub fn new(operations: impl IntoIterator<Item = ServiceOperation>) -> Self {
        let operations: Vec<_> = operations.into_iter().collect();
        let names: Vec<_> = operations.iter().map(|operation| &*operation.name).collect();
        let mut properties = Map::new();
        properties.insert(OPERATION.to_owned(), json!({"type": "string", "enum": names}));
        for parameter in operations.iter().flat_map(|operation| &operation.parameters) {
            let kind =
                parameter.kind.as_ref().map_or_else(|| json!({}), |kind| json!({"type": kind}));
            match properties.entry(parameter.name.clone()) {
                serde_json::map::Entry::Vacant(entry) => drop(entry.insert(kind)),
                // Two operations want other types: any is right for one of them.
                serde_json::map::Entry::Occupied(mut entry) if *entry.get() != kind => {
                    entry.insert(json!({}));
                }
                serde_json::map::Entry::Occupied(_) => {}
            }
        }
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": [OPERATION],
            "additionalProperties": false,
        });
        Self { schema: schema.to_string(), operations }
    }

    /// Returns the operations.
    pub fn operations(&self) -> &[ServiceOperation] {
        &self.operations
    }

    /// Returns the schema of the arguments of a call.
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Returns the description of the tool: `about`, and the operations.
    pub fn description(&self, about: &str) -> String {
        let lines = self.operations.iter().map(ServiceOperation::to_line);
        let lines = lines.collect::<Vec<_>>().join("; ");
        format!("{} Operations: {lines}.", about.trim())
    }

    /// Reads the arguments of a call: the index of the operation and its parameters, by name.
    ///
    /// # Errors
    ///
    /// Returns a failure for the model about a missing operation, a parameter that it does not have
    /// or a value of another type, and a missing parameter.
    pub fn read(&self, args: &str) -> Result<(usize, Map<String, Value>), ToolError> {
        let not_read =
            |why: serde_json::Error| ToolError::new(format!("the arguments do not fit: {why}"));
        let mut given: Map<String, Value> = serde_json::from_str(args).map_err(not_read)?;
        let names = || {
            let names = self.operations.iter().map(|operation| format!("`{}`", operation.name));
            names.collect::<Vec<_>>().join(", ")
        };
        let Some(Value::String(name)) = given.remove(OPERATION) else {
            return Err(ToolError::new(format!("`operation` is missing: one of {}", names())));
        };
        let found = self.operations.iter().position(|operation| operation.name == name);
        let index = found.ok_or_else(|| {
            ToolError::new(format!("unknown operation `{name}`; use one of {}", names()))
        })?;
        let parameters = &self.operations[index].parameters;
        given.retain(|_, value| !value.is_null());
        if let Some(key) = given.keys().find(|key| parameters.iter().all(|one| one.name != **key)) {
            return Err(ToolError::new(format!("`{name}` has no parameter `{key}`")));
        }
        for parameter in parameters {
            match given.get(&parameter.name) {
                None if parameter.is_required => {
                    return Err(ToolError::new(format!("`{name}` needs `{}`", parameter.name)));
                }
                Some(value) if !fits(value, parameter.kind.as_deref()) => {
                    let kind = parameter.kind.as_deref().unwrap_or_default();
                    let why = format!("`{}` of `{name}` is not of the type {kind}", parameter.name);
                    return Err(ToolError::new(why));
                }
                _ => {}
            }
        }
        Ok((index, given))
    }
}

/// Returns whether a value is of a type of JSON schema.
fn fits(value: &Value, kind: Option<&str>) -> bool {
    match kind {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

/// The key of the operation's name.
const OPERATION: &str = "operation";

/// The types that a parameter may have.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];
