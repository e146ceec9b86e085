//! A call while the model writes it.

use silcrow_event::CallTextFragment;

use super::ChangeReceiver;
use super::change::{CalledAgent, TranscriptChange};
use crate::args_text::ArgsText;

/// A call that the model writes.
#[derive(Debug)]
pub(super) struct PiecewiseCall {
    /// The number of the call in its turn, as pieces name it.
    pub(super) number: u32,
    /// The id in the transcript.
    pub(super) key: String,
    has_begun: bool,
    args: ArgsText,
    /// The arguments that were passed on.
    sent: String,
    /// Arguments that the model wrote before the name.
    held: String,
}

impl PiecewiseCall {
    pub(super) fn new(number: u32, key: String) -> Self {
        let (args, sent, held) = Default::default();
        Self { number, key, has_begun: false, args, sent, held }
    }

    /// Takes a piece of the body.
    pub(super) fn push(
        &mut self,
        piece: CallTextFragment<'_>,
        agent: Option<&CalledAgent>,
        to: &mut ChangeReceiver<'_>,
    ) {
        self.held.push_str(self.args.push(piece.text));
        let Some(name) = piece.name else { return };
        self.begin(name, agent, to);
        let held = std::mem::take(&mut self.held);
        self.grow(&held, agent, to);
    }

    /// Takes the whole call, and passes on the rest of its arguments.
    pub(super) fn complete(
        &mut self,
        name: &str,
        args: &str,
        agent: Option<&CalledAgent>,
        to: &mut ChangeReceiver<'_>,
    ) {
        self.begin(name, agent, to);
        // Arguments that were repaired do not continue the model's text.
        if let Some(rest) = args.strip_prefix(&*self.sent) {
            self.grow(rest, agent, to);
        }
    }

    pub(super) fn begin(
        &mut self,
        name: &str,
        agent: Option<&CalledAgent>,
        to: &mut ChangeReceiver<'_>,
    ) {
        if !std::mem::replace(&mut self.has_begun, true) {
            to(agent, TranscriptChange::CallBegan { call: &self.key, name });
        }
    }

    fn grow(&mut self, piece: &str, agent: Option<&CalledAgent>, to: &mut ChangeReceiver<'_>) {
        if !piece.is_empty() {
            self.sent.push_str(piece);
            to(agent, TranscriptChange::ArgsGrew { call: &self.key, piece });
        }
    }
}
