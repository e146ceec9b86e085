//! An HTTP API as one tool: a declared base address, and operations with parameters.
//!
//! This module turns a call into a request. The fetcher checks which addresses may be reached.

use std::collections::BTreeMap;
use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::Method;
use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};
use silcrow_event::{Json, Truncation};
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, ServiceOperation, ServiceOperations, Tool, ToolArgs,
    ToolError, ToolOutput, ToolPolicy,
};

use crate::error::{Error, ErrorKind};
use crate::failure::failed;
use crate::fetcher::{FetchRequest, Fetcher};
use crate::media_type::{MediaKind, MediaType};
use crate::page;
use crate::search_key::SearchKey;
use crate::web_url::WebUrl;

/// An HTTP API as a tool: `name {operation, …parameters}`. It is the relic `http` of a manifest.
///
/// Every request goes below the base address, and to public addresses only, unless the fetcher allows
/// others. The key reaches the origin of the base address, and no message or output. Each call needs an
/// approval; one for the conversation covers its operation. An answer with a status from 400 on is a
/// failed call with the body as its output, and a redirect is followed within the host, for `GET` only.
///
/// ```
/// use silcrow_tool::{ServiceOperation, ServiceParameter, Tool as _};
/// use silcrow_web::{Fetcher, HttpOperation, HttpService, SearchKey};
///
/// let city = ServiceParameter::parse("city").unwrap();
/// let days = ServiceParameter::parse("days:integer?").unwrap();
/// let forecast = ServiceOperation::new("forecast", "The next days.", [city, days]);
/// let forecast = HttpOperation::new(forecast, "GET", "cities/{city}/forecast").unwrap();
/// let weather = HttpService::new("weather", "The weather.", "https://api.example.com/v1", [forecast]);
/// let key = SearchKey::new("Bearer hunter2").unwrap();
/// let weather = weather.unwrap().with_fetcher(Fetcher::new()).with_key("authorization", key).unwrap();
/// assert!(weather.description().contains("forecast(city, days?): The next days"));
/// ```
#[derive(Clone)]
pub struct HttpService {
    name: String,
    description: String,
    base: WebUrl,
    requests: Vec<HttpOperation>,
    operations: ServiceOperations,
    fetcher: Fetcher,
    key: Option<(HeaderName, SearchKey)>,
}

/// An operation of an [`HttpService`]: a method and a path.
///
/// ```
/// use silcrow_tool::{ServiceOperation, ServiceParameter};
/// use silcrow_web::{ErrorKind, HttpOperation};
///
/// let city = ServiceParameter::parse("city").unwrap();
/// let delete = ServiceOperation::new("delete", "Deletes a city.", [city]);
/// assert!(HttpOperation::new(delete.clone(), "DELETE", "cities/{city}").is_ok());
/// // The path has a parameter that the operation lacks.
/// let error = HttpOperation::new(delete, "DELETE", "cities/{town}").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Invalid);
/// ```
#[derive(Clone, Debug)]
pub struct HttpOperation {
    operation: ServiceOperation,
    method: Method,
    /// The segments of the path, where `{NAME}` stands for a parameter.
    path: Vec<String>,
}

impl HttpOperation {
    /// Creates an operation. In the path, below the base address, `{NAME}` is the value of a
    /// parameter. The other parameters are in the query of a `GET`, `DELETE` or `HEAD`, and in a body of
    /// JSON otherwise.
    ///
    /// # Errors
    ///
    /// Returns an error if the method is not one of these, `POST`, `PUT` or `PATCH`, or if the path
    /// names a parameter that every call need not have.
    pub fn new(operation: ServiceOperation, method: &str, path: &str) -> Result<Self, Error> {
        let invalid = |message: String| Err(Error::new(ErrorKind::Invalid, message));
        let methods =
            [Method::GET, Method::HEAD, Method::DELETE, Method::POST, Method::PUT, Method::PATCH];
        let Some(method) = methods.into_iter().find(|known| known.as_str() == method) else {
            return invalid(format!(
                "unknown method `{method}`; use GET, HEAD, DELETE, POST, PUT or PATCH"
            ));
        };
        let path = path.split('/').filter(|segment| !segment.is_empty());
        let path: Vec<String> = path.map(str::to_owned).collect();
        for segment in &path {
            if matches!(&**segment, "." | "..") || segment.contains(['?', '#', '\\']) {
                return invalid(format!("the path has `{segment}`; write what is below the base"));
            }
            for name in names_in(segment) {
                let parameter = operation.parameters.iter().find(|one| one.name == name);
                if !parameter.is_some_and(|one| one.is_required) {
                    return invalid(format!("the path needs `{name}`, a parameter without `?`"));
                }
            }
        }
        Ok(Self { operation, method, path })
    }

    /// Returns whether the parameters that are not in the path are in a body.
    fn has_body(&self) -> bool {
        matches!(self.method, Method::POST | Method::PUT | Method::PATCH)
    }

