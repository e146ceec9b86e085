//! The output of a running call, and the files that it changes, as activity messages.
//!
//! A client holds the last pieces of the output. Each change adds one piece and removes the oldest,
//! so it costs no more than the piece.

use std::collections::VecDeque;

use silcrow_event::FileDelta;

use super::event_writer::{EventWriter, event};
use crate::changed_files::changed_files;
use crate::json_object::JsonObject;
use crate::transcript::CalledAgent;

/// The pieces of output that a client holds.
#[derive(Debug, Default)]
pub(super) struct CallActivity {
    /// The number of bytes of each piece.
    lens: VecDeque<usize>,
    has_begun: bool,
}

impl CallActivity {
    /// Writes the next piece.
    pub(super) fn write(
        &mut self,
        agent: Option<&CalledAgent>,
        call: &str,
        channel: &str,
        piece: &str,
        to: &mut EventWriter<'_>,
    ) {
        let text = tail(piece);
        let piece = JsonObject::new().text("channel", channel).text("text", text).finish();
        self.lens.push_back(text.len());
        let about = |kind| {
            let id = format!("{call}-progress");
            event(kind).text("messageId", &id).text("activityType", ACTIVITY_TYPE)
        };
        if !std::mem::replace(&mut self.has_begun, true) {
            let content = JsonObject::new().text("toolCallId", call);
            let content = content.raw("output", format_args!("[{piece}]")).finish();
            return to.write(agent, about("ACTIVITY_SNAPSHOT").raw("content", content));
        }
        let add = JsonObject::new().text("op", "add").text("path", "/output/-");
        let mut patch = vec![add.raw("value", piece).finish()];
        while self.lens.iter().sum::<usize>() > LIMIT || self.lens.len() > MAX_PIECES {
            self.lens.pop_front();
            let remove = JsonObject::new().text("op", "remove").text("path", "/output/0");
            patch.push(remove.finish());
        }
        let patch = patch.join(",");
        to.write(agent, about("ACTIVITY_DELTA").raw("patch", format_args!("[{patch}]")));
    }
}

/// Returns the end of a piece that is longer than the limit.
fn tail(piece: &str) -> &str {
    let at = piece.ceil_char_boundary(piece.len().saturating_sub(LIMIT));
    &piece[at..]
}

/// The number of bytes of output that a client holds of one call.
const LIMIT: usize = 16 * 1024;

const MAX_PIECES: usize = 256;

const ACTIVITY_TYPE: &str = "silcrow.progress";

/// Writes the files that a call has changed. The files of another attempt replace them.
pub(super) fn changes(
    agent: Option<&CalledAgent>,
    call: &str,
    files: &[FileDelta],
    to: &mut EventWriter<'_>,
) {
    let content = JsonObject::new().text("toolCallId", call).raw("files", changed_files(files));
    let snapshot = event("ACTIVITY_SNAPSHOT").text("messageId", &format!("{call}-changes"));
    let snapshot = snapshot.text("activityType", "silcrow.changes");
    to.write(agent, snapshot.raw("content", content.finish()));
}
