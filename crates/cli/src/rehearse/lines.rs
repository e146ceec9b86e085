use std::io::{self, BufWriter, Write};
use std::time::Duration;

use silcrow_event::{ErrorEvent, Event, Json};

use crate::printer::write_json;
use crate::rehearse::play::{Line, What};
use crate::rehearse::timeline::Timeline;

/// Prints what happens: JSON Lines, or on a terminal a picture of it.
pub(crate) enum RehearsalPrinter {
    Json { out: BufWriter<io::Stdout>, failed: Option<io::Error> },
    Picture(Timeline),
}

impl RehearsalPrinter {
    pub(crate) fn new(as_json: bool) -> Self {
        if as_json {
            Self::Json { out: BufWriter::new(io::stdout()), failed: None }
        } else {
            Self::Picture(Timeline::default())
        }
    }

    pub(crate) fn push(&mut self, line: Line) {
        match self {
            Self::Json { out, failed } if failed.is_none() => {
                if let Some(line) = json(line) {
                    *failed = write_json(out, &line).err();
                }
            }
            Self::Json { .. } => {}
            Self::Picture(timeline) => timeline.push(line),
        }
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        match self {
            Self::Json { failed: Some(error), .. } => Err(error),
            Self::Json { mut out, .. } => out.flush(),
            Self::Picture(timeline) => timeline.draw(columns(), &mut io::stdout().lock()),
        }
    }
}

/// Of the terminal, where it says so.
fn columns() -> usize {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 => size.ws_col.into(),
        _ => 80,
    }
}

/// One JSON object, `at` last.
fn json(Line { at, what }: Line) -> Option<String> {
    let string = |text: &str| Json::string(text).to_string();
    let mut line = match what {
        // A virtual time stands in place of the offset.
        What::Event(Event::Error(fault)) => {
            Event::Error(ErrorEvent { at: None, ..fault }).to_json()
        }
        What::Event(event) => event.to_json(),
        What::Start(ready) => format!(
            r#"{{"type":"start","id":{},"attempt":{},"args":{}}}"#,
            string(ready.id()),
            ready.attempt(),
            one_line(ready.args()),
        ),
        What::Finish { id, how, reason } => format!(
            r#"{{"type":"finish","id":{},"status":"{}","reason":{}}}"#,
            string(&id),
            how.as_str(),
            reason.map_or_else(|| "null".to_owned(), |reason| string(&reason)),
        ),
        What::Bind { name, value } => {
            format!(r#"{{"type":"bind","name":{},"value":{value}}}"#, string(&name))
        }
        What::Text { kind, content } => {
            format!(r#"{{"type":"text","kind":"{kind}","content":{}}}"#, string(&content))
        }
        What::Pause { .. } => return None,
        What::Done => r#"{"type":"done"}"#.to_owned(),
    };
    line.pop();
    Some(format!("{line},\"at\":{}}}", milliseconds(at)))
}

/// JSON as the model wrote it, without line breaks between its tokens.
fn one_line(json: &str) -> String {
    Json::parse(json).map_or_else(|| "{}".to_owned(), |json| json.to_string())
}

/// In milliseconds, whole where they are.
fn milliseconds(at: Duration) -> String {
    let micros = at.as_micros();
    match micros % 1000 {
        0 => (micros / 1000).to_string(),
        _ => format!("{}", micros as f64 / 1000.0),
    }
}
