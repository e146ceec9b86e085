//! `silcrow serve`, which serves an agent over HTTP, and `silcrow runs worker`, which continues runs that
//! wait.
//!
//! This module opens the store and the socket, and waits for a signal. The endpoints are in
//! `silcrow_server`.

mod form_elicitor;
mod known_worker;
mod offered;
mod opened_late;
mod served_agents;
mod token;
mod undone;

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use silcrow_console::interrupt;
use silcrow_interactive::AskOptions;
use silcrow_mcp_server::McpEndpoint;
use silcrow_sanitize::sanitize_line;
use silcrow_server::{AccessToken, FormDesk, HttpPeers, Options, Server, ServerUser};
use silcrow_session::tools::root;
use silcrow_session::{ConfinedDecoder, SessionSetup, finish_telemetry, start_telemetry};
use silcrow_store::search::SearchedUser;
use silcrow_tool::CancellationToken;
use tokio::net::TcpListener;

use crate::args::{ServeArgs, UserToken, WorkerArgs};
use crate::damage::ToldDamage;
use crate::failure::{Failure, written};
use crate::host::{host as session_host, notice};
use crate::places::StorePlace;
use crate::runtime;
use crate::system_limits;
use form_elicitor::FormElicitor;
use known_worker::KnownWorker;
pub(crate) use served_agents::{ServedAgents, declared};

/// Serves an agent until a signal comes.
pub(crate) fn serve(args: ServeArgs, options: AskOptions) -> Result<(), Failure> {
    checked(args.listen, args.allow_remote)?;
    let serving = Serving {
        listen: Some(args.listen),
        hosts: args.hosts,
        origins: args.origins,
        trusts_callers: args.trust_callers,
        behind_tls: args.behind_tls,
        users: args.user_tokens,
        chat_programs: args.chat_tokens,
        models: args.offered_models,
        advertise: args.advertise,
        works: args.work,
        max_runs: args.max_runs.get(),
        max_runs_of_user: Some(args.max_runs_of_user.get()),
        queue: args.queue,
        drain: args.drain,
        root_name: args.root_name,
    };
    begin(serving, options)
}

/// Continues the runs that wait in a store, until a signal comes.
pub(crate) fn work(args: WorkerArgs, options: AskOptions) -> Result<(), Failure> {
    args.listen.map_or(Ok(()), |listen| checked(listen, args.allow_remote))?;
    works_in(&StorePlace::choose(options.session.store.as_deref())?)?;
    let serving = Serving {
        listen: args.listen,
        hosts: Vec::new(),
        origins: Vec::new(),
        trusts_callers: false,
        behind_tls: false,
        users: Vec::new(),
        chat_programs: Vec::new(),
        models: Vec::new(),
        advertise: args.advertise,
        works: true,
        max_runs: args.max_runs.get(),
        max_runs_of_user: None,
        queue: 0,
        drain: args.drain,
        root_name: args.root_name,
    };
    begin(serving, options)
}

/// The addresses of a server, and its other work.
struct Serving {
    /// None for a worker that only works.
    listen: Option<SocketAddr>,
    hosts: Vec<String>,
    origins: Vec<String>,
    trusts_callers: bool,
    behind_tls: bool,
    /// The users besides the one in the agent's settings.
    users: Vec<UserToken>,
    /// The programs that name their own users.
    chat_programs: Vec<UserToken>,
    /// The models that a conversation may have besides the one in the settings.
    models: Vec<String>,
    advertise: Option<String>,
    works: bool,
    max_runs: usize,
    /// None for as many as there may be at all.
    max_runs_of_user: Option<usize>,
    /// In seconds.
    queue: u32,
    /// In seconds.
    drain: u32,
    root_name: Option<String>,
}

fn checked(listen: SocketAddr, allow_remote: bool) -> Result<(), Failure> {
    if listen.ip().is_loopback() || allow_remote {
        return Ok(());
    }
    Err(Failure::given(format!(
        "other machines can connect to {listen}, and everybody with the token can let the agent act \
         here; add --allow-remote if you want that, or listen at 127.0.0.1"
    )))
}

