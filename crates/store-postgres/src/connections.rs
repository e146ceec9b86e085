//! The connections to the server: how statements run on them, and when they run again.
//!
//! A statement that reads runs again on another connection if the server ended the first one. A
//! statement that changes something does not, because nobody knows whether it was carried out.

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod,
};
use silcrow_store::{Error, ErrorKind};
use tokio::time::{Duration, Instant, sleep};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use crate::address::PostgresAddress;
use crate::fault::{Database, is_cut};
use crate::schema;
use crate::tls::MakeRustls;

/// The connections for reads and writes.
pub(crate) struct Connections {
    pool: Pool,
    pub(crate) database: Database,
}

pub(crate) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Connections {
    /// Connects, and brings the tables to the version of this program.
    pub(crate) async fn open(
        address: &PostgresAddress,
        tls: MakeRustls,
        most: usize,
    ) -> Result<Self, Error> {
        let database = Database(address.to_string());
        let config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), tls, config);
        let pool = Pool::builder(manager).max_size(most.max(1)).post_create(isolated()).build();
        let pool = pool.map_err(|error| {
            database.error(ErrorKind::Unavailable, "cannot be used").with_source(error.to_string())
        })?;
        let connections = Self { pool, database };
        let mut client = connections.take().await?;
        schema::migrate(&mut client, &connections.database).await?;
        drop(client);
        Ok(connections)
    }

    /// Runs a statement that changes nothing.
    pub(crate) async fn read(&self, sql: &str, with: Parameters<'_>) -> Result<Vec<Row>, Error> {
        let mut is_again = false;
        loop {
            let (client, statement) = self.prepared(sql).await?;
            match client.query(&statement, with).await {
                Err(error) if is_cut(&error) && !is_again => is_again = true,
                done => return done.map_err(|error| self.database.failed("reading", error)),
            }
        }
    }

    /// Runs a statement that changes nothing and whose best plan depends on its parameters.
    pub(crate) async fn read_planned(
        &self,
        sql: &str,
        with: Parameters<'_>,
    ) -> Result<Vec<Row>, Error> {
        let mut is_again = false;
        loop {
            // Any statement shows that the connection works.
            let (client, _) = self.prepared("select 1").await?;
            match client.query(sql, with).await {
                Err(error) if is_cut(&error) && !is_again => is_again = true,
                done => return done.map_err(|error| self.database.failed("reading", error)),
            }
        }
    }

    /// Runs a statement that changes something.
    pub(crate) async fn change(&self, sql: &str, with: Parameters<'_>) -> Result<Vec<Row>, Error> {
        let (client, statement) = self.prepared(sql).await?;
        let done = client.query(&statement, with).await;
        done.map_err(|error| self.database.failed("writing", error))
    }

    /// Returns a connection on which a statement is prepared. While the server starts again, this
    /// waits for it.
    async fn prepared(&self, sql: &str) -> Result<(Object, Statement), Error> {
        let begin = Instant::now();
        loop {
            let failed = match self.take().await {
                Ok(client) => match client.prepare_cached(sql).await {
                    Ok(statement) => return Ok((client, statement)),
                    Err(error) => self.database.failed("preparing a statement", error),
                },
                Err(error) => error,
            };
            if failed.kind() != ErrorKind::Unavailable || begin.elapsed() > PATIENCE {
                return Err(failed);
            }
            sleep(PAUSE).await;
        }
    }

    async fn take(&self) -> Result<Object, Error> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                self.database.failed("connecting", error)
            }
            other => {
                let unavailable = self.database.error(ErrorKind::Unavailable, "is not available");
                unavailable.with_source(other.to_string())
            }
        })
    }
}

/// Sets what the statements rely on, whatever the default of the server is.
fn isolated() -> Hook {
    Hook::async_fn(|client, _| {
        Box::pin(async move { client.batch_execute(ISOLATED).await.map_err(HookError::Backend) })
    })
}

pub(crate) const ISOLATED: &str = "set default_transaction_isolation = 'read committed'";

/// How long a store waits for a server that starts again.
const PATIENCE: Duration = Duration::from_secs(6);

const PAUSE: Duration = Duration::from_millis(100);
