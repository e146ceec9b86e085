//! A model that counts: ten numbers a turn, one a second, and a call after each ten.
//!
//! It speaks the part of Chat Completions that `--model compatible:…` needs, and has no state: the
//! messages of a request say how far it is. So it continues for any server that asks.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The model.
pub(super) struct CountingModel;

impl CountingModel {
    /// Starts it, and returns its name for `--model`.
    pub(super) fn start() -> Result<String, String> {
        let failed = |why: io::Error| format!("the model cannot listen: {why}");
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        thread::spawn(move || {
            for client in listener.incoming().filter_map(Result::ok) {
                // A client that has gone needs no answer.
                thread::spawn(move || answer(&client, PACE));
            }
        });
        Ok(format!("compatible:http://{address}/v1#counting"))
    }
}

fn answer(mut client: &TcpStream, pace: Duration) -> io::Result<()> {
    let mut reader = BufReader::new(client);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length.min(MOST_BODY)];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body)?;
    client.write_all(HEAD.as_bytes())?;
    let words = words(&request);
    let has_pace = words.len() > 1;
    for word in words {
        let delta = json!({"choices": [{"index": 0, "delta": {"content": word}}]});
        client.write_all(format!("data: {delta}\n\n").as_bytes())?;
        if has_pace {
            thread::sleep(pace);
        }
    }
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    client.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes())
}

/// Returns the answer in pieces.
fn words(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let text = |message: &Value| message["content"].to_string().to_lowercase();
    let asked = messages.iter().enumerate().rev().find_map(|(index, message)| {
        let asks = message["role"] == "user" && text(message).contains("count to");
        asks.then(|| (index, number(&text(message))))
    });
    let Some((index, until)) = asked else {
        return vec!["§respond: Write \"count to 60\", and I count.\n§end".to_owned()];
    };
    let turns = messages[index..].iter().filter(|message| message["role"] == "assistant");
    let first = turns.count() as u64 * STEP + 1;
    if first > until {
        return vec![format!("§respond: I have counted to {until}.\n§end")];
    }
    let mut words = vec!["§think:".to_owned()];
    words
        .extend((first..first + STEP).take_while(|now| *now <= until).map(|now| format!(" {now}")));
    words.push(
        "\n§call: {\"name\": \"file_list\", \"args\": {\"path\": \".\"}}\n§execute\n".to_owned(),
    );
    words
}

/// Returns the number after "count to", at most 600.
fn number(text: &str) -> u64 {
    let after = text.split("count to").nth(1).unwrap_or_default();
    let digits: String = after.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(60).min(600)
}

/// The numbers that a turn has.
const STEP: u64 = 10;

/// The time between two numbers.
const PACE: Duration = Duration::from_secs(1);

const MOST_BODY: usize = 16 << 20;

const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::words;

    #[test]
    fn counting_continues_from_the_messages() {
        let user = json!({"role": "user", "content": "Count to 12."});
        let first = words(&json!({"messages": [user]})).concat();
        assert!(first.starts_with("§think: 1 2 3") && first.contains(" 10\n§call"), "{first}");
        let (done, result) = (json!({"role": "assistant"}), json!({"role": "user", "content": ""}));
        let second = words(&json!({"messages": [user, done, result]})).concat();
        assert!(second.starts_with("§think: 11 12\n§call"), "{second}");
        let last = words(&json!({"messages": [user, done, result, done, result]})).concat();
        assert!(last.contains("counted to 12"), "{last}");
    }
}
