//! A client of the Responses API that is as strict as the strictest real one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The part of a stream that a client has read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponsesClient {
    /// The number of the last event.
    pub(crate) number: Option<u64>,
    /// The items as the events about them add up.
    pub(crate) items: Vec<Value>,
    open: BTreeSet<usize>,
    /// The response of the last event.
    pub(crate) last: Option<Value>,
    /// The types of all events, each with the item that it is about.
    pub(crate) seen: Vec<String>,
}

impl ResponsesClient {
    /// Reads a whole stream, after which no item is open.
    pub(crate) fn read_stream(stream: &str) -> Self {
        let mut client = Self::default();
        messages(stream).for_each(|message| client.read(message));
        assert!(client.open.is_empty(), "not done: {:?}", client.open);
        client
    }

    /// Reads a message of the stream.
    pub(crate) fn read(&mut self, message: &str) {
        if message == "data: [DONE]" {
            return;
        }
        let (event, data) = message.split_once('\n').unwrap();
        let event = event.strip_prefix("event: ").unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(data["type"], event);
        let number = data["sequence_number"].as_u64().unwrap();
        assert!(Some(number) > self.number, "{number} after {:?}", self.number);
        self.number = Some(number);
        self.event(event, &data);
        let about = [&data["item"]["id"], &data["item_id"]].into_iter().find_map(Value::as_str);
        self.seen.push(about.map_or_else(|| event.to_owned(), |id| format!("{event} {id}")));
    }

    fn event(&mut self, event: &str, data: &Value) {
        if data.get("response").is_some() {
            self.last = Some(data["response"].clone());
            return;
        }
        assert!(self.last.is_some(), "{event} before the beginning");
        let index = usize::try_from(data["output_index"].as_u64().unwrap()).unwrap();
        if event == "response.output_item.added" {
            assert_eq!(index, self.items.len());
            let id = &data["item"]["id"];
            assert!(self.items.iter().all(|item| item["id"] != *id), "twice: {id}");
            self.items.push(data["item"].clone());
            assert!(self.open.insert(index));
            return;
        }
        assert!(self.open.contains(&index), "{event} about an item that is not open");
        let item = &mut self.items[index];
        if event == "response.output_item.done" {
            // The item says nothing that the events before it have not said, except for results.
            let before = std::mem::replace(item, data["item"].clone());
            for (key, value) in before.as_object().unwrap() {
                if !["status", "output", "error"].contains(&&**key) {
                    assert_eq!(item[key], *value);
                }
            }
            self.open.remove(&index);
            return;
        }
        assert_eq!(data["item_id"], item["id"]);
        let (parts, part) = match item["type"].as_str() {
            Some("message") => ("content", &data["content_index"]),
            Some("reasoning") => ("summary", &data["summary_index"]),
            _ => return arguments(item, event, data),
        };
        assert_eq!(part, &json!(0));
        match event.rsplit_once('.').unwrap().1 {
            "added" => item[parts].as_array_mut().unwrap().push(data["part"].clone()),
            "delta" => append(&mut item[parts][0]["text"], &data["delta"]),
            _ if data.get("part").is_some() => assert_eq!(item[parts][0], data["part"]),
            _ => assert_eq!(item[parts][0]["text"], data["text"]),
        }
    }
}

/// Returns the messages of a stream.
pub(crate) fn messages(stream: &str) -> impl Iterator<Item = &str> {
    stream.split_terminator("\n\n")
}

fn arguments(item: &mut Value, event: &str, data: &Value) {
    if event.ends_with("arguments.delta") {
        append(&mut item["arguments"], &data["delta"]);
    } else if event.ends_with("arguments.done") {
        assert_eq!(item["arguments"], data["arguments"]);
    } else {
        assert!(event.starts_with("response.mcp_call."), "{event}");
    }
}

fn append(to: &mut Value, piece: &Value) {
    let piece = piece.as_str().unwrap();
    assert!(!piece.is_empty());
    *to = json!(format!("{}{piece}", to.as_str().unwrap()));
}
