//! The outside of a sandbox: servers on this machine that stand for public hosts.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_egress::Outside;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Names of hosts, each at another public address, with its server at all ports.
#[derive(Default)]
pub(crate) struct TestInternet(Mutex<Vec<(&'static str, SocketAddr)>>);

impl TestInternet {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Lets a host be the server at this address.
    pub(crate) fn place(&self, host: &'static str, server: SocketAddr) {
        self.0.lock().unwrap().push((host, server));
    }

    /// Lets a host have pages.
    pub(crate) async fn host(&self, host: &'static str, pages: TestPages) {
        self.place(host, pages.serve().await);
    }
}

impl Outside for TestInternet {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let index = self.0.lock().unwrap().iter().position(|(known, _)| *known == host);
        let address = index.map(|index| Ipv4Addr::new(93, 184, 215, u8::try_from(index).unwrap()));
        let address = address.map(|address| vec![address.into()]);
        async move { address.ok_or_else(|| io::ErrorKind::NotFound.into()) }.boxed()
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        let IpAddr::V4(v4) = address.ip() else { panic!("{address}") };
        let server = self.0.lock().unwrap()[usize::from(v4.octets()[3])].1;
        async move { tokio::net::TcpStream::connect(server).await?.into_std() }.boxed()
    }
}

/// Pages by their paths.
#[derive(Clone, Default)]
pub(crate) struct TestPages(BTreeMap<String, (&'static str, Vec<u8>)>);

impl TestPages {
    pub(crate) fn with(mut self, path: &str, kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        self.0.insert(path.to_owned(), (kind, body.into()));
        self
    }

    /// Adds all files of a folder.
    pub(crate) fn with_files(mut self, path: &str, folder: &std::path::Path) -> Self {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{path}/{}", entry.file_name().to_str().unwrap());
            self = match entry.file_type().unwrap().is_dir() {
                true => self.with_files(&path, &entry.path()),
                false => self.with(&path, "text/plain", std::fs::read(entry.path()).unwrap()),
            };
        }
        self
    }

    /// Serves the pages on this machine, as long as the runtime of the test exists.
    pub(crate) async fn serve(self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(self.clone().answer(stream));
            }
        });
        address
    }

    async fn answer(self, mut stream: tokio::net::TcpStream) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) => return,
            }
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.split(' ').nth(1).unwrap().split('?').next().unwrap().to_owned();
        let found = self.0.get(&path).or_else(|| self.0.get(path.trim_end_matches('/')));
        let (status, kind, body) = match found {
            Some((kind, body)) => ("200 OK", *kind, &body[..]),
            None => ("404 Not Found", "text/plain", &b"there is nothing\n"[..]),
        };
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n"
        );
        let body = if head.starts_with("HEAD") { &b""[..] } else { body };
        // The client may have gone.
        let _ = stream.write_all(&[answer.as_bytes(), body].concat()).await;
    }
}
