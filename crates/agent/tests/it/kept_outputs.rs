//! Results that a summary shortens: the model reads the name of the whole of each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, stream};
use silcrow_agent::Agent;
use silcrow_context::{CompactedHistory, ContextAssembler as _, ContextInput, ModelLimits};
use silcrow_event::{Event, Message};
use silcrow_parser::Dialect;
use silcrow_provider::{
    Delta, DeltaStream, Estimate, FinishReason, OpeningSession, Provider, Request,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{CallContext, CancellationToken, Secret, Secrets, Spill, ToolError, ToolOutput};

use crate::support::{run, tool};

/// A model that looks once for each prompt.
#[derive(Clone, Default)]
struct Looking {
    sent: Arc<Mutex<Vec<Vec<Message>>>>,
}

impl Provider for Looking {
    fn name(&self) -> &str {
        "looking"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let last = request.messages.last().unwrap().text().into_owned();
        let text = if last.ends_with("Write the notes now.") {
            "Notes."
        } else if last.contains("§result:") && !last.contains("prompt") {
            "§respond: seen\n§end"
        } else {
            "§call: {\"name\":\"look\",\"args\":{}}\n§execute"
        };
        self.sent.lock().unwrap().push(request.messages.into());
        let deltas = [Delta::Text(text.to_owned()), Delta::Done(FinishReason::Stop)];
        Box::pin(stream::iter(deltas.map(Ok)))
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// The kept outputs by name. It accepts none of the first turn.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<BTreeMap<String, String>>>);

impl Spill for Shelf {
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        let name = format!("shelf:{}-{}", context.turn(), context.call_id());
        async move {
            if context.turn() == 1 {
                return Err(ToolError::new("the shelf is full"));
            }
            let before = self.0.lock().unwrap().insert(name.clone(), text.to_owned());
            assert_eq!(before, None, "{name} is kept twice");
            Ok(name)
        }
        .boxed()
    }
}

const KEY: &str = "sk-live-0123456789abcdef";

#[tokio::test]
async fn shortened_outputs_are_kept_once_under_one_name() {
    let (model, store, shelf) =
        (Looking::default(), Arc::new(MemoryStore::new()), Shelf::default());
    let look = tool("look", |_, context| {
        let text = format!("line {} {KEY}\n", context.turn()).repeat(60);
        async move { Ok(ToolOutput::new("60 lines", text)) }.boxed()
    });
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tool(look)
        .unwrap()
        .with_spill(shelf.clone())
        .with_model_limits(ModelLimits::default().with_context(8000));
    let secrets = Secrets::named([Secret::new(KEY, "A_KEY")]);
    let masking = agent.clone().with_secrets(secrets);
    for number in 1..=30 {
        // The first results were stored before the key was known.
        let agent = if number < 3 { &agent } else { &masking };
        let ran = run(agent, &store, &format!("prompt {number}"), &CancellationToken::new()).await;
        ran.ended.unwrap();
    }

    let head = store.head("c").await.unwrap();
    let entries = store.read("c", 1..=head).await.unwrap();
    let summaries = entries.iter().filter_map(|entry| match &entry.event {
        Event::Summary(summary) => Some(summary),
        _ => None,
    });
    let summaries: Vec<_> = summaries.collect();
    assert!(summaries.iter().filter(|summary| !summary.outputs.is_empty()).count() > 1);
    let kept = shelf.0.lock().unwrap().clone();
    assert!(!kept.contains_key("shelf:1-a1"));
    for (name, text) in &kept {
        assert_eq!(text.lines().count(), 60, "{name}");
        assert!(!text.contains(KEY), "{text}");
    }
    for output in summaries.iter().flat_map(|summary| &summary.outputs) {
        assert_eq!(output.name, format!("shelf:{}-{}", output.turn, output.id));
        assert!(kept.contains_key(&output.name), "{output:?}");
    }

    // A shortened result has its name in every request, and only the first has none.
    let sent = model.sent.lock().unwrap().clone();
    let all = |messages: &[Message]| {
        messages.iter().map(|message| message.text().into_owned() + "\n").collect::<String>()
    };
    let shortened = sent.iter().flat_map(|messages| {
        let text = all(messages);
        let lines = text.lines().filter(|line| line.contains("omitted_bytes"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    });
    let nameless = shortened.filter(|line| !line.contains(r#""full_output":"shelf:"#)).count();
    let requests = sent.iter().filter(|messages| all(messages).contains("full_output")).count();
    assert!(requests > 10 && nameless <= requests, "{requests} {nameless}");

    // The log alone gives the same bytes.
    let last = sent.last().unwrap();
    let answered = entries.iter().rposition(|entry| matches!(entry.event, Event::Result(_)));
    let input = ContextInput::new(&entries[..=answered.unwrap()], Dialect::Sigil)
        .with_data_marks(true)
        .with_limits(ModelLimits::default().with_context(8000));
    assert_eq!(CompactedHistory.assemble(&input)[1..], last[1..]);
}

/// Numbers are nearly a token each, so a long result of them would fill the window.
#[tokio::test]
async fn new_result_takes_quarter_of_window_at_most() {
    let (model, store, shelf) =
        (Looking::default(), Arc::new(MemoryStore::new()), Shelf::default());
    let look = tool("look", |_, _| {
        let text: String = (0..20_000).map(|number| format!("{number}\n")).collect();
        async move { Ok(ToolOutput::new("20000 lines", text)) }.boxed()
    });
    let agent = Agent::new(model.clone(), Arc::clone(&store))
        .with_tool(look)
        .unwrap()
        .with_spill(shelf)
        .with_model_limits(ModelLimits::default().with_context(WINDOW));
    run(&agent, &store, "prompt", &CancellationToken::new()).await.ended.unwrap();
    let sent = model.sent.lock().unwrap().clone();
    let [first, second] = &sent[..] else { panic!("{} requests", sent.len()) };
    let result = Estimate::of_messages(&second[first.len()..]);
    assert!(result > WINDOW / 8 && result < WINDOW / 4 + WINDOW / 20, "{result}");
}

const WINDOW: u64 = 16_000;
