//! Notices of a program between the steps of a run, over one session.

use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, ConnectionMode, RunOutcome};
use silcrow_context::{CompactedHistory, ContextInput, ContextNotice, WithNotices};
use silcrow_event::{Content, Message, Role};
use silcrow_provider::{
    Delta, DeltaStream, Error, FinishReason, OpeningSession, Provider, Request, Session,
};
use silcrow_store::MemoryStore;
use silcrow_tool::{CancellationToken, ToolOutput};

use crate::support::{run, tool};

/// A model that calls a tool in each of its first steps, and remembers the messages of a session.
#[derive(Clone, Default)]
struct Stepping {
    /// The conversation of each session.
    sessions: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl Stepping {
    /// Returns the answer to the last conversation, the last delta first.
    fn answer(&self) -> Vec<Delta> {
        let sessions = self.sessions.lock().unwrap();
        let known = sessions.last().unwrap();
        let steps = known.iter().filter(|message| message.role == Role::Assistant).count();
        let text = match steps {
            STEPS => "§respond: done\n§end",
            _ => "§call: {\"name\":\"look\",\"args\":{}}\n§execute\nmore",
        };
        let pieces = text.split_inclusive('\n').map(|piece| Delta::Text(piece.to_owned()));
        let mut deltas: Vec<_> = pieces.chain([Delta::Done(FinishReason::Stop)]).collect();
        deltas.reverse();
        deltas
    }
}

impl Provider for Stepping {
    fn name(&self) -> &str {
        "stepping"
    }

    fn stream(&self, _: Request) -> DeltaStream {
        stream::empty().boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.sessions.lock().unwrap().push(request.messages.into());
        let (model, answer) = (self.clone(), self.answer());
        let line = Line { model, answer };
        Some(async move { Ok(Box::new(line) as Box<dyn Session>) }.boxed())
    }
}

struct Line {
    model: Stepping,
    answer: Vec<Delta>,
}

impl Session for Line {
    fn receive(&mut self) -> BoxFuture<'_, Option<Result<Delta, Error>>> {
        match self.answer.pop() {
            Some(delta) => async { Some(Ok(delta)) }.boxed(),
            None => pending().boxed(),
        }
    }

    fn cancel(&mut self) -> BoxFuture<'_, Result<(), Error>> {
        async { Ok(()) }.boxed()
    }

    fn send<'a>(
        &'a mut self,
        kept: &'a Content,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), Error>> {
        let mut sessions = self.model.sessions.lock().unwrap();
        let known = sessions.last_mut().unwrap();
        known.push(Message::new(Role::Assistant, kept.clone()));
        known.extend_from_slice(messages);
        drop(sessions);
        self.answer = self.model.answer();
        async { Ok(()) }.boxed()
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}

#[tokio::test]
async fn changing_notices_keep_one_provider_session() {
    let (model, store) = (Stepping::default(), Arc::new(MemoryStore::new()));
    let look = tool("look", |_, context| {
        let text = format!("line {}", context.turn());
        async { Ok(ToolOutput::new("1 line", text)) }.boxed()
    });
    let context = WithNotices::new(CompactedHistory, |input: &ContextInput<'_>| {
        vec![ContextNotice::new("the quota", format!("{} events", input.entries.len()))]
    });
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tool(look)
        .unwrap()
        .with_context(context)
        .with_mode(ConnectionMode::Resume);
    let ran = run(&agent, &store, "go", &CancellationToken::new()).await;
    assert_eq!(ran.ended.unwrap(), RunOutcome::Answered);
    let sessions = model.sessions.lock().unwrap();
    assert_eq!(sessions.len(), 1);
    let is_noticed = |message: &&Message| message.text().contains("[Notice from the quota]");
    assert_eq!(sessions[0].iter().filter(is_noticed).count(), STEPS + 1);
}

/// The number of steps before the answer.
const STEPS: usize = 8;
