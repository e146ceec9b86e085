//! The progress of a run in lines, for people who wait at a client.

use std::collections::HashMap;

use serde_json::Value;
use silcrow_event::{Entry, ResultStatus, RunEventRef};
use silcrow_front::{CalledAgent, TranscriptChange, TranscriptReader, call_title};

/// Makes lines of the events of a run.
#[derive(Debug)]
pub(crate) struct RunProgress {
    reader: TranscriptReader,
    /// The titles of calls that have no result yet.
    calls: HashMap<String, String>,
}

impl RunProgress {
    pub(crate) fn new(conversation: &str) -> Self {
        Self { reader: TranscriptReader::new(conversation), calls: HashMap::new() }
    }

    /// Takes an event from before the run, in order to find waiting calls.
    pub(crate) fn skip(&mut self, entry: &Entry) {
        self.push(RunEventRef::Entry(entry));
    }

    /// Takes the next event, and returns the part worth reporting.
    pub(crate) fn push(&mut self, event: RunEventRef<'_>) -> Vec<String> {
        let (mut lines, calls) = (Vec::new(), &mut self.calls);
        self.reader.push(event, &mut |agent, change| {
            lines.extend(line(calls, agent, change));
        });
        lines
    }
}

fn line(
    calls: &mut HashMap<String, String>,
    agent: Option<&CalledAgent>,
    change: TranscriptChange<'_>,
) -> Option<String> {
    match change {
        TranscriptChange::TurnBegan(turn) if agent.is_none() => Some(format!("turn {turn}")),
        TranscriptChange::CallWritten { call, name, args, .. } => {
            let args: Value = serde_json::from_str(args).unwrap_or_default();
            let title = call_title(name, &args);
            let title = match agent {
                Some(agent) => format!("{}: {title}", agent.name),
                None => title,
            };
            calls.insert(call.to_owned(), title.clone());
            // A called agent reports only stored entries, and not when its calls start.
            agent.map(|_| title)
        }
        TranscriptChange::CallStarted { call, .. } => calls.get(call).cloned(),
        TranscriptChange::CallEnded { call, result } => {
            let title = calls.remove(call)?;
            match result.status() {
                ResultStatus::Success => None,
                status => Some(format!("{title}: {}", status.as_str())),
            }
        }
        _ => None,
    }
}
