//! The common parts of loopback servers for the command.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use silcrow_event::{Message, Role};

/// Plays the answers to one connection each, in pieces of `chunk` bytes, and ends with the requests.
pub(crate) fn play(
    answers: Vec<Vec<u8>>,
    chunk: usize,
) -> (SocketAddr, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let play = move || {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            requests.push(request(&mut stream));
            stream.set_nodelay(true).unwrap();
            for piece in answer.chunks(chunk) {
                // The client may hang up as soon as it has read enough.
                if stream.write_all(piece).is_err() {
                    break;
                }
            }
        }
        requests
    };
    (address, thread::spawn(play))
}

/// Reads a whole request: its head, and as much body as the head announces; or a part of it, if the
/// client hangs up.
pub(crate) fn request(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        let len = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..len]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if len == 0 {
            return text;
        }
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned)
        });
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        if body.len() >= length {
            return text;
        }
    }
}

/// Serves each connection in a new thread.
pub(crate) fn serve(listener: TcpListener, serve: impl Fn(TcpStream) + Clone + Send + 'static) {
    thread::spawn(move || {
        for socket in listener.incoming() {
            let serve = serve.clone();
            thread::spawn(move || serve(socket.unwrap()));
        }
    });
}

/// Returns whether a connection begins with a request of HTTP that is not an upgrade.
pub(crate) fn is_post(socket: &TcpStream) -> bool {
    let mut first = [0; 4];
    socket.peek(&mut first).unwrap();
    first == *b"POST"
}

/// Returns the messages in a request of Responses, without its instructions.
pub(crate) fn input(request: &Value) -> Vec<Message> {
    // Over a socket the instructions are the first item.
    let items = request["input"].as_array().unwrap().iter();
    let items = items.filter(|item| item["role"] != "system");
    let message = |item: &Value| {
        let role = match item["role"].as_str().unwrap() {
            "assistant" => Role::Assistant,
            _ => Role::User,
        };
        let content = &item["content"];
        Message::new(role, content.as_str().or_else(|| content[0]["text"].as_str()).unwrap())
    };
    items.map(message).collect()
}
