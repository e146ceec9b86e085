//! The texts that clients of AG-UI read, and their requests as we read them.

use silcrow_event::Entry;
use silcrow_front::{AgUiEncoder, AgUiRequest, RunEncoder, ag_ui_messages};

/// Returns an encoder for clients of version 1.0, or for those before.
pub(super) fn encoder(version: &str) -> Result<Box<dyn RunEncoder>, String> {
    let version = match version {
        "1.0" => r#""protocolVersion":"1.0","#,
        "0" => "",
        other => return Err(format!("there is no version `{other}`")),
    };
    // The message of the run whose draft is taken back.
    let message = r#"{"id":"u1","role":"user","content":"Test and deploy."}"#;
    let request = format!(r#"{{"threadId":"talk","runId":"run",{version}"messages":[{message}]}}"#);
    Ok(Box::new(AgUiEncoder::new("talk", &parse(&request)?)))
}

/// Returns the messages of a log.
pub(super) fn messages(log: &[Entry]) -> String {
    ag_ui_messages("talk", log.iter().map(|entry| (entry, None)))
}

/// Returns the request that is read from a body, on one line.
pub(super) fn request(body: &str) -> Result<String, String> {
    let request = parse(body)?;
    let new = request.new_messages(&[]).map_err(|why| why.to_string())?;
    let new: Vec<_> = new.iter().map(|one| format!("{} {:?}", one.id, one.text)).collect();
    let (thread, answers) = (&request.thread, request.answers.len());
    Ok(format!("{thread}: {}, {answers} answers", new.join(", ")))
}

fn parse(body: &str) -> Result<AgUiRequest, String> {
    AgUiRequest::parse(body.as_bytes()).map_err(|why| why.to_string())
}
