//! A long run, which reads and assembles nothing twice.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use silcrow_agent::{Agent, RunOutcome};
use silcrow_context::{ContextAssembler, ContextInput, FullHistory, GrowingContext};
use silcrow_event::{Event, Message, MessageList};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::{MemoryStore, Store as _};

use crate::support::{echo, toolbox, with};
use crate::watched::{StoreActivity, Watched};

/// The number of steps of the run.
const STEPS: usize = 50;

#[tokio::test]
async fn each_entry_is_read_once() {
    let store = Arc::new(MemoryStore::new());
    let earlier = (0..300).map(|number| Event::user(format!("line {number}")).into()).collect();
    store.append("c", 0, earlier).await.unwrap();

    let read = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&read);
    let watch = move |activity| {
        if let StoreActivity::Read(entries) = activity {
            counter.fetch_add(entries, Ordering::SeqCst);
        }
    };
    let context = Counted::default();
    let agent = Agent::new(Calling, Watched { store: Arc::clone(&store), watch })
        .with_tools(toolbox([with(echo("echo"))]))
        .with_context(context.clone())
        .with_max_steps(STEPS as u32);
    assert_eq!(agent.run("c", "go", &mut |_| {}).await.unwrap(), RunOutcome::Answered);

    assert_eq!(read.load(Ordering::SeqCst), 300, "what the run wrote itself is not read");
    assert_eq!(context.begun.load(Ordering::SeqCst), 1);
    let requests = context.requests.lock().unwrap();
    assert_eq!(requests.len(), STEPS);
    // Every step adds a call and its result.
    let new: Vec<usize> = requests.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!((requests[0], new), (301, vec![2; STEPS - 1]));
}

/// The default context, which counts its requests.
#[derive(Clone, Default)]
struct Counted {
    begun: Arc<AtomicUsize>,
    /// The number of entries in each request.
    requests: Arc<Mutex<Vec<usize>>>,
}

impl ContextAssembler for Counted {
    fn assemble(&self, _: &ContextInput<'_>) -> Vec<Message> {
        panic!("the run assembles its whole history")
    }

    fn begin(&self) -> Box<dyn GrowingContext + '_> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let (before, requests) = (MessageList::default(), &self.requests);
        Box::new(CountedHistory { context: FullHistory.begin(), requests, before })
    }
}

struct CountedHistory<'a> {
    context: Box<dyn GrowingContext + 'a>,
    requests: &'a Mutex<Vec<usize>>,
    before: MessageList,
}

impl GrowingContext for CountedHistory<'_> {
    fn assemble(&mut self, input: &ContextInput<'_>) -> MessageList {
        self.requests.lock().unwrap().push(input.entries.len());
        let messages = self.context.assemble(input);
        assert_eq!(messages, FullHistory.assemble(input));
        // The request before had an open turn, and the message before that may have grown.
        let repeated = messages.repeated(&self.before.settled());
        assert!(repeated + 3 >= self.before.len(), "{repeated} of {}", self.before.len());
        self.before = messages.clone();
        messages
    }
}

/// A model that calls in every step except the last.
struct Calling;

impl Provider for Calling {
    fn name(&self) -> &str {
        "calling"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        // The system message and the prompt come before the answers and their results.
        let text = match (request.messages.len() - 2) / 2 + 1 {
            STEPS => "§respond: done\n§end".to_owned(),
            step => {
                format!("§call: {{\"name\": \"echo\", \"args\": {{\"n\": {step}}}}}\n§execute\n")
            }
        };
        let deltas = [Delta::Text(text), Delta::Done(FinishReason::Stop)];
        stream::iter(deltas.map(Ok)).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}
