//! The description of the endpoints, made of their table.

use serde_json::{Map, Value, json};

use super::{ROUTES, Route};

/// Returns the description in the form of OpenAPI 3.1.
pub(crate) fn description() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "silcrow",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Runs of agents, their events, and the questions that they ask.",
        },
        "paths": paths,
        "components": {
            "schemas": { "Error": error_schema() },
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "silcrow" },
            },
        },
    })
}

fn operation(route: &Route) -> Value {
    let in_path = route.path.contains("{id}").then(
        || json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }),
    );
    let in_query = route.query.iter().map(|(name, meaning)| {
        json!({
            "name": name, "in": "query", "description": meaning, "schema": { "type": "string" },
        })
    });
    let mut answer = json!({ "description": "It was done." });
    if route.status != 204 {
        answer["content"] = json!({ route.media: {} });
    }
    let error = json!({
        "description": "It was not done; the message says why.",
        "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Error" } },
        },
    });
    let mut operation = json!({
        "summary": route.summary,
        "parameters": in_path.into_iter().chain(in_query).collect::<Vec<_>>(),
        "responses": { route.status.to_string(): answer, "default": error },
        "security": if route.is_public { json!([]) } else { json!([{ "token": [] }, { "session": [] }]) },
    });
    if !route.body.is_empty() {
        operation["requestBody"] = json!({
            "content": { "application/json": { "schema": body_schema(route) } },
        });
    }
    operation
}

fn body_schema(route: &Route) -> Value {
    let mut members = Map::new();
    for (name, schema) in route.body {
        // The table has JSON only, which a test reads.
        members.insert((*name).to_owned(), serde_json::from_str(schema).unwrap_or_default());
    }
    json!({ "type": "object", "properties": members })
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string" },
                    "message": { "type": "string" },
                },
            },
            "run": { "type": "string" },
        },
    })
}
