//! A collector on a thread, which answers as a test says.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The reaction of a collector to each request.
#[derive(Clone, Copy)]
pub(super) enum ReceiverReply {
    /// It answers with this status.
    Status(u16),
    /// It never answers.
    Hang,
    /// It closes the connection.
    Close,
    /// The collector does not exist.
    Gone,
}

/// A collector, with the requests that it got.
pub(super) struct Receiver {
    pub(super) address: String,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
}

/// A request that a collector got.
#[derive(Clone)]
pub(super) struct ReceivedRequest {
    /// The request's line and headers, in lower case.
    pub(super) head: String,
    pub(super) body: String,
}

impl Receiver {
    pub(super) fn start(reply: ReceiverReply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::default();
        if !matches!(reply, ReceiverReply::Gone) {
            let requests = Arc::clone(&requests);
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    let requests = Arc::clone(&requests);
                    std::thread::spawn(move || serve(&stream.unwrap(), reply, &requests));
                }
            });
        }
        Self { address, requests }
    }

    /// Returns the requests so far.
    pub(super) fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, reply: ReceiverReply, requests: &Mutex<Vec<ReceivedRequest>>) {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader) {
        requests.lock().unwrap().push(request);
        match reply {
            ReceiverReply::Status(status) => {
                let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
                if stream.write_all(head.as_bytes()).is_err() {
                    return;
                }
            }
            // The other side leaves at some time.
            ReceiverReply::Hang => drop(reader.read_to_end(&mut Vec::new())),
            ReceiverReply::Close | ReceiverReply::Gone => return,
        }
    }
}

fn read(reader: &mut BufReader<&TcpStream>) -> Option<ReceivedRequest> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let head = head.to_lowercase();
    let length = head.split("content-length: ").nth(1)?.lines().next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest { head, body: String::from_utf8_lossy(&body).into_owned() })
}
