//! Opening connections to the server: to the first of its hosts that answers.
//!
//! An address may name several hosts, such as a primary and its standbys. A host that does not
//! answer is abandoned after a while for the next one, and so is one that is read-only. All
//! connections begin at the same host until an attempt fails there. So if a primary that was
//! thought to be gone is still writable, they do not spread over two writable servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use deadpool_postgres::Connect;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;
use tokio::time::{Duration, timeout};
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::{Client, Config, Connection, Error, Socket};

use crate::address::PostgresAddress;
use crate::fault::is_read_only;
use crate::tls::{EncryptedStream, MakeRustls};

/// The parameters of a store's connections.
#[derive(Clone)]
pub(crate) struct Connector(Arc<Hosts>);

struct Hosts {
    /// A configuration for each host.
    configs: Vec<Config>,
    tls: MakeRustls,
    /// The number of the host that is tried first.
    first: AtomicUsize,
}

/// An open connection, and the future that has to be polled for it.
pub(crate) type Opened = (Client, Connection<Socket, EncryptedStream<Socket>>);

impl Connector {
    pub(crate) fn new(address: &PostgresAddress, tls: MakeRustls) -> Self {
        let configs = each_host(&address.config);
        Self(Arc::new(Hosts { configs, tls, first: AtomicUsize::new(0) }))
    }

    /// Returns the factor by which the search for a host may take longer than one host.
    pub(crate) fn hosts(&self) -> u32 {
        u32::try_from(self.0.configs.len()).unwrap_or(u32::MAX)
    }

    /// Opens a connection. If none of several hosts answers, this waits. The error that a host is
    /// read-only takes precedence over the error that another is unreachable.
    pub(crate) async fn open(&self) -> Result<Opened, Error> {
        let Hosts { configs, tls, first } = &*self.0;
        if let [config] = &configs[..] {
            return config.connect(tls.clone()).await;
        }
        let begin = first.load(Ordering::Relaxed);
        let mut failed: Option<Error> = None;
        for tried in 0_usize.. {
            let at = (begin + tried) % configs.len();
            let attempt = HostAttempt { first, at, after: (at + 1) % configs.len() };
            match timeout(ATTEMPT, configs[at].connect(tls.clone())).await {
                Ok(Ok(opened)) => {
                    attempt.succeed();
                    return Ok(opened);
                }
                Ok(Err(error))
                    if error.code().is_none() && failed.as_ref().is_some_and(is_read_only) => {}
                Ok(Err(error)) => failed = Some(error),
                Err(_) => {}
            }
            if tried + 1 >= configs.len()
                && let Some(error) = failed.take()
            {
                return Err(error);
            }
        }
        std::future::pending().await
    }
}

/// An attempt at a host. When it ends without success, also because the caller gives up, the next
/// connection begins at the host after this one.
struct HostAttempt<'a> {
    first: &'a AtomicUsize,
    at: usize,
    after: usize,
}

impl HostAttempt<'_> {
    fn succeed(mut self) {
        self.after = self.at;
    }
}

impl Drop for HostAttempt<'_> {
    fn drop(&mut self) {
        // If another attempt has failed there, the first host has changed.
        let (at, after) = (self.at, self.after);
        let _ = self.first.compare_exchange(at, after, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Connect for Connector {
    fn connect(&self, _: &Config) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), Error>> {
        async {
            let (client, connection) = self.open().await?;
            // The client is notified of its end.
            let task = tokio::spawn(async move { drop(connection.await) });
            Ok((client, task))
        }
        .boxed()
    }
}

/// Returns the configuration of each host. Of several hosts only one that can be written to counts.
fn each_host(config: &Config) -> Vec<Config> {
    let (hosts, ports) = (config.get_hosts(), config.get_ports());
    if hosts.len() < 2 {
        return vec![config.clone()];
    }
    let one = |(at, host): (usize, &Host)| {
        let mut one = without_hosts(config);
        match host {
            Host::Tcp(name) => one.host(name),
            #[cfg(unix)]
            Host::Unix(folder) => one.host_path(folder),
        };
        if let Some(address) = config.get_hostaddrs().get(at) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(at).or_else(|| ports.first()) {
            one.port(*port);
        }
        one.target_session_attrs(TargetSessionAttrs::ReadWrite);
        one
    };
    hosts.iter().enumerate().map(one).collect()
}

fn without_hosts(config: &Config) -> Config {
    let mut bare = Config::new();
    bare.ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding())
        .keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle());
    if let Some(interval) = config.get_keepalives_interval() {
        bare.keepalives_interval(interval);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        bare.keepalives_retries(retries);
    }
    if let Some(time) = config.get_connect_timeout() {
        bare.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        bare.tcp_user_timeout(*time);
    }
    if let Some(user) = config.get_user() {
        bare.user(user);
    }
    if let Some(password) = config.get_password() {
        bare.password(password);
    }
    if let Some(name) = config.get_dbname() {
        bare.dbname(name);
    }
    if let Some(options) = config.get_options() {
        bare.options(options);
    }
    if let Some(name) = config.get_application_name() {
        bare.application_name(name);
    }
    bare
}

/// The time in which one of several hosts must open a connection.
const ATTEMPT: Duration = Duration::from_secs(3);