fn begin(serving: Serving, mut args: AskOptions) -> Result<(), Failure> {
    let is_user = |name: &str| serving.users.iter().any(|user| user.name == name);
    if let Some(program) = serving.chat_programs.iter().find(|program| is_user(&program.name)) {
        let name = &program.name;
        return Err(Failure::given(format!(
            "--chat-token {name}=…: {name} is a person with --user-token; give the program another \
             name, because it may speak for others"
        )));
    }
    let tokens = serving.users.iter().chain(&serving.chat_programs);
    args.session.hidden_files.extend(tokens.map(|token| token.file.clone()));
    let mut setup = SessionSetup::check(args.session.clone(), &session_host())?;
    if let Some(name) = &serving.root_name {
        setup.name_root(name);
    }
    if serving.works {
        works_in(setup.place())?;
    }
    if serving.advertise.is_some() && !matches!(setup.place(), StorePlace::Database(_)) {
        return Err(Failure::given(
            "--advertise is for servers that share a database; name it with --store \
             postgres://USER@HOST/DATABASE",
        ));
    }
    system_limits::check_threads(LEAST_THREADS)?;
    runtime::block_on_threads(served(serving, args, setup))
}

/// Checks that a store can have runs of other processes.
fn works_in(place: &StorePlace) -> Result<(), Failure> {
    match place {
        StorePlace::Folder(_) | StorePlace::Database(_) => Ok(()),
        StorePlace::Memory => Err(Failure::given(
            "runs of other processes are continued from the store that they share, and a store in \
             memory is not shared; name a folder or a database with --store",
        )),
    }
}

async fn served(
    serving: Serving,
    args: AskOptions,
    mut setup: SessionSetup,
) -> Result<(), Failure> {
    let listener = match serving.listen {
        Some(listen) => {
            let listener = TcpListener::bind(listen).await;
            Some(listener.map_err(|error| occupied(listen, &error))?)
        }
        None => None,
    };
    let address = listener.as_ref().map(TcpListener::local_addr).transpose();
    let address = address.map_err(|error| Failure::running(format!("cannot listen: {error}")))?;
    // The system has chosen a free port for port 0.
    let advertise = serving.advertise.map(|given| match address {
        Some(address) => given
            .strip_suffix(":0")
            .map_or_else(|| given.clone(), |host| format!("{host}:{}", address.port())),
        None => given,
    });
    if let StorePlace::Database(database) = setup.place_mut() {
        database.serve_at(advertise.clone());
    }
    let mut session = opened_late::open(setup).await?;
    start_telemetry(&args.session.telemetry, &*session_host());
    let is_verbose = args.show.verbose;
    let token = token::token(session.place(), &*session.store()).await?;
    let user = session.user().map(str::to_owned);
    let mut notices = session.setup().notices();
    let damage = ToldDamage::default().news(&*session.store()).await;
    notices.extend(damage.map(|line| format!("silcrow: {line}")));
    let named: Vec<_> = serving.users.iter().chain(&serving.chat_programs).cloned().collect();
    let users = users(&named, user.as_ref(), &args.session.root, address, &mut notices)?;
    let mut options = Options::default();
    options.hosts = serving.hosts;
    options.hosts.extend(address.map(host));
    options.hosts.extend(advertise.as_deref().and_then(advertised_host));
    options.origins = serving.origins;
    options.trusts_callers = serving.trusts_callers;
    options.behind_tls = serving.behind_tls;
    options.runs = serving.max_runs;
    options.runs_of_user = serving.max_runs_of_user.unwrap_or(serving.max_runs);
    options.queue_time = Duration::from_secs(serving.queue.into());
    options.patience = Duration::from_secs(serving.drain.into());
    let decoder = ConfinedDecoder { is_sandbox_off: session.is_sandbox_off() };
    let forms = FormDesk::default();
    let servers = session.begin_servers(Some(Arc::new(FormElicitor(forms.clone()))));
    let agents = ServedAgents::new(session, args.on_question, address, &serving.models).await?;
    if serving.works {
        // Sessions use the folder itself, not the name that it may have among servers.
        options.place = root(&args.session.root)?.identity().unwrap_or_default();
    }
    let _known = serving.works.then(|| KnownWorker::begin(&agents, &options.place));
    let declared = declared(&agents.own_agent().await?);
    let server = Server::new(Arc::clone(agents.store()), agents)
        .with_options(options)
        .with_forms(&forms)
        .with_decoder(decoder)
        .with_peers(HttpPeers::default())
        .with_token(token.clone(), ServerUser { name: user.clone() })
        .with_owner(ServerUser { name: user.clone() });
    let mut works_for = vec![user.map_or(SearchedUser::Nobody, SearchedUser::One)];
    works_for.extend(users.iter().map(|(_, name)| SearchedUser::One(name.clone())));
    let server = users.into_iter().fold(server, |server, (token, name)| {
        server.with_token(token, ServerUser { name: Some(name) })
    });
    let server = serving.chat_programs.into_iter().fold(server, |server, program| {
        server.with_chat_program(ServerUser { name: Some(program.name) })
    });

    let stop = CancellationToken::new();
    interrupt::watch(stop.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    for notice in notices {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "{}", sanitize_line(&notice));
    }
    if let Some(address) = address {
        // The fragment of a link is not sent, so no log of a proxy has it.
        written(writeln!(io::stdout(), "http://{address}/#token={}", token.reveal()))?;
        written(io::stdout().flush())?;
    }
    let (missing, stopped) = (servers.clone(), stop.clone());
    tokio::spawn(async move {
        for line in missing.settle(&stopped).await {
            // If stderr is closed, the line is lost.
            let _ = writeln!(io::stderr(), "{}", sanitize_line(&line));
        }
    });
    if serving.works {
        let _ = writeln!(io::stderr(), "silcrow: continues the runs that wait in the store");
    }
    let works = async {
        if serving.works {
            join_all(works_for.into_iter().map(|user| server.work_off(user))).await;
        }
    };
    let serves = async {
        match listener {
            Some(listener) => {
                let endpoint = McpEndpoint::new(server.clone()).with_declared(&declared);
                let router = server.router().merge(endpoint.router());
                server.serve_router(router, listener, stop).await;
            }
            None => {
                stop.cancelled().await;
                // A tool that cannot be stopped does not keep the process.
                let longest = server.options().patience + LAST;
                let _ = tokio::time::timeout(longest, server.stop()).await;
            }
        }
    };
    tokio::join!(works, serves);
    servers.close().await;
    finish_telemetry().await.iter().filter(|_| is_verbose).for_each(|line| notice(line));
    Ok(())
}

