//! A server that gives each connection one answer, and keeps the requests.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use silcrow_http_client::Url;

#[derive(Clone)]
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl TestServer {
    /// Starts a server that answers with these bytes.
    pub(crate) fn answering(answer: &[u8]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (kept, answer) = (Arc::clone(&requests), answer.to_owned());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (mut request, mut piece) = (Vec::new(), [0; 4096]);
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut piece) {
                        Ok(0) | Err(_) => break,
                        Ok(length) => request.extend_from_slice(&piece[..length]),
                    }
                }
                kept.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
                // The client may have hung up.
                let _ = stream.write_all(&answer);
            }
        });
        Self { address, requests }
    }

    /// Starts a server whose answer has this body.
    pub(crate) fn saying(body: &str) -> Self {
        let length = body.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        );
        Self::answering(answer.as_bytes())
    }

    pub(crate) fn url(&self) -> Url {
        Url::parse(&format!("http://{}/", self.address)).unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}