    /// Returns the address and the body of a call, below a base address.
    fn request(
        &self,
        base: &WebUrl,
        mut given: Map<String, Value>,
    ) -> Result<(WebUrl, Option<String>), ToolError> {
        let mut segments = Vec::with_capacity(self.path.len());
        let mut in_path = Vec::new();
        for template in &self.path {
            let mut segment = template.clone();
            for name in names_in(template) {
                let value = given.get(&name).map(text_of).unwrap_or_default();
                segment = segment.replace(&format!("{{{name}}}"), &value);
                in_path.push(name);
            }
            if matches!(&*segment, "" | "." | "..") {
                let why =
                    format!("`{template}` of the path would be `{segment}`, which no path has");
                return Err(ToolError::new(why));
            }
            segments.push(segment);
        }
        given.retain(|name, _| !in_path.contains(name));
        // The order of a map depends on which other crates use serde_json.
        let given: BTreeMap<String, Value> = given.into_iter().collect();
        let url = base.below(&segments).map_err(|error| failed("the address", &error))?;
        if self.has_body() {
            let body = json!(given).to_string();
            return Ok((url, Some(body)));
        }
        let mut pairs = Vec::new();
        for (name, value) in &given {
            match value {
                Value::Array(items) => {
                    pairs.extend(items.iter().map(|item| (&**name, text_of(item))));
                }
                value => pairs.push((&**name, text_of(value))),
            }
        }
        if pairs.is_empty() {
            return Ok((url, None));
        }
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (*name, &**value)).collect();
        let url = url.with_query(&pairs).map_err(|error| failed("the address", &error))?;
        Ok((url, None))
    }
}

impl HttpService {
    /// Creates a service with a base address, which reaches public addresses only.
    ///
    /// # Errors
    ///
    /// Returns an error if the base is not an address of the web, or has a query.
    pub fn new(
        name: impl Into<String>,
        description: &str,
        base: &str,
        operations: impl IntoIterator<Item = HttpOperation>,
    ) -> Result<Self, Error> {
        let base = WebUrl::parse(base)?;
        if base.as_str().contains('?') {
            return Err(Error::new(ErrorKind::Invalid, "a base address has no query"));
        }
        let requests: Vec<_> = operations.into_iter().collect();
        let operations =
            ServiceOperations::new(requests.iter().map(|request| request.operation.clone()));
        Ok(Self {
            name: name.into(),
            description: operations.description(description),
            base,
            requests,
            operations,
            fetcher: Fetcher::new(),
            key: None,
        })
    }

    /// Sets the fetcher that sends the requests, with its limits and allowed hosts.
    #[must_use]
    pub fn with_fetcher(self, fetcher: Fetcher) -> Self {
        Self { fetcher, ..self }
    }

    /// Sets a header with a key, which only the origin of the base address receives.
    ///
    /// # Errors
    ///
    /// Returns an error if a header cannot have this name.
    pub fn with_key(self, header: &str, key: SearchKey) -> Result<Self, Error> {
        let header = header.parse().map_err(|_| {
            Error::new(ErrorKind::Invalid, format!("a header cannot have the name {header:?}"))
        })?;
        Ok(Self { key: Some((header, key)), ..self })
    }

    /// Reads a call: its operation, and its URL.
    fn read(&self, args: &str) -> Result<(&HttpOperation, WebUrl, Option<String>), ToolError> {
        let (index, given) = self.operations.read(args)?;
        let request = &self.requests[index];
        let (url, body) = request.request(&self.base, given)?;
        self.fetcher.check(&url).map_err(|error| failed(self.base.host(), &error))?;
        Ok((request, url, body))
    }

    async fn ask(&self, args: &str) -> Result<ToolOutput, ToolError> {
        let (operation, url, body) = self.read(args)?;
        let request = FetchRequest {
            method: operation.method.clone(),
            body,
            key: self.key.as_ref().map(|(name, key)| (name.clone(), key)),
            ..FetchRequest::new(url, "application/json, text/*;q=0.5")
        };
        let of_host = |error| failed(self.base.host(), &error);
        let response = self.fetcher.send(request).await.map_err(of_host)?;
        let (status, media_type) = (response.status(), MediaType::parse(response.content_type()));
        if let MediaKind::Medium(what) | MediaKind::Binary(what) = media_type.kind() {
            return Err(of_host(page::binary(what)));
        }
        let body = response.read().await.map_err(of_host)?;
        let text = String::from_utf8_lossy(&body.bytes).into_owned();
        let value = Json::parse(&text).filter(|_| body.gap.is_none());
        let output = ToolOutput::new(format!("status {status}"), text).with_value(value);
        let output = match body.gap {
            Some(_) => output.with_truncation(Truncation::default()),
            None => output,
        };
        Ok(if status < 400 { output } else { output.failed() })
    }
}

impl Tool for HttpService {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        self.operations.schema()
    }

    fn policy(&self) -> ToolPolicy {
        let reads = |request: &HttpOperation| matches!(request.method, Method::GET | Method::HEAD);
        ToolPolicy {
            read_only: self.requests.iter().all(reads),
            sends_out: true,
            approval: ApprovalNeed::Always,
            ..ToolPolicy::default()
        }
    }

    /// Returns the request in the form in which it is sent. This sends nothing.
    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            let (operation, url, body) = self.read(args.as_str())?;
            let name = &operation.operation.name;
            let sent = body.map_or(0, |body| body.len());
            let sent = if sent == 0 { String::new() } else { format!(", with {sent} bytes") };
            Ok(Preview::new(format!("{name} of {}", self.name))
                .with_target(format!("{} {url}", operation.method))
                .with_effect(format!("sends a request to {}{sent}", url.host())))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.ask(args.as_str()).boxed()
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("HttpService");
        debug.field("name", &self.name).field("base", &self.base.as_str());
        debug.field("has_key", &self.key.is_some()).finish_non_exhaustive()
    }
}

/// Returns the names in braces.
fn names_in(segment: &str) -> Vec<String> {
    let parts = segment.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0.to_owned())).collect()
}

/// Returns a value as text: a string as it is, and anything else as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
