//! The relics of a manifest, checked: values by key, an HTTP API, statements of a database, a server.
//!
//! This module has the declarations of a relic. It opens nothing.

use silcrow_tool::{ServiceOperation, ServiceParameter};
use url::Url;

use crate::error::Error;
use crate::flow_step::one_of;
use crate::toml_text::TomlText;
use crate::written::{WrittenOperation, WrittenRelic};

/// An HTTP API as a manifest declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpDeclaration {
    /// The address below which every request goes.
    pub base: Url,
    /// The header with the key, if there is one.
    pub key: Option<KeyDeclaration>,
    /// The operations, in the order of their names.
    pub operations: Vec<HttpOperationDeclaration>,
}

/// A header with a key that a variable of the environment has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyDeclaration {
    /// The name of the header.
    pub header: String,
    /// The text before the key, such as `Bearer `.
    pub prefix: String,
    /// The name of the variable.
    pub variable: String,
}

/// A request of an [`HttpDeclaration`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOperationDeclaration {
    /// Its name and its parameters.
    pub operation: ServiceOperation,
    /// The method, such as `GET`.
    pub method: String,
    /// The path below the base, where `{NAME}` stands for a parameter.
    pub path: String,
}

/// A database and its statements as a manifest declares them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqlDeclaration {
    /// The name of the variable of the environment that has the address.
    pub variable: String,
    /// The operations, in the order of their names.
    pub operations: Vec<SqlOperationDeclaration>,
}

/// A statement of a [`SqlDeclaration`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqlOperationDeclaration {
    /// Its name and its parameters, which are `$1`, `$2` and so on.
    pub operation: ServiceOperation,
    /// The statement.
    pub statement: String,
    /// Whether it may change something.
    pub writes: bool,
}

/// A relic that was checked.
#[derive(Clone, Debug)]
pub(crate) enum ReadyRelic {
    KeyValue,
    Http(HttpDeclaration),
    Sql(SqlDeclaration),
    /// The tools of the server with this name.
    Server(String),
}

impl ReadyRelic {
    pub(crate) fn read(
        source: &TomlText<'_>,
        name: &str,
        written: &WrittenRelic,
    ) -> Result<Self, Error> {
        let at = format!("relics.{name}");
        let wrong = |field: &str, why: &str| source.wrong(&format!("{at}.{field}"), why);
        let kind = &*written.kind;
        if !KINDS.contains(&kind) {
            return Err(wrong("kind", &format!("`{kind}`: {}", one_of("kind", &KINDS))));
        }
        let given = [
            ("base", written.base.is_some(), kind == "http"),
            ("key", written.key.is_some(), kind == "http"),
            ("database", written.database.is_some(), kind == "sql"),
            ("server", written.server.is_some(), kind == "mcp"),
            ("operations", !written.operations.is_empty(), matches!(kind, "http" | "sql")),
        ];
        if let Some((field, ..)) = given.iter().find(|(_, is_given, fits)| *is_given && !fits) {
            return Err(wrong(field, "this kind of relic does not have it; leave it out"));
        }
        let missing = |field: &str, what: &str| wrong(field, &format!("it is missing: {what}"));
        if matches!(kind, "http" | "sql") && written.operations.is_empty() {
            let example = format!("write [relics.{name}.operations.NAME]");
            return Err(missing("operations", &example));
        }
        Ok(match kind {
            "http" => {
                let base = written.base.as_deref();
                let base = base.ok_or_else(|| missing("base", "the address of the service"))?;
                Self::Http(http(source, &at, base, written)?)
            }
            "sql" => {
                let variable = written.database.clone();
                let variable = variable.ok_or_else(|| {
                    missing("database", "the name of a variable with the address")
                })?;
                check_variable(&variable).map_err(|why| wrong("database", why))?;
                Self::Sql(sql(source, &at, variable, written)?)
            }
            "mcp" => Self::Server(
                written.server.clone().ok_or_else(|| missing("server", "the name of a server"))?,
            ),
            _ => Self::KeyValue,
        })
    }
}

