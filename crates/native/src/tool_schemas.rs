//! The schemas of tools, which give types to arguments that have none.
//!
//! This module finds the types that a schema permits, through references and unions. It does not
//! check values.

use std::collections::HashMap;

use serde_json::Value;

/// The schemas of the arguments of tools, by the names of the tools.
///
/// ```
/// use serde_json::json;
/// use silcrow_native::ToolSchemas;
///
/// let schema = json!({"type": "object", "properties": {"days": {"type": "integer"}}});
/// let tools = ToolSchemas::new().with_tool("forecast", schema);
/// assert!(tools.contains("forecast"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolSchemas {
    tools: HashMap<String, Value>,
}

impl ToolSchemas {
    /// Creates an empty set of schemas, with which every argument without a type is a string.
    ///
    /// ```
    /// assert!(!silcrow_native::ToolSchemas::new().contains("forecast"));
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. `parameters` is the JSON schema of its arguments, which is an object.
    #[must_use]
    pub fn with_tool(mut self, name: impl Into<String>, parameters: Value) -> Self {
        self.tools.insert(name.into(), parameters);
        self
    }

    /// Returns whether a tool has a schema.
    pub fn contains(&self, name: &str) -> bool {
        self.tools.contains_key(name)
    }

    /// Returns the schema of a tool.
    pub(crate) fn get(&self, name: &str) -> Option<SchemaNode<'_>> {
        let root = self.tools.get(name)?;
        Some(SchemaNode { root, node: root })
    }
}

/// A part of a schema, and the whole schema, where its references are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaNode<'a> {
    root: &'a Value,
    node: &'a Value,
}

/// The types that a schema permits, in the schema's order, and its literals.
#[derive(Debug, Default)]
pub(crate) struct PermittedTypes<'a> {
    pub(crate) names: Vec<&'a str>,
    pub(crate) literals: Vec<&'a Value>,
}

impl<'a> SchemaNode<'a> {
    /// Returns the schema of a member of an object.
    pub(crate) fn member(self, key: &str) -> Option<Self> {
        self.alternatives().into_iter().find_map(|one| {
            let member = one.node.get("properties").and_then(|all| all.get(key));
            let other = || one.node.get("additionalProperties").filter(|node| node.is_object());
            member.or_else(other).map(|node| Self { node, ..one })
        })
    }

    /// Returns the schema of the items of a list.
    pub(crate) fn items(self) -> Option<Self> {
        self.alternatives()
            .into_iter()
            .find_map(|one| one.node.get("items").map(|node| Self { node, ..one }))
    }

    /// Returns the types and literals that it permits. Both are empty if it permits everything.
    pub(crate) fn permitted(self) -> PermittedTypes<'a> {
        let mut permitted = PermittedTypes::default();
        for one in self.alternatives() {
            match one.node.get("type") {
                Some(Value::String(name)) => permitted.add(name),
                Some(Value::Array(names)) => {
                    names.iter().filter_map(Value::as_str).for_each(|name| permitted.add(name));
                }
                _ if one.node.get("properties").is_some() => permitted.add("object"),
                _ if one.node.get("items").is_some() => permitted.add("array"),
                _ => {}
            }
            let literals = one.node.get("enum").and_then(Value::as_array);
            let all = literals.into_iter().flatten().chain(one.node.get("const"));
            permitted.literals.extend(all);
        }
        if permitted.names.is_empty() {
            for literal in permitted.literals.clone() {
                permitted.add(type_name(literal));
            }
        }
        permitted
    }

    /// Returns the schema with its references followed and its unions taken apart.
    fn alternatives(self) -> Vec<Self> {
        let (mut found, mut left) = (Vec::new(), vec![self]);
        // A reference may lead to itself.
        let mut steps = 0;
        while let Some(one) = left.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                break;
            }
            if let Some(name) = one.node.get("$ref").and_then(Value::as_str) {
                let path = name.strip_prefix('#').unwrap_or_default();
                left.extend(one.root.pointer(path).map(|node| Self { node, ..one }));
                continue;
            }
            found.push(one);
            for key in ["anyOf", "oneOf", "allOf"] {
                let all = one.node.get(key).and_then(Value::as_array).into_iter().flatten();
                left.extend(all.rev().map(|node| Self { node, ..one }));
            }
        }
        found
    }
}

impl<'a> PermittedTypes<'a> {
    fn add(&mut self, name: &'a str) {
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Returns whether it permits a type.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// Returns whether it permits strings and nothing else, or says nothing.
    pub(crate) fn is_text(&self) -> bool {
        self.names.iter().all(|name| *name == "string")
            && self.literals.iter().all(|literal| literal.is_string())
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The number of references and alternatives of one schema that are followed.
const MAX_STEPS: usize = 1024;
