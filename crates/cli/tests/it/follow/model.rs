use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// A server whose model says what a test says, when it does.
pub(super) struct Model {
    listener: TcpListener,
}

/// One answer on its way.
pub(super) struct Answering {
    stream: TcpStream,
}

impl Model {
    pub(super) fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    /// As `--model` takes it.
    pub(super) fn name(&self) -> String {
        format!("compatible:http://{}/v1#m", self.listener.local_addr().unwrap())
    }

    /// Waits for a request.
    pub(super) fn asked(&self) -> Answering {
        let (mut stream, _) = self.listener.accept().unwrap();
        let mut request = BufReader::new(stream.try_clone().unwrap());
        let mut length = 0;
        loop {
            let mut line = String::new();
            request.read_line(&mut line).unwrap();
            if line == "\r\n" {
                break;
            }
            let lower = line.to_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        request.read_exact(&mut vec![0; length]).unwrap();
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        Answering { stream }
    }
}

impl Answering {
    pub(super) fn send_text(&mut self, text: &str) {
        let delta = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        write!(self.stream, "data: {delta}\n\n").unwrap();
    }

    pub(super) fn end(mut self) {
        let end =
            serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        write!(self.stream, "data: {end}\n\ndata: [DONE]\n\n").unwrap();
    }
}
