//! The store: the [`Store`] trait over a database.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event as event;
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::{self, Report};
use silcrow_store::{
    Error, Hold, ListPage, SharedRuns, Store, Summary, Versioned, spaces, validate,
};

use crate::address::PostgresAddress;
use crate::bytes::limit;
use crate::connections::Connections;
use crate::connector::Connector;
use crate::counts::Counted;
use crate::leases::fenced;
use crate::options::Options;
use crate::runs::PostgresRuns;
use crate::shared::SharedStore;
use crate::side_connection::SideConnection;
use crate::tls::MakeRustls;
use crate::{hold, logs, search, values};

/// A store in a database of a PostgreSQL server, version 15 or newer, which any number of machines
/// share.
///
/// An event or a value is at most 64 MiB long; longer ones are rejected. The store works in the
/// tokio runtime in which it was opened.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_store::ErrorKind;
/// use silcrow_store_postgres::{Options, PostgresAddress, PostgresStore};
///
/// // No server is at this port.
/// let address = PostgresAddress::parse("postgres://ann@127.0.0.1:1/agents", |_| None).unwrap();
/// let error = PostgresStore::open(address, Options::default()).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unavailable);
/// assert!(error.is_retryable());
/// # });
/// ```
pub struct PostgresStore {
    shared: Arc<SharedStore>,
    runs: PostgresRuns,
}

impl PostgresStore {
    /// Connects to the database and creates missing tables in the schema `silcrow`.
    ///
    /// # Errors
    ///
    /// - [`Unavailable`](silcrow_store::ErrorKind::Unavailable): the server cannot be reached.
    /// - [`Refused`](silcrow_store::ErrorKind::Refused): the server rejects the user, the password or the name of
    ///   the database, or its certificate cannot be trusted.
    /// - [`Format`](silcrow_store::ErrorKind::Format): the server is too old, or the tables belong
    ///   to a later version of this crate.
    pub async fn open(address: PostgresAddress, options: Options) -> Result<Self, Error> {
        let connector = Connector::new(&address, MakeRustls::new(&address)?);
        let (most, patience) = (options.connections, options.patience);
        let connections = Connections::open(&address, connector.clone(), most, patience).await?;
        let link = SideConnection::new(connector, connections.database.clone());
        let shared = Arc::new(SharedStore::new(connections, link, options));
        Ok(Self { runs: PostgresRuns(Arc::clone(&shared)), shared })
    }

    /// Returns the error for a change that did not fit the head or the epoch.
    async fn conflict(&self, conversation: &str, expected: u64, epoch: Option<i64>) -> Error {
        match logs::head(&self.shared.connections, conversation).await {
            Ok((_, found)) if epoch.is_some() && epoch != found => self.fenced(conversation),
            Ok((head, _)) => validate::head_conflict(conversation, expected, head),
            Err(error) => error,
        }
    }

    /// Returns the epoch that fences a write to a conversation; `None` if it is not held here.
    fn epoch(&self, conversation: &str) -> Result<Option<i64>, Error> {
        let is_over = |()| self.fenced(conversation);
        self.shared.leases.epoch(conversation).map_err(is_over)
    }

    /// Counts a write of an owner that has lost its conversation, and returns its error.
    fn fenced(&self, conversation: &str) -> Error {
        self.shared.counts.add(Counted::Fenced);
        fenced(conversation)
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("PostgresStore");
        debug.field("database", &self.shared.connections.database.0).finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        mut batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let head = validate::assign_positions(expected, &mut batch)?;
            let connections = &self.shared.connections;
            let epoch = self.epoch(conversation)?;
            if batch.is_empty() {
                let (head, _) = logs::head(connections, conversation).await?;
                return match head == expected {
                    true => Ok(head),
                    false => Err(validate::head_conflict(conversation, expected, head)),
                };
            }
            if !logs::append(connections, conversation, expected, epoch, &batch).await? {
                return Err(self.conflict(conversation, expected, epoch).await);
            }
            self.shared.counts.add(Counted::Append);
            self.shared.publish(conversation, head);
            Ok(head)
        })
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<event::Entry>, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            logs::read(&self.shared.connections, conversation, &positions).await
        })
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            Ok(logs::head(&self.shared.connections, conversation).await?.0)
        })
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>> {
        self.shared.watch();
        self.shared.heads.follow(self, conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            logs::list(&self.shared.connections, user).await
        })
    }

    fn list_page<'a>(
        &'a self,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ListPage, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            logs::list_page(&self.shared.connections, user, after, limit).await
        })
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            logs::summary_of(&self.shared.connections, conversation).await
        })
    }

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(logs::ids_beginning_with(&self.shared.connections, beginning))
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        Box::pin(async move {
            validate::name("space", space)?;
            validate::name("key", key)?;
            values::get(&self.shared.connections, space, key).await
        })
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("space", space)?;
            validate::name("key", key)?;
            limit("value", value.len())?;
            let connections = &self.shared.connections;
            let conversation = spaces::conversation(space);
            let epoch = conversation.map(|id| self.epoch(id)).transpose()?.flatten();
            if values::put(connections, space, key, expected, epoch, &value).await? {
                return Ok(expected + 1);
            }
            if let (Some(id), Some(_)) = (conversation, epoch)
                && logs::head(connections, id).await?.1 != epoch
            {
                return Err(self.fenced(id));
            }
            let version =
                values::get(connections, space, key).await?.map_or(0, |kept| kept.version);
            Err(validate::version_conflict(space, key, expected, version))
        })
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        Box::pin(values::keys(&self.shared.connections))
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let epoch = self.epoch(conversation)?;
            match logs::delete(&self.shared.connections, conversation, expected, epoch).await? {
                true => Ok(()),
                false => Err(self.conflict(conversation, expected, epoch).await),
            }
        })
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        Box::pin(verify::read_all(self))
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(async move {
            validate::user(query.user.name())?;
            search::search(&self.shared.connections, query).await
        })
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            hold::hold(&self.shared, conversation).await
        })
    }

    fn shared_runs(&self) -> &dyn SharedRuns {
        &self.runs
    }
}
