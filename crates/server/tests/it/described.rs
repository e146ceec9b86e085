//! The description that a server gives of itself, which every answer in these tests has to be like.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Value, json};
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{CancellationToken, RunPlace, Server};
use silcrow_store::MemoryStore;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OnceCell;

/// The description, with a validator for each of its schemas.
pub(crate) struct Described {
    paths: Vec<(String, Value)>,
    schemas: HashMap<String, Validator>,
    /// The schema of an event.
    event: Value,
}

/// The answers that are described for a method at an address.
pub(crate) struct DescribedAnswers {
    place: String,
    answers: &'static Value,
    schemas: &'static HashMap<String, Validator>,
}

impl Described {
    /// Returns the description, which is the same for all servers of these tests.
    pub(crate) async fn get() -> &'static Self {
        DESCRIBED.get_or_init(Self::read).await
    }

    /// Asks a separate server, because another one may have no place for this.
    async fn read() -> Self {
        let store = Arc::new(MemoryStore::new());
        let agent = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store));
        let server = Server::new(store, move |_: &RunPlace| agent.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut socket = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let stop = CancellationToken::new();
        let stops = stop.clone();
        let served = tokio::spawn(async move { server.serve(listener, stops).await });
        let head = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).await.unwrap();
        stop.cancel();
        served.await.unwrap();
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        let whole: Value = serde_json::from_str(body).unwrap();
        let named = whole["components"]["schemas"].as_object().unwrap();
        let schemas = named.keys().map(|name| {
            let schema = json!({
                "$ref": format!("#/components/schemas/{name}"),
                "components": { "schemas": named },
            });
            (format!("#/components/schemas/{name}"), jsonschema::validator_for(&schema).unwrap())
        });
        let paths = whole["paths"].as_object().unwrap();
        let paths = paths.iter().map(|(path, methods)| (path.clone(), methods.clone()));
        let event = named["Event"].clone();
        Self { schemas: schemas.collect(), paths: paths.collect(), event }
    }

    /// Returns whether a value is as the schema of this name says.
    pub(crate) fn is_as(&self, name: &str, value: &Value) -> bool {
        self.schemas[&format!("#/components/schemas/{name}")].is_valid(value)
    }

    /// Returns the kinds of events among which clients choose by `type`.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let mapping = self.event["discriminator"]["mapping"].as_object().unwrap();
        mapping.keys().cloned().collect()
    }

    /// Returns the description of a request; `None` for an address that is not described.
    pub(crate) fn answers(&'static self, method: &str, path: &str) -> Option<DescribedAnswers> {
        let path = path.split('?').next().unwrap_or_default();
        let is_it = |template: &str| {
            let (one, other) = (template.split('/'), path.split('/'));
            one.clone().count() == other.clone().count()
                && one.zip(other).all(|(one, other)| one == other || one.starts_with('{'))
        };
        let (_, methods) = self.paths.iter().find(|(template, _)| is_it(template))?;
        let answers = &methods.get(method.to_ascii_lowercase())?["responses"];
        let place = format!("{method} {path}");
        Some(DescribedAnswers { place, answers, schemas: &self.schemas })
    }
}

impl DescribedAnswers {
    /// Checks a whole answer.
    pub(crate) fn check(&self, status: u16, head: &str, body: &str) {
        // A head that is far too long is answered before anything of this server reads it.
        if status == 431 && body.is_empty() {
            return;
        }
        let described = self.answers.get(status.to_string());
        let described = described.or_else(|| self.answers.get("default").filter(|_| status >= 400));
        let described = described.unwrap_or_else(|| panic!("{}: {status} {body}", self.place));
        let Some(content) = described.get("content").and_then(Value::as_object) else {
            assert_eq!(body, "", "{}: {status} is described without a body", self.place);
            return;
        };
        let media = head.lines().find_map(|line| line.strip_prefix("content-type: "));
        let media = media.unwrap_or_else(|| panic!("{}: {status} without a type", self.place));
        let found = content.get(media).or_else(|| content.get("*/*"));
        let found = found.unwrap_or_else(|| panic!("{}: {status} is {media}", self.place));
        match media {
            "application/json" => {
                let body = serde_json::from_str(body).unwrap();
                self.validate(found, &body);
            }
            "text/event-stream" => {
                let data = body.lines().filter_map(|line| line.strip_prefix("data: "));
                data.for_each(|data| self.check_data(data));
            }
            _ => {}
        }
    }

    /// Checks the data of a message of a stream.
    pub(crate) fn check_data(&self, data: &str) {
        let data = serde_json::from_str(data).unwrap_or_else(|_| data.into());
        let content = &self.answers["200"]["content"]["text/event-stream"];
        assert!(content.is_object(), "{} is described without a stream", self.place);
        self.validate(content, &data);
    }

    fn validate(&self, content: &Value, value: &Value) {
        let Some(reference) = content["schema"]["$ref"].as_str() else { return };
        if let Err(error) = self.schemas[reference].validate(value) {
            panic!("{}: not as {reference}: {error}: {value}", self.place);
        }
    }
}

static DESCRIBED: OnceCell<Described> = OnceCell::const_new();
