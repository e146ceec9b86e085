//! The description of the endpoints, made of their table.

use serde_json::{Map, Value, json};

use super::event_schemas;
use super::table::{ROUTES, Route, RouteAnswer};

/// Returns the description in the form of OpenAPI 3.1. The page is a part of it if it is served.
pub(crate) fn description(has_page: bool) -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method] = operation(route);
    }
    if has_page {
        paths.insert(
            "/".to_owned(),
            json!({ "get": page("The page for browsers.", "text/html; charset=utf-8", &[]) }),
        );
        let file = [in_path("file")];
        paths.insert(
            "/page/{file}".to_owned(),
            json!({ "get": page("A file of the page for browsers.", "*/*", &file) }),
        );
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
            "schemas": schemas(),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "silcrow" },
            },
        },
    })
}

fn operation(route: &Route) -> Value {
    let of_path = ["id", "hash"].into_iter().filter(|name| {
        let place = format!("{{{name}}}");
        route.path.contains(&place)
    });
    let of_path = of_path.map(in_path);
    let in_query = route.query.iter().map(|(name, meaning)| {
        json!({
            "name": name, "in": "query", "description": meaning, "schema": { "type": "string" },
        })
    });
    let mut answers = json!({ "default": error(route.path) });
    for answer in route.answers {
        let described = &mut answers[answer.status.to_string()];
        described["description"] = "It was done.".into();
        if !answer.media.is_empty() {
            let schema = match answer.schema {
                "" => json!({ "type": "string" }),
                _ => reference(answer),
            };
            described["content"][answer.media] = json!({ "schema": schema });
        }
    }
    let mut operation = json!({
        "summary": route.summary,
        "parameters": of_path.chain(in_query).collect::<Vec<_>>(),
        "responses": answers,
        "security": if route.is_public { json!([]) } else { json!([{ "token": [] }, { "session": [] }]) },
    });
    if !route.body.is_empty() {
        let schema = json!({ "$ref": format!("#/components/schemas/{}", route.body) });
        operation["requestBody"] =
            json!({ "content": { "application/json": { "schema": schema } } });
    }
    operation
}

fn in_path(name: &str) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
}

/// Refers to the schema of a body, or of the data of each message of a stream.
fn reference(answer: &RouteAnswer) -> Value {
    json!({ "$ref": format!("#/components/schemas/{}", answer.schema) })
}

fn error(path: &str) -> Value {
    // Clients of OpenAI read another form.
    let schema = if path.starts_with("/v1/") { "OpenAiError" } else { "Error" };
    let schema = json!({ "$ref": format!("#/components/schemas/{schema}") });
    json!({
        "description": "It was not done; the message says why.",
        "content": { "application/json": { "schema": schema } },
    })
}

fn page(summary: &str, media: &str, parameters: &[Value]) -> Value {
    json!({
        "summary": summary,
        "parameters": parameters,
        "responses": {
            "200": { "description": "The file.", "content": { media: {} } },
            "304": { "description": "The client has the file already." },
            "default": error("/"),
        },
        "security": [],
    })
}

/// Returns the schemas by their names.
fn schemas() -> Map<String, Value> {
    // The file is JSON, which a test reads.
    let mut schemas = serde_json::from_str(include_str!("schemas.json")).unwrap_or_default();
    event_schemas::add_to(&mut schemas);
    schemas
}