fn http(
    source: &TomlText<'_>,
    at: &str,
    base: &str,
    written: &WrittenRelic,
) -> Result<HttpDeclaration, Error> {
    let wrong = |field: &str, why: &str| source.wrong(&format!("{at}.{field}"), why);
    let base: Url = base.parse().map_err(|_| wrong("base", "it is not an address"))?;
    let is_plain = base.username().is_empty() && base.password().is_none();
    if !matches!(base.scheme(), "http" | "https") || !is_plain || base.query().is_some() {
        let why = "an address of http or https, without a user and without a query";
        return Err(wrong("base", &format!("it has to be {why}")));
    }
    let key = match &written.key {
        None => None,
        Some(key) => {
            check_variable(&key.variable).map_err(|why| wrong("key.variable", why))?;
            let prefix = key.prefix.clone().unwrap_or_default();
            let (header, variable) = (key.header.clone(), key.variable.clone());
            Some(KeyDeclaration { header, prefix, variable })
        }
    };
    let mut operations = Vec::new();
    for (name, declared) in &written.operations {
        let field = format!("operations.{name}");
        let operation = operation(source, &format!("{at}.{field}"), name, declared)?;
        if let Some(other) = misplaced(declared, &["statement", "writes"]) {
            return Err(wrong(
                &format!("{field}.{other}"),
                "it belongs to a relic of the kind sql",
            ));
        }
        let method = declared.method.clone().unwrap_or_else(|| "GET".to_owned());
        if !METHODS.contains(&&*method) {
            return Err(wrong(&format!("{field}.method"), &one_of("method", &METHODS)));
        }
        let path = declared.path.clone().unwrap_or_else(|| name.clone());
        operations.push(HttpOperationDeclaration { operation, method, path });
    }
    Ok(HttpDeclaration { base, key, operations })
}

fn sql(
    source: &TomlText<'_>,
    at: &str,
    variable: String,
    written: &WrittenRelic,
) -> Result<SqlDeclaration, Error> {
    let mut operations = Vec::new();
    for (name, declared) in &written.operations {
        let field = format!("{at}.operations.{name}");
        let operation = operation(source, &field, name, declared)?;
        if let Some(other) = misplaced(declared, &["method", "path"]) {
            let why = "it belongs to a relic of the kind http";
            return Err(source.wrong(&format!("{field}.{other}"), why));
        }
        let Some(statement) = declared.statement.clone() else {
            let why = "it is missing: the statement, in which `$1` is the first parameter";
            return Err(source.wrong(&format!("{field}.statement"), why));
        };
        let writes = declared.writes.unwrap_or_default();
        operations.push(SqlOperationDeclaration { operation, statement, writes });
    }
    Ok(SqlDeclaration { variable, operations })
}

fn operation(
    source: &TomlText<'_>,
    at: &str,
    name: &str,
    written: &WrittenOperation,
) -> Result<ServiceOperation, Error> {
    let mut parameters = Vec::new();
    for (index, text) in written.parameters.iter().enumerate() {
        let parameter = ServiceParameter::parse(text);
        let wrong = |why: String| source.wrong(&format!("{at}.parameters[{index}]"), &*why);
        parameters.push(parameter.map_err(wrong)?);
    }
    let description = written.description.clone().unwrap_or_default();
    Ok(ServiceOperation::new(name, description, parameters))
}

/// Returns a field of the other kind of service that is given.
fn misplaced(written: &WrittenOperation, fields: &[&'static str]) -> Option<&'static str> {
    let is_given = |field: &&&str| match **field {
        "statement" => written.statement.is_some(),
        "writes" => written.writes.is_some(),
        "method" => written.method.is_some(),
        _ => written.path.is_some(),
    };
    fields.iter().find(is_given).copied()
}

/// A manifest names variables, so that no file has a key or a password.
fn check_variable(name: &str) -> Result<(), &'static str> {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    match !name.is_empty() && name.bytes().all(is_name) {
        true => Ok(()),
        false => Err("it is the name of a variable of the environment, such as SHOP_KEY"),
    }
}

/// The kinds of relics.
const KINDS: [&str; 4] = ["kv", "http", "sql", "mcp"];

/// The methods of requests.
const METHODS: [&str; 6] = ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"];
