//! Clients of several protocols, which read a run from any machine that answers.
//!
//! A client that is cut off, or hears nothing for a while, continues at the next machine from its
//! position, as its protocol allows. It checks the events while it reads them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::machine::TOKEN;

/// The position of the last event of an answered conversation, once it is known.
pub(super) type Target = watch::Receiver<Option<u64>>;

/// A client at work.
pub(super) struct Client {
    kind: &'static str,
    task: JoinHandle<usize>,
}

/// The machines of a client, and the one that it asks next.
#[derive(Clone)]
pub(super) struct Machines {
    pub(super) addresses: Arc<[String]>,
    pub(super) at: usize,
}

impl Client {
    /// Begins the run with a number by one of the protocols, and reads it by this one. Returns the
    /// clients, and whether a machine has acknowledged the prompt.
    pub(super) async fn begin(
        conversation: &str,
        number: usize,
        machines: &Machines,
        target: &Target,
    ) -> (Vec<Self>, bool) {
        let (conversation, machines) = (conversation.to_owned(), machines.clone());
        let elsewhere = machines.clone().next();
        let native = |conversation: String, machines: Machines| Self {
            kind: "native",
            task: tokio::spawn(native(conversation, machines, target.clone())),
        };
        let is_taken = |begun: &Option<Stream>| {
            begun.as_ref().is_some_and(|stream| matches!(stream.status, 200 | 201))
        };
        let (first, is_acknowledged) = match number % 3 {
            0 => {
                let path = format!("/conversations/{conversation}/runs");
                let begun = Stream::open(&machines, "POST", &path, r#"{"prompt":"go"}"#).await;
                (native(conversation.clone(), machines), is_taken(&begun))
            }
            1 => {
                let body = json!({
                    "id": conversation, "trigger": "submit-message",
                    "messages": [{
                        "id": "m1", "role": "user", "parts": [{"type": "text", "text": "go"}],
                    }],
                });
                let stream = Stream::begin(&machines, "/api/chat", &body).await;
                let is_acknowledged = is_taken(&stream);
                let task = ai_sdk(conversation.clone(), machines, target.clone(), stream);
                (Self { kind: "AI SDK", task: tokio::spawn(task) }, is_acknowledged)
            }
            _ => {
                let body = json!({
                    "input": "go", "conversation": conversation, "stream": true,
                    "background": true,
                });
                let stream = Stream::begin(&machines, "/v1/responses", &body).await;
                let is_acknowledged = is_taken(&stream);
                let task = responses(machines, stream);
                (Self { kind: "Responses", task: tokio::spawn(task) }, is_acknowledged)
            }
        };
        (vec![first, native(conversation, elsewhere)], is_acknowledged)
    }

    pub(super) fn stop(&self) {
        self.task.abort();
    }

    /// Waits until the client has read everything, and returns the number of its events.
    pub(super) async fn finish(self, place: &str) -> usize {
        let done = timeout(PATIENCE, self.task).await;
        let done = done.unwrap_or_else(|_| panic!("{place}: a client of {} waits", self.kind));
        done.unwrap_or_else(|why| panic!("{place}: a client of {}: {why}", self.kind))
    }
}

/// Follows the native stream: each stored event comes once and in order, on any machine.
async fn native(conversation: String, mut machines: Machines, mut target: Target) -> usize {
    let (mut last, mut at) = (0_u64, "0.0".to_owned());
    loop {
        let path = format!("/conversations/{conversation}/events?after={at}");
        let stream = Stream::open(&machines, "GET", &path, "").await;
        if let Some(mut stream) = stream.filter(|stream| stream.status == 200) {
            loop {
                let message = tokio::select! {
                    message = stream.next() => message,
                    // It has read everything, and no more comes.
                    _ = target.wait_for(|head| head.is_some_and(|head| last >= head)) => None,
                };
                let Some(message) = message else { break };
                let (seq, n) = message.id.split_once('.').expect("an id is SEQ.N");
                let seq: u64 = seq.parse().unwrap();
                if message.event.as_deref() == Some("reset") {
                    assert_eq!(seq, last, "{conversation}: reset to another event");
                } else if n == "0" {
                    assert_eq!(seq, last + 1, "{conversation}: missing or doubled after {at}");
                    last = seq;
                } else {
                    assert_eq!(seq, last, "{conversation}: a piece of another place");
                }
                at = message.id;
            }
        }
        if target.borrow().is_some_and(|head| last >= head) {
            return last as usize;
        }
        machines = machines.next();
        sleep(PAUSE).await;
    }
}

/// Follows a chat of the AI SDK: each stream begins the message again, and the last one is whole.
async fn ai_sdk(
    conversation: String,
    mut machines: Machines,
    target: Target,
    begun: Option<Stream>,
) -> usize {
    let (mut stream, mut chunks) = (begun, 0);
    loop {
        let (mut text, mut calls) = (String::new(), Vec::new());
        if let Some(mut stream) = stream.take().filter(|stream| stream.status == 200) {
            while let Some(message) = stream.next().await {
                chunks += 1;
                let data = message.data;
                match data["type"].as_str().unwrap_or_default() {
                    // The next owner repeats incomplete text.
                    "text-start" => text.clear(),
                    "text-delta" => text += data["delta"].as_str().unwrap(),
                    "tool-input-available" => {
                        let call = data["toolCallId"].to_string();
                        assert!(!calls.contains(&call), "{conversation}: {call} twice");
                        calls.push(call);
                    }
                    "finish" if text.trim() == ANSWER => return chunks,
                    _ => {}
                }
            }
        }
        assert!(text.len() <= ANSWER.len() + 2, "{conversation}: {text}");
        machines = machines.next();
        sleep(PAUSE).await;
        if target.borrow().is_some() {
            // The run is over: a client reads the message.
            let path = format!("/api/chat/{conversation}");
            if let Some(read) = Stream::open(&machines, "GET", &path, "").await {
                let messages = read.body().await.to_string();
                assert_eq!(messages.matches(ANSWER).count(), 1, "{conversation}: {messages}");
                return chunks;
            }
            continue;
        }
        let path = format!("/api/chat/{conversation}/stream");
        stream = Stream::open(&machines, "GET", &path, "").await;
    }
}

/// Follows a response: the numbers of its events grow, across machines, and the last one has all.
async fn responses(mut machines: Machines, begun: Option<Stream>) -> usize {
    let (mut stream, mut id, mut last, mut count) = (begun, String::new(), None::<u64>, 0);
    loop {
        if let Some(mut stream) = stream.take().filter(|stream| stream.status == 200) {
            while let Some(message) = stream.next().await {
                let data = message.data;
                let Some(number) = data["sequence_number"].as_u64() else { continue };
                assert!(last.is_none_or(|last| last < number), "{id}: {number} after {last:?}");
                (last, count) = (Some(number), count + 1);
                match data["type"].as_str().unwrap_or_default() {
                    "response.created" => id = data["response"]["id"].as_str().unwrap().to_owned(),
                    "response.completed" => {
                        let whole = data.to_string();
                        assert_eq!(whole.matches(ANSWER).count(), 1, "{id}: {whole}");
                        return count;
                    }
                    kind => assert_ne!(kind, "response.failed", "{id}: {data}"),
                }
            }
        }
        assert!(!id.is_empty(), "a response that has begun has an id");
        machines = machines.next();
        sleep(PAUSE).await;
        let after = last.map_or_else(String::new, |last| format!("&starting_after={last}"));
        let path = format!("/v1/responses/{id}?stream=true{after}");
        stream = Stream::open(&machines, "GET", &path, "").await;
    }
}

impl Machines {
    fn next(mut self) -> Self {
        self.at = (self.at + 1) % self.addresses.len();
        self
    }