/// Returns the tokens of the other users. A user without one gets a new one, and a notice has their
/// link.
fn users(
    named: &[UserToken],
    owner: Option<&String>,
    root: &Path,
    address: Option<SocketAddr>,
    notices: &mut Vec<String>,
) -> Result<Vec<(AccessToken, String)>, Failure> {
    let mut users = Vec::new();
    for UserToken { name, file } in named {
        if owner == Some(name) {
            let why = format!("{name} is the user of the server itself, whose link is printed");
            return Err(Failure::given(format!("the token {name}=…: {why}")));
        }
        if is_within(file, root) {
            return Err(Failure::given(format!(
                "the token {name}=…: the agent can read files of {}; name a file elsewhere",
                root.display()
            )));
        }
        let found = token::token_in(file)?;
        if let Some(address) = address.filter(|_| found.is_new) {
            let link = format!("http://{address}/#token={}", found.token.reveal());
            notices.push(format!("new user {name}: {link}"));
        }
        users.push((found.token, name.clone()));
    }
    Ok(users)
}

/// Returns whether a file that may be missing is in a folder.
fn is_within(file: &Path, folder: &Path) -> bool {
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let place = fs::canonicalize(file);
    let place = place.or_else(|_| fs::canonicalize(parent));
    let folder = fs::canonicalize(folder);
    place.is_ok_and(|place| folder.is_ok_and(|folder| place.starts_with(folder)))
}

/// Returns the name by which other servers reach this one.
fn advertised_host(address: &str) -> Option<String> {
    Some(url::Url::parse(address).ok()?.host()?.to_string())
}

/// Returns the address as the header `Host` has it, without the port.
fn host(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

fn occupied(address: SocketAddr, error: &io::Error) -> Failure {
    let next = match error.kind() {
        io::ErrorKind::AddrInUse => "; another program has it, so choose another with --listen",
        io::ErrorKind::PermissionDenied => "; ports below 1024 need rights, so choose another",
        _ => "; choose another address with --listen",
    };
    Failure::running(format!("cannot listen at {address}: {error}{next}"))
}

/// The threads that a server needs besides one for each core.
const LEAST_THREADS: usize = 4;

/// The time for stopping the runs, after the time in which they may end by themselves.
const LAST: Duration = Duration::from_secs(5);
