//! The connection of a store that no statement of a run waits for: it renews leases, asks for
//! heads, and sends and receives news.
//!
//! It is opened when it is needed, and again after it was cut.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _};
use silcrow_store::Error;
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Row};

use crate::busy::Parameters;
use crate::connections::ISOLATED;
use crate::connector::Connector;
use crate::fault::{Database, Failed};

/// The connection, and the receiver of its messages.
pub(crate) struct SideConnection {
    connector: Connector,
    database: Database,
    client: Mutex<Option<Arc<Client>>>,
    heard: mpsc::Sender<String>,
}

impl SideConnection {
    /// Creates a connection that is not open, and the receiver of its messages.
    pub(crate) fn new(connector: Connector, database: Database) -> (Self, mpsc::Receiver<String>) {
        let (heard, hears) = mpsc::channel(MOST_HEARD);
        (Self { connector, database, client: Mutex::default(), heard }, hears)
    }

    /// Runs a statement, and gives up after a while.
    pub(crate) async fn run(&self, sql: &str, with: Parameters<'_>) -> Result<Vec<Row>, Error> {
        let done = timeout(PATIENCE, async {
            let client = self.client().await?;
            let failed = |error| self.database.failed("keeping a lease", error);
            client.query(sql, with).await.map_err(failed)
        });
        let done = done
            .await
            .unwrap_or_else(|_| Err(self.database.error_of("keeping a lease", Failed::Silent)));
        if done.is_err() {
            *self.client.lock().await = None;
        }
        done
    }

    async fn client(&self) -> Result<Arc<Client>, Error> {
        let mut kept = self.client.lock().await;
        if let Some(client) = kept.as_ref().filter(|client| !client.is_closed()) {
            return Ok(Arc::clone(client));
        }
        let failed = |error| self.database.failed("connecting", error);
        let connected = self.connector.open().await;
        let (client, mut connection) = connected.map_err(failed)?;
        let heard = self.heard.clone();
        let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
        tokio::spawn(async move {
            while let Some(Ok(message)) = messages.next().await {
                if let AsyncMessage::Notification(news) = message {
                    // A store that is behind asks for all heads anyway.
                    let _ = heard.try_send(news.payload().to_owned());
                }
            }
        });
        client.batch_execute(ISOLATED).await.map_err(failed)?;
        // Leases and hints may be lost with the server: another then takes over, or asks.
        client.batch_execute(QUICK).await.map_err(failed)?;
        Ok(Arc::clone(kept.insert(Arc::new(client))))
    }
}

const QUICK: &str = "set synchronous_commit = off; set statement_timeout = 4000; listen silcrow";

/// The time limit of a statement, also for the server.
const PATIENCE: Duration = Duration::from_secs(4);

const MOST_HEARD: usize = 64;
