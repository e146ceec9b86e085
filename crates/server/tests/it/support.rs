//! A server at a socket, a client, and a model whose pieces a test releases one by one.

use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::{StreamExt as _, stream};
use serde_json::Value;
use silcrow_agent::Agent;
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_server::{AccessToken, CancellationToken, Options, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::described::{Described, DescribedAnswers};
pub(crate) use crate::reply::Reply;

/// A model that writes the pieces that a test sends. An empty piece ends an answer. The part of an
/// answer that a run does not read does not carry over to the next one.
#[derive(Clone)]
pub(crate) struct SlowModel(Arc<tokio::sync::Mutex<SentPieces>>);

struct SentPieces {
    pieces: mpsc::Receiver<String>,
    /// Whether the end of the last answer was not read.
    is_open: bool,
}

impl SlowModel {
    pub(crate) fn new() -> (Self, mpsc::Sender<String>) {
        let (sender, pieces) = mpsc::channel(10_000);
        let pieces = SentPieces { pieces, is_open: false };
        (Self(Arc::new(tokio::sync::Mutex::new(pieces))), sender)
    }
}

impl SentPieces {
    async fn next(&mut self) -> String {
        let piece = self.pieces.recv().await.unwrap_or_default();
        self.is_open = !piece.is_empty();
        piece
    }
}

impl Provider for SlowModel {
    fn name(&self) -> &str {
        "slow"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        let sent = Arc::clone(&self.0);
        let begin = async move {
            let mut sent = sent.lock_owned().await;
            while sent.is_open {
                sent.next().await;
            }
            sent.is_open = true;
            stream::unfold(Some(sent), |sent| async {
                let mut sent = sent?;
                match sent.next().await {
                    piece if piece.is_empty() => Some((Ok(Delta::Done(FinishReason::Stop)), None)),
                    piece => Some((Ok(Delta::Text(piece)), Some(sent))),
                }
            })
        };
        stream::once(begin).flatten().boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A server at a socket, which stops with this value.
pub(crate) struct TestServer {
    pub(crate) server: Server,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) stop: CancellationToken,
    pub(crate) served: JoinHandle<()>,
}

impl TestServer {
    pub(crate) async fn new(model: impl Provider + Clone + 'static) -> Self {
        Self::with(model, Options::default(), |agent| agent).await
    }

    pub(crate) async fn with(
        model: impl Provider + Clone + 'static,
        options: Options,
        equip: impl Fn(Agent) -> Agent + Send + Sync + 'static,
    ) -> Self {
        let store = Arc::new(MemoryStore::new());
        let kept = Arc::clone(&store);
        let source = move |_: &RunPlace| equip(Agent::new(model.clone(), Arc::clone(&kept)));
        let token = AccessToken::random().unwrap();
        let server = Server::new(Arc::clone(&store), source)
            .with_options(options)
            .with_token(token.clone(), ServerUser::default());
        Self::serve(server, store, token.reveal()).await
    }

    pub(crate) async fn serve(server: Server, store: Arc<MemoryStore>, token: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let (serving, stops) = (server.clone(), stop.clone());
        let served = tokio::spawn(async move { serving.serve(listener, stops).await });
        Self { server, store, address, token, stop, served }
    }

    /// Sends a request with the token.
    pub(crate) async fn send(&self, method: &str, path: &str, body: &str) -> Reply {
        self.send_as(&self.token, method, path, body).await
    }

    pub(crate) async fn send_as(&self, token: &str, method: &str, path: &str, body: &str) -> Reply {
        let bearer = format!("authorization: Bearer {token}\r\n");
        self.send_raw(method, path, &bearer, body).await
    }

    /// Sends a request with these headers, and reads the whole answer.
    pub(crate) async fn send_raw(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Reply {
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        let host = match headers.contains("host:") {
            true => String::new(),
            false => format!("host: {}\r\n", self.address),
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        // A server that refuses the head reads no body.
        let _ = socket.write_all(body.as_bytes()).await;
        let mut bytes = Vec::new();
        let _ = socket.read_to_end(&mut bytes).await;
        let reply = Reply::parse(&String::from_utf8_lossy(&bytes));
        if let Some(described) = Described::get().await.answers(method, path) {
            described.check(reply.status, &reply.head, &reply.body);
        }
        reply
    }

    /// Sends a request, and reads the answer as a stream.
    pub(crate) async fn open(&self, method: &str, path: &str, body: &str) -> EventClient {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
             content-length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len(),
        );
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        socket.write_all(head.as_bytes()).await.unwrap();
        let described = Described::get().await.answers(method, path);
        EventClient::open(socket).await.described(described)
    }

    /// Begins a run, and returns its id.
    pub(crate) async fn start(&self, conversation: &str, prompt: &str) -> String {
        let body = serde_json::json!({ "prompt": prompt }).to_string();
        let reply = self.send("POST", &format!("/conversations/{conversation}/runs"), &body).await;
        assert_eq!(reply.status, 201, "{}", reply.body);
        reply.json()["run"].as_str().unwrap().to_owned()
    }

    /// Opens a stream of events.
    pub(crate) async fn events(&self, path: &str, after: Option<&str>) -> EventClient {
        self.events_as(&self.token, path, after).await
    }

    pub(crate) async fn events_as(
        &self,
        token: &str,
        path: &str,
        after: Option<&str>,
    ) -> EventClient {
        let after = after.map_or_else(String::new, |id| format!("last-event-id: {id}\r\n"));
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n{after}\r\n",
            self.address
        );
        let mut socket = TcpStream::connect(self.address).await.unwrap();
        socket.write_all(head.as_bytes()).await.unwrap();
        let described = Described::get().await.answers("GET", path);
        EventClient::open(socket).await.described(described)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// A reader of a stream of server-sent events.
pub(crate) struct EventClient {
    socket: BufReader<TcpStream>,
    text: String,
    pub(crate) head: String,
    described: Option<DescribedAnswers>,
}

/// A message of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerEvent {
    pub(crate) id: String,
    pub(crate) event: Option<String>,
    pub(crate) data: Value,
}

impl EventClient {
    pub(crate) async fn open(socket: TcpStream) -> Self {
        let mut socket = BufReader::new(socket);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(socket.read_line(&mut head).await.unwrap() > 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        Self { socket, text: String::new(), head: head.to_ascii_lowercase(), described: None }
    }

    /// Compares its input with the description.
    fn described(self, described: Option<DescribedAnswers>) -> Self {
        Self { described, ..self }
    }

    fn check(&self, data: &str) {
        if let Some(described) = &self.described {
            described.check_data(data);
        }
    }

    /// Waits for the next message; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<ServerEvent> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                let field = |name: &str| {
                    block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned)
                };
                if let Some(data) = field("data: ") {
                    self.check(&data);
                    let data = serde_json::from_str(&data).unwrap();
                    return Some(ServerEvent { id: field("id: ")?, event: field("event: "), data });
                }
            }
            self.chunk().await?;
        }
    }

    /// Waits for the data of the next message of a stream without ids.
    pub(crate) async fn next_data(&mut self) -> Option<Value> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let data = block.lines().find_map(|line| line.strip_prefix("data: "));
                data.inspect(|data| self.check(data));
                let data =
                    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into()));
                self.text = rest.to_owned();
                if data.is_some() {
                    return data;
                }
            }
            self.chunk().await?;
        }
    }

    /// Reads messages up to one of this type, and returns them.
    pub(crate) async fn until(&mut self, kind: &str) -> Vec<ServerEvent> {
        let mut read = Vec::new();
        while let Some(event) = self.next().await {
            let is_last = event.data["type"] == kind;
            read.push(event);
            if is_last {
                return read;
            }
        }
        panic!("the stream ended before {kind}: {read:?}")
    }

    /// Reads everything to the end of the stream.
    pub(crate) async fn rest(&mut self) -> Vec<ServerEvent> {
        let mut read = Vec::new();
        while let Some(event) = self.next().await {
            read.push(event);
        }
        read
    }

    async fn chunk(&mut self) -> Option<()> {
        let mut size = String::new();
        self.socket.read_line(&mut size).await.ok()?;
        let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
        let mut bytes = vec![0; size + 2];
        self.socket.read_exact(&mut bytes).await.ok()?;
        self.text += std::str::from_utf8(&bytes[..size]).unwrap();
        Some(())
    }
}

/// Runs a test on a separate runtime.
pub(crate) fn block_on<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}
