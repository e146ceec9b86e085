//! The arguments of `silcrow serve`, as clap reads them.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::AgentArgs;

/// Where an agent is served, and which one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints a link with its token, and serves until Ctrl-C. Calls that need a yes wait for an answer
over HTTP or by silcrow answer, unless --on-question deny. GET /openapi.json describes the endpoints.

More: silcrow help models, permissions, limits, dialects, web, conversations, environment, exit-codes")]
pub(crate) struct ServeArgs {
    /// The address and the port; port 0 is any that is free
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:4180")]
    pub(crate) listen: SocketAddr,
    /// Let other machines connect, where the address allows it. There is no encryption: use a proxy
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// A name by which the server may be reached; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// The origin of another page that may use the server; may be repeated
    #[arg(long = "origin", value_name = "URL")]
    pub(crate) origins: Vec<String>,
    /// Let this user in, too, who sees only their own conversations: the token is in this file,
    /// which is made if it is missing; may be repeated
    #[arg(long = "user-token", value_name = "NAME=FILE", value_parser = user_token)]
    pub(crate) user_tokens: Vec<UserToken>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

/// A user and the file with their token.
#[derive(Clone, Debug)]
pub(crate) struct UserToken {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
}

fn user_token(text: &str) -> Result<UserToken, String> {
    match text.split_once('=') {
        Some((name, file)) if !name.trim().is_empty() && !file.is_empty() => {
            Ok(UserToken { name: name.to_owned(), file: file.into() })
        }
        _ => Err("write NAME=FILE, such as ann=ann.token".to_owned()),
    }
}
