use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::server::request;

/// A server whose model sends the text of a test at the time of the test.
pub(crate) struct Model {
    listener: TcpListener,
}

/// One answer on its way.
pub(crate) struct Answering {
    stream: TcpStream,
    /// The request, with its head.
    pub(crate) request: String,
}

impl Model {
    pub(crate) fn new() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    /// As `--model` takes it.
    pub(crate) fn name(&self) -> String {
        format!("compatible:http://{}/v1#m", self.listener.local_addr().unwrap())
    }

    /// Waits for a request. A client may hang up without one, if another connection was quicker.
    pub(crate) fn asked(&self) -> Answering {
        let (mut stream, request) = loop {
            let (mut stream, _) = self.listener.accept().unwrap();
            let request = request(&mut stream);
            if !request.is_empty() {
                break (stream, request);
            }
        };
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        Answering { stream, request }
    }
}

impl Answering {
    pub(crate) fn send_text(&mut self, text: &str) {
        self.try_send_text(text).unwrap();
    }

    /// Sends text to a run that may have left.
    pub(crate) fn try_send_text(&mut self, text: &str) -> std::io::Result<()> {
        let delta = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
        write!(self.stream, "data: {delta}\n\n")
    }

    /// Waits until the run has left in the middle of the answer.
    pub(crate) fn wait_until_left(mut self) {
        self.stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let read = self.stream.read(&mut [0]);
        let is_reset = read.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionReset);
        assert!(is_reset || matches!(read, Ok(0)), "the run stays: {read:?}");
    }

    pub(crate) fn end(mut self) {
        let end =
            serde_json::json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        write!(self.stream, "data: {end}\n\ndata: [DONE]\n\n").unwrap();
    }
}
