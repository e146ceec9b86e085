//! The connections to the server: how statements run on them, and when they run again.
//!
//! ```text
//! take ─► prepare ─► run ─┬─► rows ─► back among the idle ones
//!                         └─ cut, silent for too long, or given up ─► closed
//! ```
//!
//! A statement that reads runs again on another connection if the server ended the first one, or
//! gave no answer on it. A statement that changes something does not, because it is unknown whether
//! it was carried out. A connection that was silent for too long is closed together with the idle
//! ones: their server may be gone as well.

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod,
};
use silcrow_store::{Error, ErrorKind};
use tokio::time::{Duration, Instant, sleep, timeout};
use tokio_postgres::{Row, Statement};

use crate::address::PostgresAddress;
use crate::busy::{BusyConnection, Parameters};
use crate::connector::Connector;
use crate::fault::{Database, Failed};
use crate::schema;

/// The connections for reads and writes.
pub(crate) struct Connections {
    pool: Pool,
    /// The time that the server may be silent.
    patience: Duration,
    /// The time that getting a connection may take.
    checkout: Duration,
    pub(crate) database: Database,
}

impl Connections {
    /// Connects, and brings the tables to the version of this program.
    pub(crate) async fn open(
        address: &PostgresAddress,
        connector: Connector,
        most: usize,
        patience: Duration,
    ) -> Result<Self, Error> {
        let database = Database(address.to_string());
        let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let checkout = patience * connector.hosts();
        let manager = Manager::from_connect(address.config.clone(), connector, config);
        let pool = Pool::builder(manager).max_size(most.max(1)).post_create(settings()).build();
        let pool = pool.map_err(|error| {
            database.error(ErrorKind::Unavailable, "cannot be used").with_source(error.to_string())
        })?;
        let connections = Self { pool, patience, checkout, database };
        let mut client = connections.take().await?;
        schema::migrate(&mut client, &connections.database, patience).await?;
        client.finish();
        Ok(connections)
    }

    /// Runs a statement that changes nothing.
    pub(crate) async fn read(&self, sql: &str, with: Parameters<'_>) -> Result<Vec<Row>, Error> {
        self.read_within(sql, with, self.patience).await
    }

    /// Runs a statement that changes nothing and that may look at everything there is, before it has
    /// its first row.
    pub(crate) async fn scan(&self, sql: &str, with: Parameters<'_>) -> Result<Vec<Row>, Error> {
        self.read_within(sql, with, LONGEST.max(self.patience)).await
    }

    async fn read_within(
        &self,
        sql: &str,
        with: Parameters<'_>,
        limit: Duration,
    ) -> Result<Vec<Row>, Error> {
        let mut is_again = false;
        loop {
            let (client, statement) = self.prepared(sql).await?;
            match client.run(&statement, with, limit).await {
                Err(failed) if failed.is_cut() && !is_again => is_again = true,
                done => return done.map_err(|failed| self.database.error_of("reading", failed)),
            }
        }
    }

    /// Runs a statement like [`scan`](Self::scan), whose best plan depends on its parameters.
    pub(crate) async fn scan_planned(
        &self,
        sql: &str,
        with: Parameters<'_>,
    ) -> Result<Vec<Row>, Error> {
        let mut is_again = false;
        loop {
            // Any statement shows that the connection works.
            let (client, _) = self.prepared("select 1").await?;
            match client.run(sql, with, LONGEST.max(self.patience)).await {
                Err(failed) if failed.is_cut() && !is_again => is_again = true,
                done => return done.map_err(|failed| self.database.error_of("reading", failed)),
            }
        }
    }

    /// Runs a statement that changes something. It may have to send much, so it has twice the time.
    pub(crate) async fn change(&self, sql: &str, with: Parameters<'_>) -> Result<Vec<Row>, Error> {
        let (client, statement) = self.prepared(sql).await?;
        let done = client.run(&statement, with, self.patience * 2).await;
        done.map_err(|failed| self.database.error_of("writing", failed))
    }

    /// Returns a connection on which a statement is prepared. While the server starts again, this
    /// waits for it; one that gives no answer is tried twice.
    async fn prepared(&self, sql: &str) -> Result<(BusyConnection, Statement), Error> {
        let begin = Instant::now();
        let mut tries = 0;
        loop {
            tries += 1;
            let failed = match self.take().await {
                Ok(client) => match client.prepare(sql, self.patience).await {
                    Ok((client, statement)) => return Ok((client, statement)),
                    Err(failed) => self.database.error_of("preparing a statement", failed),
                },
                Err(error) => error,
            };
            let is_late = begin.elapsed() > RESTART && tries > 1;
            if failed.kind() != ErrorKind::Unavailable || is_late {
                return Err(failed);
            }
            sleep(PAUSE).await;
        }
    }

    async fn take(&self) -> Result<BusyConnection, Error> {
        let Ok(taken) = timeout(self.checkout, self.pool.get()).await else {
            return Err(self.database.error_of("connecting", Failed::Silent));
        };
        let taken = taken.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                self.database.failed("connecting", error)
            }
            other => {
                let unavailable = self.database.error(ErrorKind::Unavailable, "is not available");
                unavailable.with_source(other.to_string())
            }
        });
        taken.map(|client| BusyConnection::new(client, &self.pool))
    }
}

/// Sets the parameters that the statements rely on, whatever the server's defaults.
fn settings() -> Hook {
    Hook::async_fn(|client, _| {
        Box::pin(async move {
            let longest = LONGEST.as_millis();
            let settings = format!("{ISOLATED}; set statement_timeout = {longest}");
            client.batch_execute(&settings).await.map_err(HookError::Backend)
        })
    })
}

pub(crate) const ISOLATED: &str = "set default_transaction_isolation = 'read committed'";

/// The time for which a store waits for a server that restarts.
const RESTART: Duration = Duration::from_secs(6);

const PAUSE: Duration = Duration::from_millis(100);

/// The longest time of a statement, which the server also enforces.
const LONGEST: Duration = Duration::from_secs(60);
