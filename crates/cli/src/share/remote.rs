//! A store that another process has open, read through its socket.

use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use silcrow_event::{self as event, Entry};
use silcrow_store::search::{Hit, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, ErrorKind, Store, Summary, Versioned};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::line::{self, HELLO, StoreRequest, StoreResponse, garbled};
use super::socket;
use crate::lines;

/// A store that another process has open, to be read.
#[derive(Debug)]
pub(crate) struct Remote {
    folder: PathBuf,
}

impl Remote {
    /// The store in `folder`, if a process shares it.
    pub(crate) async fn find(folder: &Path) -> Result<Option<Self>, Error> {
        let found = ResponseReader::connect(folder).await?;
        Ok(found.map(|_| Self { folder: folder.to_owned() }))
    }

    /// The lines of an answer; none where nobody shares the store any more.
    pub(crate) async fn ask(
        folder: &Path,
        request: &StoreRequest,
    ) -> Result<Option<ResponseReader>, Error> {
        let Some(mut answers) = ResponseReader::connect(folder).await? else { return Ok(None) };
        let line = serde_json::to_string(request).map_err(|_| garbled())?;
        let question = format!("{line}\n");
        // The question is sent even if nobody may hear it any more.
        let _ = answers.from.get_mut().get_mut().write_all(question.as_bytes()).await;
        Ok(Some(answers))
    }

    /// All items of an answer, read.
    async fn all<T>(
        &self,
        request: StoreRequest,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let mut answers = Self::ask(&self.folder, &request).await?.ok_or_else(gone)?;
        let mut all = Vec::new();
        loop {
            match answers.next().await? {
                StoreResponse::Item(json) => all.push(read(&json).ok_or_else(garbled)?),
                StoreResponse::Done => return Ok(all),
                StoreResponse::Closed => return Err(gone()),
            }
        }
    }
}

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct ResponseReader {
    folder: PathBuf,
    from: tokio::io::Take<BufReader<UnixStream>>,
}

impl ResponseReader {
    async fn connect(folder: &Path) -> Result<Option<Self>, Error> {
        // Who may write there could answer in another's name.
        silcrow_store_sled::check(folder)?;
        let Ok(stream) = socket::connect(folder).await else { return Ok(None) };
        let mut answers =
            Self { folder: folder.to_owned(), from: BufReader::new(stream).take(LINE) };
        let first = match timeout(PATIENCE, answers.line()).await {
            Err(_) => return Err(silent()),
            // It ended while this one knocked.
            Ok(Err(_) | Ok(None)) => return Ok(None),
            Ok(Ok(Some(first))) => first,
        };
        if first == HELLO {
            return Ok(Some(answers));
        }
        line::read(&first).and_then(|_| Err(garbled()))
    }

    /// What is said next.
    pub(crate) async fn next(&mut self) -> Result<StoreResponse, Error> {
        if let Ok(Some(line)) = self.line().await {
            return line::read(&line);
        }
        // A process that ends in order removes the socket first.
        let is_left =
            Self::connect(&self.folder).await?.is_none() && socket::is_there(&self.folder);
        if is_left { Err(gone()) } else { Ok(StoreResponse::Closed) }
    }

    /// A whole line; the part that a killed process left does not count.
    async fn line(&mut self) -> io::Result<Option<String>> {
        self.from.set_limit(LINE);
        let mut line = String::new();
        self.from.read_line(&mut line).await?;
        Ok(line.strip_suffix('\n').map(str::to_owned))
    }
}

/// The process that answered did not come to the end of it.
fn gone() -> Error {
    let why = "the process that had the store open ended without a word; what it has stored is \
               there: try again";
    Error::new(ErrorKind::Io, why)
}

fn silent() -> Error {
    let why = "the process that has the store open does not answer; see to it, then try again";
    Error::new(ErrorKind::Locked, why)
}

/// Bytes of a line: the longest event or value, and the names around it.
const LINE: u64 = 160 << 20;

/// For the first line.
const PATIENCE: Duration = Duration::from_secs(5);

fn read_only<T: Send + 'static>() -> BoxFuture<'static, Result<T, Error>> {
    let why = "another process has the store open, and lets others read it only; wait for it";
    Box::pin(async move { Err(Error::new(ErrorKind::Locked, why)) })
}

impl Store for Remote {
    fn append<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: Vec<Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        read_only()
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<Entry>, Error>> {
        let (first, last) = positions.into_inner();
        let conversation = conversation.to_owned();
        let read = |json: &str| event::read_entry(json).ok();
        Box::pin(self.all(StoreRequest::Read { conversation, first, last }, read))
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        let conversation = conversation.to_owned();
        Box::pin(async move {
            let heads =
                self.all(StoreRequest::Head { conversation }, |json| json.parse().ok()).await?;
            heads.into_iter().next().ok_or_else(garbled)
        })
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<Entry, Error>> {
        let request = StoreRequest::Follow { conversation: conversation.to_owned(), after };
        let answers = async move {
            let answers = match Self::ask(&self.folder, &request).await {
                Ok(Some(answers)) => answers,
                Ok(None) => return stream::once(async { Err(gone()) }).boxed(),
                Err(error) => return stream::once(async { Err(error) }).boxed(),
            };
            stream::unfold(Some(answers), |answers| async {
                let mut answers = answers?;
                let next = match answers.next().await {
                    Ok(StoreResponse::Item(json)) => {
                        event::read_entry(&json).map_err(|_| garbled())
                    }
                    Ok(_) => Err(gone()),
                    Err(error) => Err(error),
                };
                let goes_on = next.is_ok();
                Some((next, goes_on.then_some(answers)))
            })
            .boxed()
        };
        stream::once(answers).flatten().boxed()
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        let user = user.map(str::to_owned);
        Box::pin(self.all(StoreRequest::List { user }, lines::read_summary))
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        let request = StoreRequest::Get { space: space.to_owned(), key: key.to_owned() };
        Box::pin(async move { Ok(self.all(request, lines::read_value).await?.pop()) })
    }

    fn put<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: u64,
        _: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        read_only()
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        Box::pin(self.all(StoreRequest::Keys {}, lines::read_key))
    }

    fn delete<'a>(&'a self, _: &'a str, _: u64) -> BoxFuture<'a, Result<(), Error>> {
        read_only()
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        Box::pin(async move {
            // Damage comes first, and the counts last.
            let mut report =
                self.all(StoreRequest::Verify {}, |json| Some(json.to_owned())).await?;
            let counts = report.pop().ok_or_else(garbled)?;
            let damage = report.iter().map(|json| lines::read_damage(json)).collect();
            let damage = Option::<Vec<_>>::ok_or_else(damage, garbled)?;
            lines::read_report(&counts, damage).ok_or_else(garbled)
        })
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        let Query { words, except, user, limit } = query.clone();
        Box::pin(self.all(StoreRequest::Search { words, except, user, limit }, lines::read_hit))
    }
}
