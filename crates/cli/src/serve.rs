//! `silcrow serve`, which serves an agent over HTTP.
//!
//! This module opens the store and the socket, and waits for a signal. The endpoints are in
//! `silcrow_server`.

mod served_agents;
mod token;
mod undone;

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;

use silcrow_exec::CancellationToken;
use silcrow_mcp_server::McpEndpoint;
use silcrow_sanitize::sanitize_line;
use silcrow_server::{Options, Server, ServerUser};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use crate::args::ServeArgs;
use crate::failure::{Failure, written};
use crate::interrupt;
use crate::mcp_serve::declared;
use crate::setup::AgentSetup;
use crate::telemetry;
pub(crate) use served_agents::ServedAgents;

/// Serves an agent until a signal comes.
pub(crate) fn serve(args: ServeArgs) -> Result<(), Failure> {
    if !args.listen.ip().is_loopback() && !args.allow_remote {
        return Err(Failure::given(format!(
            "other machines can connect to {}, and everybody with the token can let the agent act \
             here; add --allow-remote if you want that, or listen at 127.0.0.1",
            args.listen
        )));
    }
    let setup = AgentSetup::new(&args.agent)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    let done = runtime.block_on(served(args, setup));
    // The process does not wait for blocking work that a call has left behind.
    runtime.shutdown_background();
    done
}

async fn served(args: ServeArgs, setup: AgentSetup) -> Result<(), Failure> {
    let listener = TcpListener::bind(args.listen).await;
    let listener = listener.map_err(|error| occupied(args.listen, &error))?;
    let address = listener.local_addr();
    let address = address.map_err(|error| occupied(args.listen, &error))?;
    let opened = setup.open().await?;
    telemetry::start(&args.agent.telemetry);
    let is_verbose = args.agent.show.verbose;
    let token = token::token(&setup.place)?;
    let user = ServerUser { name: setup.user.clone() };
    let notices = setup.notices();
    let mut options = Options::default();
    options.hosts = args.hosts;
    options.hosts.push(host(address));
    options.origins = args.origins;
    let agents = ServedAgents::new(args.agent, setup, opened.store(), Some(address)).await;
    let declared = declared(&agents.agent());
    let server = Server::new(Arc::clone(agents.store()), agents)
        .with_options(options)
        .with_token(token.clone(), user);

    let stop = CancellationToken::new();
    interrupt::watch(stop.clone())
        .map_err(|error| Failure::running(format!("cannot wait for Ctrl-C: {error}")))?;
    for notice in notices {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "{}", sanitize_line(&notice));
    }
    // The fragment of a link is not sent, so no log of a proxy has it.
    written(writeln!(io::stdout(), "http://{address}/#token={}", token.reveal()))?;
    written(io::stdout().flush())?;
    let endpoint = McpEndpoint::new(server.clone()).with_declared(&declared);
    let router = server.router().merge(endpoint.router());
    server.serve_router(router, listener, stop).await;
    telemetry::finish(is_verbose).await;
    Ok(())
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