    fn address(&self) -> &str {
        &self.addresses[self.at]
    }
}

/// The answer to a request, read as a stream of messages.
struct Stream {
    status: u16,
    reader: BufReader<TcpStream>,
}

/// A message of a stream.
struct StreamMessage {
    id: String,
    event: Option<String>,
    data: Value,
}

impl Stream {
    /// Begins a run, which the first machine does unless it is at its limits.
    async fn begin(machines: &Machines, path: &str, body: &Value) -> Option<Self> {
        Self::open(machines, "POST", path, &body.to_string()).await
    }

    /// Sends a request; `None` if the machine does not answer.
    async fn open(machines: &Machines, method: &str, path: &str, body: &str) -> Option<Self> {
        let opened = timeout(SILENCE, async {
            let mut socket = TcpStream::connect(machines.address()).await.ok()?;
            // The answer of an earlier version of HTTP has no chunks.
            let head = format!(
                "{method} {path} HTTP/1.0\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            socket.write_all(head.as_bytes()).await.ok()?;
            let mut reader = BufReader::new(socket);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if reader.read_line(&mut head).await.ok()? == 0 {
                    return None;
                }
            }
            let status = head.split(' ').nth(1)?.parse().ok()?;
            Some(Self { status, reader })
        });
        opened.await.ok()?
    }

    /// Waits for the next message; `None` at the end, or after a silence.
    async fn next(&mut self) -> Option<StreamMessage> {
        let (mut id, mut event, mut data) = (String::new(), None, None);
        loop {
            let mut line = String::new();
            if timeout(SILENCE, self.reader.read_line(&mut line)).await.ok()?.ok()? == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = value.to_owned(),
                Some(("event", value)) => event = Some(value.to_owned()),
                Some(("data", value)) => {
                    data = Some(serde_json::from_str(value).unwrap_or(Value::Null));
                }
                _ => {
                    if let Some(data) = data.take() {
                        return Some(StreamMessage { id, event, data });
                    }
                }
            }
        }
    }

    /// Reads the whole body.
    async fn body(mut self) -> Value {
        let mut text = String::new();
        let _ = timeout(SILENCE, self.reader.read_to_string(&mut text)).await;
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }
}

/// The answer of the model of all machines.
const ANSWER: &str = "All of them are noted, as far as I can see from here.";

/// A machine that lives says something in this time.
const SILENCE: Duration = Duration::from_secs(3);

const PAUSE: Duration = Duration::from_millis(50);

/// The time that a client may take after its conversation is answered, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
