//! A connection with a statement under way.
//!
//! After a statement without an answer, it is unknown what the connection still receives, so it is
//! closed and not used again.

use std::ops::{Deref, DerefMut};

use deadpool_postgres::{Object, Pool};
use futures_util::TryStreamExt as _;
use tokio::time::{Duration, Instant, timeout};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement, ToStatement};

use crate::fault::Failed;

/// The parameters of a statement.
pub(crate) type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A connection in use.
pub(crate) struct BusyConnection {
    client: Option<Object>,
    pool: Pool,
    since: Instant,
}

impl BusyConnection {
    pub(crate) fn new(client: Object, pool: &Pool) -> Self {
        Self { client: Some(client), pool: pool.clone(), since: Instant::now() }
    }

    /// Gives the connection back, because everything on it was answered.
    pub(crate) fn finish(mut self) {
        drop(self.client.take());
    }

    /// Prepares a statement, unless the connection has it.
    pub(crate) async fn prepare(
        self,
        sql: &str,
        limit: Duration,
    ) -> Result<(Self, Statement), Failed> {
        match timeout(limit, self.prepare_cached(sql)).await {
            Ok(Ok(statement)) => Ok((self, statement)),
            Ok(Err(error)) => Err(self.failed(error)),
            Err(_) => Err(Failed::Silent),
        }
    }

    /// Runs a statement, whose rows may be this far apart.
    pub(crate) async fn run<S: ToStatement + ?Sized>(
        self,
        statement: &S,
        with: Parameters<'_>,
        limit: Duration,
    ) -> Result<Vec<Row>, Failed> {
        match self.rows(statement, with, limit).await {
            Ok(rows) => {
                self.finish();
                Ok(rows)
            }
            Err(Failed::Said(error)) => Err(self.failed(error)),
            Err(silent) => Err(silent),
        }
    }

    async fn rows<S: ToStatement + ?Sized>(
        &self,
        statement: &S,
        with: Parameters<'_>,
        limit: Duration,
    ) -> Result<Vec<Row>, Failed> {
        let silent = |_| Failed::Silent;
        let rows = timeout(limit, self.query_raw(statement, with.iter().copied()));
        let rows = rows.await.map_err(silent)??;
        tokio::pin!(rows);
        let mut all = Vec::new();
        while let Some(row) = timeout(limit, rows.try_next()).await.map_err(silent)?? {
            all.push(row);
        }
        Ok(all)
    }

    /// Takes the server's message. A server that can only be read by now is left, too: another one
    /// may have taken its place.
    fn failed(mut self, error: tokio_postgres::Error) -> Failed {
        let failed = Failed::Said(error);
        if failed.is_of_the_past() {
            self.leave();
        } else {
            self.finish();
        }
        failed
    }

    /// Closes this connection and the idle ones.
    fn leave(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
            drop(self.pool.retain(|_, _| false));
        }
    }
}

impl Deref for BusyConnection {
    type Target = Object;

    fn deref(&self) -> &Object {
        self.client.as_ref().expect("only a method that takes the value takes the client")
    }
}

impl DerefMut for BusyConnection {
    fn deref_mut(&mut self) -> &mut Object {
        self.client.as_mut().expect("only a method that takes the value takes the client")
    }
}

impl Drop for BusyConnection {
    fn drop(&mut self) {
        if self.since.elapsed() > SUSPICIOUS {
            return self.leave();
        }
        // The caller wants no answer any more.
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

/// The time that a server may be silent before its other connections are closed as well.
const SUSPICIOUS: Duration = Duration::from_secs(1);
