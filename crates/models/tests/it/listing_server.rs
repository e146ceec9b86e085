//! A server that implements the part of Chat Completions that a test needs, and keeps its requests.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

/// A server that answers each prompt with `§end`, and each question for its models with one list.
pub(crate) struct ListingServer {
    /// The address without a scheme.
    pub(crate) host: String,
    /// The heads of the requests, in order and in lower case.
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
}

impl ListingServer {
    /// Starts a server with this list of models, as JSON.
    pub(crate) fn start(list: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&heads);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let (mut head, mut line) = (String::new(), String::new());
                while stream.read_line(&mut line).unwrap_or_default() > 2 {
                    head += &std::mem::take(&mut line).to_lowercase();
                }
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
                stream.read_exact(&mut vec![0; length]).unwrap();
                let is_list = head.starts_with("get ");
                seen.lock().unwrap().push(head);
                let (kind, body) = match is_list {
                    true => ("application/json", list.to_owned()),
                    false => ("text/event-stream", format!("data: {ANSWER}\n\ndata: [DONE]\n\n")),
                };
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
                     Connection: close\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.get_mut().write_all(answer.as_bytes());
            }
        });
        Self { host, heads }
    }

    /// Returns the name of a model at the server.
    pub(crate) fn model(&self, name: &str) -> String {
        format!("compatible:http://{}/v1#{name}", self.host)
    }
}

const ANSWER: &str = r#"{"choices":[{"delta":{"content":"§end"},"finish_reason":"stop"}]}"#;
