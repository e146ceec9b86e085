//! A server as a separate process, which is killed.

use std::future::pending;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use silcrow_agent::Agent;
use silcrow_provider::{DeltaStream, OpeningSession, Provider, Request};
use silcrow_server::{AccessToken, CancellationToken, RunPlace, Server, ServerUser};
use silcrow_store::Store;
use silcrow_store_log::{LogStore, Options as LogOptions};
use silcrow_store_postgres::{Options as PostgresOptions, PostgresAddress, PostgresStore};
use tokio::net::TcpListener;

/// The test of the other process: a server, until it is killed.
#[test]
#[ignore = "run by the tests of kills, in a process of its own"]
fn server() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let place = std::env::var(STORE).expect("another test says this");
        let store: Arc<dyn Store> = match PostgresAddress::is_address(&place) {
            true => {
                let address = PostgresAddress::parse(&place, |_| None).unwrap();
                let opened = PostgresStore::open(address, PostgresOptions::default()).await;
                Arc::new(opened.unwrap())
            }
            false => Arc::new(LogStore::open(&place, LogOptions::default()).await.unwrap()),
        };
        let agent = Agent::new(SilentModel, Arc::clone(&store));
        let server = Server::new(store, move |_: &RunPlace| agent.clone())
            .with_token(AccessToken::parse(TOKEN).unwrap(), ServerUser::default());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        say(&format!("{MARK}{}", listener.local_addr().unwrap()));
        server.serve(listener, CancellationToken::new()).await;
    });
}

/// A model that never says anything, so that its run is at work until the end.
struct SilentModel;

impl Provider for SilentModel {
    fn name(&self) -> &str {
        "silent"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        stream::once(pending()).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// The process of a server, as a test sees it.
pub(super) struct ServerProcess {
    process: Child,
    address: String,
}

impl ServerProcess {
    /// Starts a server on a store: a folder or the address of a database.
    pub(super) fn start(store: &str) -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .args(["acknowledged::process::server", "--exact", "--ignored", "--nocapture"])
            .arg("--test-threads=1")
            .env(STORE, store)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        let line = lines.find(|line| line.contains(MARK)).expect("the server says where it is");
        let address = line.split_once(MARK).unwrap().1.to_owned();
        Self { process, address }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

fn say(line: &str) {
    use std::io::Write as _;
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).unwrap();
}

const STORE: &str = "SILCROW_TEST_STORE";

/// The text before the address.
const MARK: &str = "@ at ";

/// The token of the server.
pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
