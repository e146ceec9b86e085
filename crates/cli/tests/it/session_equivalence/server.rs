use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use silcrow_event::{Message, Role};
use silcrow_parser::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::{WebSocketStream, accept_async};

use super::answers::{Dice, answer};
use crate::server::input;

/// A model behind Responses that remembers the messages that it received, and the faults of one
/// seed.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) seed: u64,
    pub(crate) dialect: Dialect,
    /// Of 100 events, so many go wrong.
    faults: u64,
    /// Over all connections.
    events: Arc<AtomicUsize>,
    /// The messages that it had at each answer.
    pub(crate) asked: Arc<Mutex<Vec<Vec<Message>>>>,
}

/// The fault at an event.
enum Fault {
    None,
    Abort,
    Close,
    Error,
}

impl Server {
    pub(crate) async fn start(seed: u64, dialect: Dialect, faults: u64) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (events, asked) = Default::default();
        let server = Self { address, seed, dialect, faults, events, asked };
        let serving = server.clone();
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(serving.clone().serve(socket));
            }
        });
        server
    }

    async fn serve(self, mut socket: TcpStream) {
        let mut first = [0; 4];
        socket.peek(&mut first).await.unwrap();
        if first == *b"POST" {
            let body = body(&mut socket).await;
            let events = self.events("r", &input(&body));
            let data = events.iter().map(|event| format!("data: {event}\n\n"));
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            let text = format!("{head}{}", data.collect::<String>());
            let _ = socket.write_all(text.as_bytes()).await;
            return;
        }
        // A closed connection stays closed, no matter which side closed it.
        let _ = self.converse(accept_async(socket).await.unwrap()).await;
    }

    async fn converse(self, mut frames: WebSocketStream<TcpStream>) -> Option<()> {
        let mut known: HashMap<String, Vec<Message>> = HashMap::new();
        loop {
            let Frame::Text(text) = frames.next().await?.ok()? else { continue };
            let event: Value = serde_json::from_str(&text).unwrap();
            let mut conversation = match event["previous_response_id"].as_str() {
                Some(id) => known[id].clone(),
                None => Vec::new(),
            };
            conversation.extend(input(&event));
            let id = format!("r{}", known.len());
            let events = self.events(&id, &conversation);
            let mut written = String::new();
            for event in &events {
                match self.next_fault() {
                    Fault::None => frames.send(Frame::text(event.to_string())).await.ok()?,
                    Fault::Abort => return None,
                    Fault::Close => return frames.close(None).await.ok(),
                    Fault::Error => {
                        let code = "previous_response_not_found";
                        let error = json!({"type": "error", "error": {"code": code}});
                        return frames.send(Frame::text(error.to_string())).await.ok();
                    }
                }
                if event["type"] == "response.output_text.delta" {
                    written.push_str(event["delta"].as_str().unwrap());
                }
            }
            conversation.push(Message::new(Role::Assistant, written));
            known.insert(id, conversation);
        }
    }

    fn next_fault(&self) -> Fault {
        let at = self.events.fetch_add(1, Ordering::SeqCst) as u64;
        let mut dice = Dice::new(self.seed ^ at.wrapping_mul(0xA5A5_5A5A));
        match (dice.roll(100) < self.faults, dice.roll(3)) {
            (false, _) => Fault::None,
            (true, 0) => Fault::Abort,
            (true, 1) => Fault::Close,
            (true, _) => Fault::Error,
        }
    }

    /// The answer to a conversation, event by event.
    fn events(&self, id: &str, conversation: &[Message]) -> Vec<Value> {
        let turn = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(conversation.to_vec());
            asked.len()
        };
        let mut dice = Dice::new(self.seed.wrapping_mul(31) + turn as u64);
        let text = answer(self.dialect, turn, &mut dice);
        let mut events = vec![json!({"type": "response.created", "response": {"id": id}})];
        for piece in silcrow_provider::random_pieces(&text, self.seed) {
            if dice.roll(12) == 0 {
                let kind = "response.reasoning_summary_text.delta";
                events.push(json!({"type": kind, "delta": "thinks"}));
            }
            events.push(json!({"type": "response.output_text.delta", "delta": piece}));
        }
        let status = if dice.roll(12) == 0 { "incomplete" } else { "completed" };
        let end = json!({"id": id, "status": status, "usage": {"input_tokens": 7}});
        events.push(json!({"type": "response.completed", "response": end}));
        events
    }
}

async fn body(socket: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    loop {
        socket.read_buf(&mut bytes).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let Some((_, body)) = text.split_once("\r\n\r\n") else { continue };
        if let Ok(body) = serde_json::from_str(body) {
            return body;
        }
    }
}
