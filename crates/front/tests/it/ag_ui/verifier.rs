//! The checks of an AG-UI client on a stream of events.

use std::collections::BTreeSet;

use serde_json::Value;

/// Returns why a client would reject a run, if it would.
pub(super) fn verify(written: &str) -> Result<(), String> {
    let mut stream = Stream::default();
    let events = written.split_terminator("\n\n").map(|message| {
        let data = message.strip_prefix("data: ").filter(|data| !data.contains(['\n', '\r']));
        data.and_then(|data| serde_json::from_str::<Value>(data).ok()).ok_or(message)
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    for (number, event) in events.iter().enumerate() {
        let is_last = number + 1 == events.len();
        stream.event(event, number == 0, is_last).map_err(|why| format!("{why}: {event}"))?;
    }
    Ok(())
}

#[derive(Default)]
struct Stream {
    /// The kind and the id of everything that is open.
    open: BTreeSet<(String, String)>,
    /// Everything that has ever begun.
    begun: BTreeSet<(String, String)>,
    activities: BTreeSet<String>,
    /// Calls that began here and have no result.
    pending: BTreeSet<String>,
}

impl Stream {
    fn event(&mut self, event: &Value, is_first: bool, is_last: bool) -> Result<(), String> {
        let kind = event["type"].as_str().ok_or("no type")?;
        let is_end = matches!(kind, "RUN_FINISHED" | "RUN_ERROR");
        if (kind == "RUN_STARTED") != is_first || is_end != is_last {
            return Err("out of place".to_owned());
        }
        if event.as_object().unwrap().values().any(Value::is_null) {
            return Err("null".to_owned());
        }
        if !event["timestamp"].is_null() && !event["timestamp"].is_i64() {
            return Err("not a whole number".to_owned());
        }
        let of =
            |key: &str| event[key].as_str().map(str::to_owned).ok_or_else(|| format!("no {key}"));
        match kind {
            "TEXT_MESSAGE_START" => self.begin("text", of("messageId")?)?,
            "TEXT_MESSAGE_CONTENT" => self.expect("text", of("messageId")?)?,
            "TEXT_MESSAGE_END" => self.end("text", of("messageId")?)?,
            "REASONING_START" => self.begin("span", of("messageId")?)?,
            "REASONING_MESSAGE_START" => self.begin("thought", of("messageId")?)?,
            "REASONING_MESSAGE_CONTENT" => self.expect("thought", of("messageId")?)?,
            "REASONING_MESSAGE_END" => self.end("thought", of("messageId")?)?,
            "REASONING_END" => self.end("span", of("messageId")?)?,
            "STEP_STARTED" => {
                let name = ("step".to_owned(), of("stepName")?);
                if !self.open.insert(name) {
                    return Err("begins again".to_owned());
                }
            }
            "STEP_FINISHED" => self.end("step", of("stepName")?)?,
            "TOOL_CALL_START" => {
                self.pending.insert(of("toolCallId")?);
                self.begin("call", of("toolCallId")?)?;
            }
            "TOOL_CALL_ARGS" => self.expect("call", of("toolCallId")?)?,
            "TOOL_CALL_END" => self.end("call", of("toolCallId")?)?,
            "TOOL_CALL_RESULT" => {
                of("content")?;
                self.pending.remove(&of("toolCallId")?);
                self.begin("result", of("messageId")?)?;
                self.end("result", of("messageId")?)?;
            }
            "ACTIVITY_SNAPSHOT" => drop(self.activities.insert(of("messageId")?)),
            "ACTIVITY_DELTA" if self.activities.contains(&of("messageId")?) => {}
            "SUBAGENT_STARTED" => {
                of("name")?;
                self.begin("agent", of("subagentRunId")?)?;
            }
            "SUBAGENT_FINISHED" | "SUBAGENT_ERROR" => self.end("agent", of("subagentRunId")?)?,
            "RUN_STARTED" => drop((of("threadId")?, of("runId")?)),
            "RUN_FINISHED" | "RUN_ERROR" if !self.open.is_empty() => {
                return Err(format!("{:?} is open", self.open));
            }
            "RUN_FINISHED" => match event["outcome"]["type"].as_str() {
                Some("success") if !self.pending.is_empty() => {
                    return Err(format!("{:?} has no result", self.pending));
                }
                Some("success" | "interrupt" | "cancelled") => {}
                _ => return Err("no outcome".to_owned()),
            },
            "RUN_ERROR" => drop(of("message")?),
            "MESSAGES_SNAPSHOT" => {
                let messages = event["messages"].as_array().ok_or("no messages")?;
                let ids = messages.iter().map(|message| message["id"].as_str());
                let ids: Option<BTreeSet<_>> = ids.collect();
                if ids.ok_or("no id")?.len() != messages.len() {
                    return Err("two messages with one id".to_owned());
                }
            }
            _ => return Err("unknown".to_owned()),
        }
        Ok(())
    }

    fn begin(&mut self, kind: &str, id: String) -> Result<(), String> {
        let is_new = self.begun.insert((kind.to_owned(), id.clone()));
        self.open.insert((kind.to_owned(), id));
        if is_new { Ok(()) } else { Err("begins again".to_owned()) }
    }

    fn expect(&self, kind: &str, id: String) -> Result<(), String> {
        let is_open = self.open.contains(&(kind.to_owned(), id));
        if is_open { Ok(()) } else { Err("is not open".to_owned()) }
    }

    fn end(&mut self, kind: &str, id: String) -> Result<(), String> {
        self.expect(kind, id.clone())?;
        self.open.remove(&(kind.to_owned(), id));
        Ok(())
    }
}
