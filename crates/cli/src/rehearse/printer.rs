//! The two outputs of a rehearsal: JSON Lines, and a picture for a terminal.

use std::io::{self, BufWriter, Write};

use silcrow_console::printer::write_json;
use silcrow_event::{CallTransition, ErrorEvent, Event, Json};

use crate::rehearse::event::{RehearsalEvent, TimedEvent};
use crate::rehearse::timeline::Timeline;

/// Prints the events of a rehearsal.
pub(crate) enum RehearsalPrinter {
    /// Prints a line for each event, up to the first error.
    Json { out: BufWriter<io::Stdout>, failed: Option<io::Error> },
    /// Prints a picture at the end.
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

    pub(crate) fn push(&mut self, event: TimedEvent) {
        match self {
            Self::Json { out, failed } if failed.is_none() => {
                if let Some(line) = json(event) {
                    *failed = write_json(out, &line).err();
                }
            }
            Self::Json { .. } => {}
            Self::Picture(timeline) => timeline.push(event),
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

/// Returns the width of the terminal, or 80 where it does not say.
fn columns() -> usize {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 => size.ws_col.into(),
        _ => 80,
    }
}

/// Returns the event as one JSON object with `at` last, unless only the picture shows it.
fn json(TimedEvent { at, event, .. }: TimedEvent) -> Option<String> {
    let mut line = match event {
        // The virtual time takes the place of the offset.
        RehearsalEvent::Emitted(Event::Error(error)) => {
            Event::Error(ErrorEvent { at: None, ..error }).to_json()
        }
        RehearsalEvent::Emitted(event) => event.to_json(),
        RehearsalEvent::Call(transition) => transition_json(transition)?,
        RehearsalEvent::Answered(text) => {
            format!(r#"{{"type":"text","kind":"respond","content":{}}}"#, string(&text))
        }
        RehearsalEvent::Done => r#"{"type":"done"}"#.to_owned(),
    };
    line.pop();
    // Tokio's timers end at whole milliseconds.
    Some(format!("{line},\"at\":{}}}", at.as_millis()))
}

/// Returns a change in the state of a call as a JSON object, unless only the picture shows it.
fn transition_json(transition: CallTransition<'_>) -> Option<String> {
    Some(match transition {
        CallTransition::Ready { id, attempt, args } => format!(
            r#"{{"type":"start","id":{},"attempt":{attempt},"args":{}}}"#,
            string(&id),
            one_line(&args),
        ),
        CallTransition::Ended { id, end, reason } => format!(
            r#"{{"type":"finish","id":{},"status":"{}","reason":{}}}"#,
            string(&id),
            end.as_str(),
            reason.map_or_else(|| "null".to_owned(), |reason| string(&reason)),
        ),
        CallTransition::Bound { name, value } => {
            format!(r#"{{"type":"bind","name":{},"value":{value}}}"#, string(&name))
        }
        _ => return None,
    })
}

fn string(text: &str) -> String {
    Json::string(text).to_string()
}

/// Returns the model's JSON without line breaks between its tokens.
fn one_line(json: &str) -> String {
    Json::parse(json).map_or_else(|| "{}".to_owned(), |json| json.to_string())
}
