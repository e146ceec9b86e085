//! The calls of a log: their ids and their changes in the transcript.

use silcrow_event::{ApprovalState, Call, CallTextFragment, Entry, Event, OpenQuestion, Parked};

use super::LogReading;
use crate::transcript::ChangeReceiver;
use crate::transcript::change::{CalledAgent, TranscriptChange};
use crate::transcript::piecewise_call::PiecewiseCall;

/// The id of a call in the transcript.
#[derive(Debug)]
pub(super) struct CallKey {
    key: String,
    pub(super) has_ended: bool,
}

impl LogReading {
    /// Returns the agent `name` of another conversation if a call of this log runs it. The id of such
    /// a conversation is `CONVERSATION/TURN/CALL`, and a further attempt has a number after it.
    pub(in crate::transcript) fn called(
        &self,
        conversation: &str,
        name: &str,
    ) -> Option<CalledAgent> {
        let rest = conversation.strip_prefix(&*self.conversation)?.strip_prefix('/')?;
        let (turn, id) = rest.split_once('/')?;
        let id = match id.rsplit_once('~') {
            Some((id, attempt)) if !matches!(attempt, "0" | "1") => id,
            _ => id,
        };
        let key = self.keys.get(&(turn.parse().ok()?, id.replace("~1", "/").replace("~0", "~")))?;
        let outer = self.agent.as_ref();
        let path = outer.map_or_else(String::new, |agent| format!("{}/", agent.path));
        Some(CalledAgent {
            id: conversation.to_owned(),
            name: name.to_owned(),
            call: Some(key.key.clone()),
            parent: outer.map(|agent| agent.id.clone()),
            path: format!("{path}{turn}/{id}"),
        })
    }

    /// Returns the call that an entry ends.
    pub(in crate::transcript) fn ending(&self, entry: &Entry) -> Option<String> {
        let Event::Result(result) = &entry.event else { return None };
        let id = result.id.clone()?;
        self.keys.get(&(entry.turn?, id)).map(|call| call.key.clone())
    }

    /// Takes a piece of a call.
    pub(in crate::transcript) fn call_text(
        &mut self,
        piece: CallTextFragment<'_>,
        turn: Option<u32>,
        to: &mut ChangeReceiver<'_>,
    ) {
        self.begin_turn(turn, to);
        let written = self.written.iter().position(|call| call.number == piece.call);
        let at = written.unwrap_or_else(|| {
            let key = self.next_key();
            self.written.push(PiecewiseCall::new(piece.call, key));
            self.written.len() - 1
        });
        self.written[at].push(piece, self.agent.as_ref(), to);
        if let Some(id) = piece.id {
            let key = CallKey { key: self.written[at].key.clone(), has_ended: false };
            self.keys.insert((self.turn, id.to_owned()), key);
        }
    }

    pub(in crate::transcript) fn call_started(
        &self,
        turn: Option<u32>,
        id: &str,
        attempt: u32,
        to: &mut ChangeReceiver<'_>,
    ) {
        if let Some(call) = self.key(turn, id) {
            to(self.agent.as_ref(), TranscriptChange::CallStarted { call, attempt });
        }
    }

    pub(super) fn call(&mut self, turn: Option<u32>, call: &Call, to: &mut ChangeReceiver<'_>) {
        if self.foreseen.remove(&(turn.unwrap_or_default(), call.id().to_owned())) {
            return;
        }
        let mut written = self.written_call(turn, call.id(), to);
        let agent = self.agent.as_ref();
        written.complete(call.name(), call.args(), agent, to);
        let depends_on = call.action().map_or(&[][..], |action| &action.depends_on);
        let depends_on = depends_on.iter().filter_map(|id| self.key(turn, id).map(str::to_owned));
        let depends_on: Vec<_> = depends_on.collect();
        let (name, args, depends_on) = (call.name(), call.args(), &*depends_on);
        let block = self.blocks.row_of(call.id());
        let call = &*written.key;
        to(agent, TranscriptChange::CallWritten { call, name, args, depends_on, block });
    }

    pub(super) fn rejected(
        &mut self,
        turn: Option<u32>,
        id: &str,
        text: &str,
        to: &mut ChangeReceiver<'_>,
    ) {
        let mut written = self.written_call(turn, id, to);
        written.begin("", self.agent.as_ref(), to);
        self.pass(TranscriptChange::CallRejected { call: &written.key, text }, to);
    }

    /// Returns the call with this id, which was written in pieces or comes as a whole.
    fn written_call(
        &mut self,
        turn: Option<u32>,
        id: &str,
        to: &mut ChangeReceiver<'_>,
    ) -> PiecewiseCall {
        self.begin_turn(turn, to);
        let known = self
            .key(turn, id)
            .and_then(|key| self.written.iter().position(|written| written.key == key));
        if let Some(at) = known {
            return self.written.remove(at);
        }
        let key = self.next_key();
        let turn = turn.unwrap_or_default();
        self.keys.insert((turn, id.to_owned()), CallKey { key: key.clone(), has_ended: false });
        PiecewiseCall::new(0, key)
    }

    pub(super) fn asked(
        &self,
        turn: Option<u32>,
        id: &str,
        state: ApprovalState,
        reason: Option<&str>,
        to: &mut ChangeReceiver<'_>,
    ) {
        if let Some(call) = self.key(turn, id) {
            self.pass(TranscriptChange::CallAsked { call, state, reason }, to);
        }
    }

    pub(super) fn parked(
        &mut self,
        turn: Option<u32>,
        parked: &Parked,
        to: &mut ChangeReceiver<'_>,
    ) {
        for question in &parked.questions {
            self.foresee(turn, question, to);
            let Some(call) = self.key(turn, &question.id) else { continue };
            let id = self.question_id(turn.unwrap_or_default(), &question.id);
            let id = &*id;
            self.pass(
                match self.client_tools.has(&question.tool) {
                    true => TranscriptChange::ClientCall { call, id, question },
                    false => TranscriptChange::Question { call, id, question },
                },
                to,
            );
        }
    }

    /// Writes a call that a question is about, and that its loop has not made yet.
    fn foresee(&mut self, turn: Option<u32>, question: &OpenQuestion, to: &mut ChangeReceiver<'_>) {
        if question.item_of.is_none() || self.key(turn, &question.id).is_some() {
            return;
        }
        let mut written = self.written_call(turn, &question.id, to);
        self.foreseen.insert((turn.unwrap_or_default(), question.id.clone()));
        let (name, args, agent) = (&*question.tool, &*question.args, self.agent.as_ref());
        written.complete(name, args, agent, to);
        let (call, depends_on, block) = (&*written.key, &[][..], None);
        to(agent, TranscriptChange::CallWritten { call, name, args, depends_on, block });
    }

    /// Returns the id of a question in the conversation that waits: the turn and the id of the
    /// call, preceded by the same of each call around it.
    fn question_id(&self, turn: u32, id: &str) -> String {
        let id = format!("{turn}/{}", id.replace('~', "~0").replace('/', "~1"));
        match &self.agent {
            Some(agent) => format!("{}/{id}", agent.path),
            None => id,
        }
    }

    fn next_key(&mut self) -> String {
        self.calls += 1;
        self.id('c', self.calls)
    }

    pub(in crate::transcript) fn key(&self, turn: Option<u32>, id: &str) -> Option<&str> {
        self.keys.get(&(turn.unwrap_or_default(), id.to_owned())).map(|call| &*call.key)
    }
}
