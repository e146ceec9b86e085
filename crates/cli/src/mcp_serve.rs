//! `silcrow mcp serve`, which offers the agent as a tool over standard input and output.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use silcrow_console::interrupt;
use silcrow_interactive::AskOptions;
use silcrow_mcp_server::McpEndpoint;
use silcrow_sanitize::sanitize_line;
use silcrow_server::{CancellationToken, Options, Server, ServerUser};
use silcrow_session::{SessionSetup, finish_telemetry, start_telemetry};
use tokio::io::{stdin, stdout};

use crate::damage::ToldDamage;
use crate::failure::Failure;
use crate::host::{host, notice};
use crate::runtime;
use crate::serve::{ServedAgents, declared};

/// Serves a client until it closes standard input, or until a signal comes.
pub(crate) fn serve(options: AskOptions) -> Result<(), Failure> {
    let setup = SessionSetup::check(options.session.clone(), &host())?;
    runtime::block_on(served(options, setup))
}

async fn served(args: AskOptions, setup: SessionSetup) -> Result<(), Failure> {
    for notice in setup.notices() {
        // If stderr is closed, the notice is lost.
        let _ = writeln!(io::stderr(), "{}", sanitize_line(&notice));
    }
    let is_verbose = args.show.verbose;
    start_telemetry(&args.session.telemetry, &*host());
    let mut session = setup.open().await?;
    if let Some(line) = ToldDamage::default().news(&*session.store()).await {
        notice(&line);
    }
    let user = ServerUser { name: session.user().map(str::to_owned) };
    let servers = session.begin_servers(None);
    let agents = ServedAgents::new(session, args.on_question, None, &[]).await?;
    let declared = declared(&agents.own_agent().await?);
    let mut options = Options::default();
    // Nobody reads the end of a run whose client is gone.
    options.patience = Duration::ZERO;
    let server = Server::new(Arc::clone(agents.store()), agents).with_options(options);
    let endpoint = McpEndpoint::new(server.clone()).with_declared(&declared);
    let stop = CancellationToken::new();
    interrupt::watch(stop.clone()).map_err(|error| failed(&error))?;
    let (missing, stopped) = (servers.clone(), stop.clone());
    tokio::spawn(async move {
        for line in missing.settle(&stopped).await {
            // If stderr is closed, the line is lost.
            let _ = writeln!(io::stderr(), "{}", sanitize_line(&line));
        }
    });
    let done = tokio::select! {
        biased;
        () = stop.cancelled() => Ok(()),
        done = endpoint.serve_lines(user, stdin(), stdout()) => done.map_err(|error| failed(&error)),
    };
    server.stop().await;
    servers.close().await;
    finish_telemetry().await.iter().filter(|_| is_verbose).for_each(|line| notice(line));
    done
}

fn failed(error: &io::Error) -> Failure {
    Failure::running(format!("cannot serve the client: {error}"))
}
