//! The MCP servers that a client names for a session.
//!
//! This module reads them. The host decides whether they are started.

use serde_json::Value;

use crate::message::RpcError;

/// An MCP server that a client names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the protocol names its members")]
pub struct AcpServer {
    /// The name that the client shows.
    pub name: String,
    /// The way to the server.
    pub address: AcpServerAddress,
}

/// The way to an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcpServerAddress {
    /// A program that is started and speaks over standard input and output.
    Command {
        /// The program and its arguments.
        words: Vec<String>,
        /// Variables of its environment: names and values.
        env: Vec<(String, String)>,
    },
    /// A server that is reached over HTTP.
    Url {
        /// The address.
        url: String,
        /// Headers of each request: names and values.
        headers: Vec<(String, String)>,
    },
}

/// Reads the servers of a request that opens a session.
pub(crate) fn servers(params: &Value) -> Result<Vec<AcpServer>, RpcError> {
    match &params["mcpServers"] {
        Value::Null => Ok(Vec::new()),
        Value::Array(servers) => servers.iter().map(server).collect(),
        _ => Err(RpcError::params("`mcpServers` is not an array")),
    }
}

fn server(server: &Value) -> Result<AcpServer, RpcError> {
    let name = text(server, "name", "an MCP server")?;
    let what = format!("the MCP server `{name}`");
    let address = match server["type"].as_str() {
        None | Some("stdio") => {
            let mut words = vec![text(server, "command", &what)?];
            for word in server["args"].as_array().into_iter().flatten() {
                let why =
                    || RpcError::params(format!("{what} has an argument that is not a string"));
                words.push(word.as_str().ok_or_else(why)?.to_owned());
            }
            AcpServerAddress::Command { words, env: pairs(server, "env", &what)? }
        }
        Some("http") => AcpServerAddress::Url {
            url: text(server, "url", &what)?,
            headers: pairs(server, "headers", &what)?,
        },
        Some(other) => {
            let why = format!("{what} is of the type `{other}`; only stdio and http can be used");
            return Err(RpcError::params(why));
        }
    };
    Ok(AcpServer { name, address })
}

fn pairs(server: &Value, key: &str, what: &str) -> Result<Vec<(String, String)>, RpcError> {
    let pairs = server[key].as_array().into_iter().flatten();
    let pair = |pair| Ok((text(pair, "name", what)?, text(pair, "value", what)?));
    pairs.map(pair).collect()
}

fn text(object: &Value, key: &str, what: &str) -> Result<String, RpcError> {
    let why = || RpcError::params(format!("{what} lacks the string `{key}`"));
    Ok(object[key].as_str().ok_or_else(why)?.to_owned())
}
