//! The arguments of `silcrow serve` and `silcrow runs worker`, as clap reads them.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use super::AgentArgs;

/// The arguments of `silcrow serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints a link with its token, and serves until Ctrl-C. Calls that need a yes wait for an answer
over HTTP or by silcrow runs answer, unless --on-question deny. GET /openapi.json describes the
endpoints.

Several servers may share a database: with --advertise each reads the runs of the others while they are
at work, and with --work it continues those whose process is gone.

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
    /// Browsers reach the server by TLS only, through a proxy: the cookie of a page is never sent
    /// without it
    #[arg(long)]
    pub(crate) behind_tls: bool,
    /// Let what programs say to the agent, such as the system messages of a chat, count as your own
    /// instructions, rather than as a project's
    #[arg(long)]
    pub(crate) trust_callers: bool,
    /// The origin of another page that may use the server; may be repeated
    #[arg(long = "origin", value_name = "URL")]
    pub(crate) origins: Vec<String>,
    /// Let this user in, too, who sees only their own conversations: the token is in this file,
    /// which is made if it is missing; may be repeated
    #[arg(long = "user-token", value_name = "NAME=FILE", value_parser = user_token)]
    pub(crate) user_tokens: Vec<UserToken>,
    /// Let in a program that names its own users, such as Open WebUI, with the token in this file, which
    /// is made if it is missing; may be repeated
    #[arg(long = "chat-token", value_name = "NAME=FILE", value_parser = user_token)]
    pub(crate) chat_tokens: Vec<UserToken>,
    /// A model that a conversation may use instead of --model; may be repeated
    #[arg(long = "offer-model", value_name = "MODEL")]
    pub(crate) offered_models: Vec<String>,
    /// The address at which the other servers of a database reach this one, such as
    /// http://10.0.0.5:4180; what they read is not encrypted
    #[arg(long, value_name = "URL", value_parser = peer_address)]
    pub(crate) advertise: Option<String>,
    /// Continue the runs that wait in the store, as silcrow runs worker does, also those that sessions in
    /// this folder left with /handover
    #[arg(long)]
    pub(crate) work: bool,
    /// How many runs may be at work here at once
    #[arg(long, value_name = "N", default_value = "256")]
    pub(crate) max_runs: NonZeroUsize,
    /// How many runs of one user may be at work here at once
    #[arg(long, value_name = "N", default_value = "64")]
    pub(crate) max_runs_of_user: NonZeroUsize,
    /// The seconds for which a prompt waits for its place before it is refused
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(crate) queue: u32,
    /// The seconds in which runs may end by themselves when the server stops. In a database, others
    /// continue those that do not
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(crate) drain: u32,
    /// A name for the folder of the tools, where several servers and workers have the same contents in
    /// it. An answer to a question then counts at all of them; otherwise at its own folder only
    #[arg(long, value_name = "NAME")]
    pub(crate) root_name: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

/// Which runs are continued, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It works until Ctrl-C or SIGTERM, and then lets its runs end or hands them over. A run is continued with
the model, the tools and the permissions of the worker. Only runs of servers and workers are continued,
and those that sessions in the same folder left with /handover; others wait for their person.

More: silcrow help models, permissions, limits, dialects, web, conversations, environment, exit-codes")]
pub(crate) struct WorkerArgs {
    /// Serve over HTTP, too, at this address: health, numbers, and everything that silcrow serve has
    #[arg(long, value_name = "IP:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Let other machines connect, where the address allows it. There is no encryption: use a proxy
    #[arg(long, requires = "listen")]
    pub(crate) allow_remote: bool,
    /// The address at which the servers of the database reach this worker, such as
    /// http://10.0.0.6:4180
    #[arg(long, value_name = "URL", value_parser = peer_address, requires = "listen")]
    pub(crate) advertise: Option<String>,
    /// How many runs may be at work here at once
    #[arg(long, value_name = "N", default_value = "16")]
    pub(crate) max_runs: NonZeroUsize,
    /// The seconds in which runs may end by themselves when the worker stops
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(crate) drain: u32,
    /// A name for the folder of the tools, where several servers and workers have the same contents in
    /// it. An answer to a question then counts at all of them; otherwise at its own folder only
    #[arg(long, value_name = "NAME")]
    pub(crate) root_name: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

fn peer_address(text: &str) -> Result<String, String> {
    let why = "write http://HOST:PORT, as other machines reach this one";
    let url = url::Url::parse(text).map_err(|_| why.to_owned())?;
    let is_plain = url.scheme() == "http"
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if is_plain { Ok(text.trim_end_matches('/').to_owned()) } else { Err(why.to_owned()) }
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
        _ => Err("write NAME=FILE, such as ann=/var/lib/silcrow/etc/ann.token".to_owned()),
    }
}
