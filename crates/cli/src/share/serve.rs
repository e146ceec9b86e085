//! The thread that answers other processes while a run has the store.

use std::io;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_exec::CancellationToken;
use silcrow_store::search::Query;
use silcrow_store::{Error, ErrorKind, Store};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::line::{self, DONE, HELLO, StoreRequest};
use super::socket;
use crate::lines;

/// Answers what other processes ask of a store, until it is dropped.
#[derive(Debug)]
pub(crate) struct Sharing {
    folder: PathBuf,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl Sharing {
    /// Shares the store in `folder`, which this process has open.
    pub(crate) fn start(store: Arc<dyn Store>, folder: &Path) -> io::Result<Self> {
        let listener = socket::bind(folder)?;
        let stop = CancellationToken::new();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        // The run's own thread may wait for a pipe that nobody reads.
        let thread = thread::Builder::new().name("share".to_owned()).spawn({
            let stop = stop.clone();
            move || {
                // Without a listener nobody is answered, and the run continues.
                let _ = runtime.block_on(serve(listener, store, stop));
                runtime.shutdown_background();
            }
        })?;
        Ok(Self { folder: folder.to_owned(), stop, thread: Some(thread) })
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        // While the store is still locked: the next socket is another's. That there is none tells
        // those who follow that the process has ended in order.
        let _ = socket::remove(&self.folder);
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(
    listener: UnixListener,
    store: Arc<dyn Store>,
    stop: CancellationToken,
) -> io::Result<()> {
    let listener = tokio::net::UnixListener::from_std(listener)?;
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = clients.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if clients.len() < CLIENTS => {
                    clients.spawn(client(stream, Arc::clone(&store)));
                }
                Ok((stream, _)) => {
                    let why = format!("{CLIENTS} others ask already; wait for one of them to end");
                    let line = line::failed(&Error::new(ErrorKind::Locked, why));
                    let _ = stream.try_write(format!("{line}\n").as_bytes());
                }
                // There are no descriptors left, or so.
                Err(_) => sleep(PAUSE).await,
            }
        }
    }
    // Where an answer is cut, clients read the rest from the store: the run waits for none.
    Ok(())
}

/// Reads what one client asks, and answers it. Where it has left, nobody wants to know.
async fn client(stream: UnixStream, store: Arc<dyn Store>) -> io::Result<()> {
    let (asks, out) = stream.into_split();
    let mut asks = BufReader::new(asks.take(REQUEST));
    let mut answer = ResponseWriter(out);
    answer.write_line(HELLO).await?;
    let mut asked = Vec::new();
    timeout(PATIENCE, asks.read_until(b'\n', &mut asked)).await??;
    let request = match serde_json::from_slice(&asked) {
        Ok(request) if asked.ends_with(b"\n") => request,
        _ => {
            let why = "that is no question to a store, on one line of at most 64 KiB";
            return answer.write_line(&line::failed(&Error::new(ErrorKind::Refused, why))).await;
        }
    };
    let answered = match request {
        StoreRequest::Follow { conversation, after } => {
            tokio::select! {
                followed = answer.follow(&*store, &conversation, after) => followed,
                // Nothing else is expected, so whatever comes is the end.
                _ = asks.read_u8() => return Ok(()),
            }
        }
        request => answer.items(&*store, request).await,
    };
    match answered {
        Err(ResponseError::Store(error)) => answer.write_line(&line::failed(&error)).await,
        _ => Ok(()),
    }
}

/// The way back to a client.
struct ResponseWriter(OwnedWriteHalf);

/// Why an answer did not come to its end.
enum ResponseError {
    /// The client has left.
    Client,
    /// The store failed; the client receives the error.
    Store(Error),
}

impl From<io::Error> for ResponseError {
    fn from(_: io::Error) -> Self {
        Self::Client
    }
}

impl From<Error> for ResponseError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl ResponseWriter {
    async fn write_line(&mut self, line: &str) -> io::Result<()> {
        self.0.write_all(format!("{line}\n").as_bytes()).await
    }

    async fn item(&mut self, json: &str) -> io::Result<()> {
        self.write_line(&line::item(json)).await
    }

    async fn items(
        &mut self,
        store: &dyn Store,
        request: StoreRequest,
    ) -> Result<(), ResponseError> {
        match request {
            StoreRequest::List { user } => {
                for summary in store.list(user.as_deref()).await? {
                    self.item(&lines::summary(&summary)).await?;
                }
            }
            StoreRequest::Read { conversation, first, last } => {
                self.entries(store, &conversation, first, last).await?;
            }
            StoreRequest::Head { conversation } => {
                let head = store.head(&conversation).await?;
                self.item(&head.to_string()).await?;
            }
            StoreRequest::Get { space, key } => {
                if let Some(kept) = store.get(&space, &key).await? {
                    self.item(&lines::value(&kept)).await?;
                }
            }
            StoreRequest::Keys {} => {
                for (space, key) in store.keys().await? {
                    self.item(&lines::key(&space, &key)).await?;
                }
            }
            StoreRequest::Verify {} => {
                let report = store.verify().await?;
                for damage in &report.damage {
                    self.item(&lines::damage(damage)).await?;
                }
                self.item(&lines::report(&report)).await?;
            }
            StoreRequest::Search { words, except, user, limit } => {
                let query = Query { words, except, user, limit };
                for hit in store.search(&query).await? {
                    self.item(&lines::hit(&hit)).await?;
                }
            }
            StoreRequest::Follow { .. } => {}
        }
        Ok(self.write_line(DONE).await?)
    }

    /// The entries from `first` to `last`, as far as they exist.
    async fn entries(
        &mut self,
        store: &dyn Store,
        conversation: &str,
        first: u64,
        last: u64,
    ) -> Result<(), ResponseError> {
        let mut next = first.max(1);
        while next <= last {
            let page = next..=last.min(next.saturating_add(PAGE - 1));
            let entries = store.read(conversation, page).await?;
            if entries.is_empty() {
                break;
            }
            next = next.saturating_add(entries.len() as u64);
            for entry in entries {
                self.item(&entry.to_json()).await?;
            }
        }
        Ok(())
    }

    /// The entries after a position, for as long as this process has the store open.
    async fn follow(
        &mut self,
        store: &dyn Store,
        conversation: &str,
        after: u64,
    ) -> Result<(), ResponseError> {
        if store.head(conversation).await? < after {
            let why = format!(
                "conversation {conversation:?} was removed meanwhile; follow it from its beginning"
            );
            return Err(Error::new(ErrorKind::Conflict, why).into());
        }
        let mut entries = store.follow(conversation, after);
        while let Some(entry) = entries.next().await {
            self.item(&entry?.to_json()).await?;
        }
        Ok(())
    }
}

/// Connections at once.
const CLIENTS: usize = 32;

/// Bytes of a question.
const REQUEST: u64 = 64 << 10;

/// How long a client may wait before it asks.
const PATIENCE: Duration = Duration::from_secs(10);

const PAUSE: Duration = Duration::from_millis(100);

/// Entries read at once.
const PAGE: u64 = 64;
