//! A proxy with an outside that a test makes.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_egress::{EgressProxy, NetworkPass, Outside, ProxyLimits, ProxyServer};
use silcrow_event::{Grant, Grants};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Names, the servers at public addresses, and the requested names and addresses.
#[derive(Default)]
pub(crate) struct TestOutside {
    /// The answers for each name, one after the other; the last one stays.
    names: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
    /// The real addresses of the servers that stand for public ones.
    servers: Mutex<BTreeMap<SocketAddr, SocketAddr>>,
    pub(crate) resolved: Mutex<Vec<String>>,
    pub(crate) connected: Mutex<Vec<SocketAddr>>,
}

impl Outside for TestOutside {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.resolved.lock().unwrap().push(host.to_owned());
        let mut names = self.names.lock().unwrap();
        let answer = names.get_mut(host).map(|answers| match answers.len() {
            1 => answers[0].clone(),
            _ => answers.remove(0),
        });
        async move { answer.ok_or_else(|| io::ErrorKind::NotFound.into()) }.boxed()
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.connected.lock().unwrap().push(address);
        let server = self.servers.lock().unwrap().get(&address).copied();
        async move {
            let server = server.ok_or(io::ErrorKind::ConnectionRefused)?;
            tokio::net::TcpStream::connect(server).await?.into_std()
        }
        .boxed()
    }
}

/// A proxy that serves on this machine.
pub(crate) struct Stage {
    pub(crate) outside: Arc<TestOutside>,
    pub(crate) proxy: EgressProxy,
    pub(crate) server: ProxyServer,
    pub(crate) port: u16,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with_limits(ProxyLimits::default())
    }

    pub(crate) fn with_limits(limits: ProxyLimits) -> Self {
        let outside = Arc::new(TestOutside::default());
        let proxy = EgressProxy::new().with_outside(Arc::clone(&outside)).with_limits(limits);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = proxy.serve(listener).unwrap();
        Self { outside, proxy, server, port }
    }

    /// Lets a name have these addresses.
    pub(crate) fn name(&self, name: &str, addresses: &[&str]) {
        self.names(name, &[addresses]);
    }

    /// Lets a name have other addresses each time.
    pub(crate) fn names(&self, name: &str, answers: &[&[&str]]) {
        let parsed = |list: &&[&str]| list.iter().map(|text| text.parse().unwrap()).collect();
        let answers = answers.iter().map(parsed).collect();
        self.outside.names.lock().unwrap().insert(name.to_owned(), answers);
    }

    /// Lets a server on this machine stand for a public address.
    pub(crate) fn place(&self, address: &str, server: SocketAddr) {
        self.outside.servers.lock().unwrap().insert(address.parse().unwrap(), server);
    }

    /// Starts a server for a name at a port.
    pub(crate) async fn host(&self, name: &str, port: u16) -> TestServer {
        let server = TestServer::start().await;
        self.name(name, &[PUBLIC]);
        self.place(&format!("{PUBLIC}:{port}"), server.address);
        server
    }

    /// Opens a pass for which nobody can be asked.
    pub(crate) fn pass(&self, hosts: &[&str]) -> NetworkPass {
        self.proxy.open(&grants(hosts), |_| Box::pin(async { Err("nobody is there".to_owned()) }))
    }

    pub(crate) async fn client(&self) -> tokio::net::TcpStream {
        tokio::net::TcpStream::connect(("127.0.0.1", self.port)).await.unwrap()
    }

    /// Sends a text to the proxy, closes nothing, and returns all that comes back until the end.
    pub(crate) async fn exchange(&self, text: &str) -> String {
        let mut client = self.client().await;
        client.write_all(text.as_bytes()).await.unwrap();
        read_to_end(&mut client).await
    }

    /// Asks for a tunnel, and returns the status of the answer and the connection.
    pub(crate) async fn connect(
        &self,
        pass: &NetworkPass,
        authority: &str,
    ) -> (u16, tokio::net::TcpStream) {
        let mut client = self.client().await;
        let head = connect_head(pass, authority);
        client.write_all(head.as_bytes()).await.unwrap();
        let status = status(&read_head(&mut client).await);
        (status, client)
    }

    /// Requests a URL in plain HTTP, with further lines in the head, and returns the whole answer.
    pub(crate) async fn get(&self, pass: &NetworkPass, url: &str, more: &str) -> String {
        let authorization = pass.authorization();
        self.exchange(&format!(
            "GET {url} HTTP/1.1\r\nHost: ignored.example\r\nProxy-Authorization: {authorization}\r\n\
             Connection: close\r\n{more}\r\n"
        ))
        .await
    }
}

pub(crate) fn grants(hosts: &[&str]) -> Grants {
    hosts.iter().map(|host| Grant::Network((*host).to_owned())).collect()
}

pub(crate) fn connect_head(pass: &NetworkPass, authority: &str) -> String {
    let authorization = pass.authorization();
    format!("CONNECT {authority} HTTP/1.1\r\nProxy-Authorization: {authorization}\r\n\r\n")
}

pub(crate) async fn read_to_end(from: &mut tokio::net::TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end, too.
    let end = timeout(HANGS, from.read_to_end(&mut bytes)).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert!(end.is_ok(), "the connection does not end: {text}");
    text
}

/// Reads up to the end of a head.
pub(crate) async fn read_head(from: &mut tokio::net::TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match from.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8(head).unwrap()
}

/// Returns the status of an answer; 0 without one.
pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).map_or(0, |status| status.parse().unwrap_or(0))
}

/// A server that reads and answers as its test says, and counts its connections.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    /// The text that each connection sent.
    pub(crate) received: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl TestServer {
    /// Starts a server that answers each head of HTTP with its own name, and echoes everything else
    /// that begins with `echo`.
    pub(crate) async fn start() -> Self {
        Self::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nKeep-Alive: 9\r\n\r\nhello").await
    }

    pub(crate) async fn answering(answer: &'static str) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&received);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let index = {
                    let mut all = all.lock().unwrap();
                    all.push(String::new());
                    all.len() - 1
                };
                tokio::spawn(serve(stream, answer, Arc::clone(&all), index));
            }
        });
        Self { address, received, task }
    }

    pub(crate) fn connections(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    pub(crate) fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: tokio::net::TcpStream,
    answer: &'static str,
    received: Arc<Mutex<Vec<String>>>,
    index: usize,
) {
    let mut bytes = [0; 16 * 1024];
    let mut is_echo = false;
    let mut unanswered = String::new();
    loop {
        let read = stream.read(&mut bytes).await.unwrap_or(0);
        if read == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
        received.lock().unwrap()[index].push_str(&text);
        is_echo |= text.starts_with("echo");
        if is_echo {
            stream.write_all(&bytes[..read]).await.unwrap();
            continue;
        }
        unanswered.push_str(&text);
        let is_whole = match unanswered.contains("transfer-encoding: chunked") {
            true => unanswered.ends_with("0\r\n\r\n"),
            false => unanswered.contains("\r\n\r\n"),
        };
        if is_whole {
            unanswered.clear();
            // The client may have gone.
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    }
    let _ = stream.shutdown().await;
}

/// The time after which a connection that has to end counts as one that does not.
const HANGS: Duration = Duration::from_secs(5);

/// The public address that servers of tests have.
pub(crate) const PUBLIC: &str = "93.184.215.14";
