//! A server of Chat Completions that has a rate limit.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Starts a server that refuses the first request, and answers the second one. Returns its address.
pub(super) fn start(answer: &str) -> Result<String, String> {
    let failed = |why: io::Error| format!("no server can listen: {why}");
    let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?.to_string();
    let data = serde_json::json!({
        "choices": [{ "delta": { "content": answer }, "finish_reason": "stop" }],
    });
    let answers = [
        "HTTP/1.1 429 Slow\r\nRetry-After: 4\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            .to_owned(),
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {data}\n\n"
        ),
    ];
    thread::spawn(move || {
        for answer in answers {
            let Ok((mut stream, _)) = listener.accept() else { return };
            // A client that hangs up has enough.
            let _ = read(&mut stream).and_then(|()| stream.write_all(answer.as_bytes()));
        }
    });
    Ok(address)
}

/// Reads a request to the end of its body.
fn read(stream: &mut TcpStream) -> io::Result<()> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut buffer)?;
        bytes.extend_from_slice(&buffer[..length]);
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
        let body = head.lines().find_map(|line| line.strip_prefix("content-length:"));
        let body = body.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
        if length == 0 || bytes.len() >= head.len() + 4 + body {
            return Ok(());
        }
    }
}
