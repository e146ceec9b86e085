//! A client of the native stream, which costs little.

use std::error::Error;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::TOKEN;

/// A connection that streams the events of a conversation.
pub(crate) struct Follower {
    socket: TcpStream,
    text: String,
    /// The id of the last message.
    pub(crate) last: Option<String>,
}

/// A message of a stream.
pub(crate) struct LoadMessage {
    /// The text of a piece of the answer.
    pub(crate) piece: Option<String>,
    /// The whole answer, once it is stored.
    pub(crate) whole: Option<String>,
    pub(crate) is_reset: bool,
    pub(crate) is_end: bool,
}

impl Follower {
    /// Follows a conversation, after the message with this id.
    pub(crate) async fn open(
        port: u16,
        conversation: &str,
        after: Option<String>,
    ) -> Result<Self, Box<dyn Error>> {
        let last = after.as_ref().map_or_else(String::new, |id| format!("last-event-id: {id}\r\n"));
        let path = format!("/conversations/{conversation}/events");
        let mut socket = request(port, "GET", &path, &last, "").await?;
        let mut text = String::new();
        while !text.contains("\r\n\r\n") {
            read(&mut socket, &mut text).await?;
        }
        if !text.starts_with("HTTP/1.1 200") {
            return Err(text.into());
        }
        text.drain(..text.find("\r\n\r\n").unwrap_or_default() + 4);
        Ok(Self { socket, text, last: after })
    }

    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Result<LoadMessage, Box<dyn Error>> {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                // The sizes of chunks stand between messages.
                let Some(id) = field(&block, "id: ") else { continue };
                self.last = Some(id.to_owned());
                return Ok(LoadMessage::read(&block));
            }
            read(&mut self.socket, &mut self.text).await?;
        }
    }
}

impl LoadMessage {
    fn read(block: &str) -> Self {
        let data = field(block, "data: ").unwrap_or_default();
        // The text of these answers has nothing that JSON would escape, but its line end.
        let content =
            data.split_once("\"content\":\"").and_then(|(_, rest)| rest.split('"').next());
        let content = content.filter(|_| data.contains("\"type\":\"respond\"")).map(str::to_owned);
        let is_piece = data.contains("\"part\":");
        let (piece, whole) = if is_piece { (content, None) } else { (None, content) };
        Self {
            piece,
            whole,
            is_reset: block.contains("event: reset"),
            is_end: data.contains("\"type\":\"idle\""),
        }
    }
}

/// Begins a run with a prompt to the model.
pub(crate) async fn begin(
    port: u16,
    conversation: &str,
    prompt: &str,
) -> Result<(), Box<dyn Error>> {
    let path = format!("/conversations/{conversation}/runs");
    let body = format!("{{\"prompt\":\"{prompt}\"}}");
    let mut socket = request(port, "POST", &path, "connection: close\r\n", &body).await?;
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await?;
    if answer.starts_with("HTTP/1.1 201") { Ok(()) } else { Err(answer.into()) }
}

async fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> Result<TcpStream, Box<dyn Error>> {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).await?;
    socket.set_nodelay(true)?;
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n{headers}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    socket.write_all(head.as_bytes()).await?;
    Ok(socket)
}

async fn read(socket: &mut TcpStream, text: &mut String) -> Result<(), Box<dyn Error>> {
    let mut bytes = [0; 4_096];
    match socket.read(&mut bytes).await? {
        0 => Err("the stream ended".into()),
        count => {
            text.push_str(std::str::from_utf8(&bytes[..count])?);
            Ok(())
        }
    }
}

fn field<'a>(block: &'a str, name: &str) -> Option<&'a str> {
    block.lines().find_map(|line| line.strip_prefix(name))
}
