use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{CallResult, ResultOrigin, ResultStatus, Truncation};
use silcrow_exec::{Runner, RunnerLimits};
use silcrow_tool::{CallContext, Scope, Spill, ToolError, ToolOutput, ToolPolicy};

use crate::{Made, ended, plain, ready, runner, tool, toolbox, with};

/// A spill that keeps texts in a list, or fails in the way that `mood` names.
#[derive(Default)]
struct Shelf {
    kept: Mutex<Vec<(String, String)>>,
    mood: &'static str,
}

impl Spill for Shelf {
    fn keep<'a>(
        &'a self,
        context: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        assert_ne!(self.mood, "panics at once");
        async move {
            match self.mood {
                "fails" => return Err(ToolError::new("the disk is full")),
                "panics" => panic!("no disk"),
                "hangs" => pending().await,
                _ => {}
            }
            let (conversation, turn, call) =
                (context.conversation_id(), context.turn(), context.call_id());
            let name = format!("outputs/{conversation}-{turn}-{call}.txt");
            self.kept.lock().unwrap().push((name.clone(), text.to_owned()));
            Ok(name)
        }
        .boxed()
    }
}

/// Returns a tool that returns a text, or fails with it.
fn says(
    text: String,
    fails: bool,
) -> Made<impl Fn(String, CallContext) -> crate::Done + Send + Sync> {
    tool("says", move |_, _| {
        let text = text.clone();
        async move { if fails { Err(ToolError::new(text)) } else { Ok(ToolOutput::new("", text)) } }
            .boxed()
    })
}

fn capped(runner: Runner, output_cap: usize) -> Runner {
    runner.with_limits(RunnerLimits { output_cap, ..RunnerLimits::default() })
}

#[tokio::test]
async fn long_output_is_cut_between_characters_and_spilled() {
    // 1 + 2n bytes: both cuts would fall into the middle of a character.
    let text = format!("x{}z", "é".repeat(1000));
    for fails in [false, true] {
        let shelf = Arc::new(Shelf::default());
        let mut runner = capped(runner(toolbox(says(text.clone(), fails))), 100)
            .with_scope(Scope::new("talk").with_turn(2))
            .with_spill(Arc::<Shelf>::clone(&shelf));
        runner.start(ready("a1", "says", "{}"));
        let outcome = ended(&mut runner).await.1;
        assert_eq!(outcome.status() == ResultStatus::Failure, fails);
        assert_eq!(outcome.content, format!("x{}", "é".repeat(37)));
        let expected = Truncation::default()
            .with_omitted_bytes(1902)
            .with_full_output("outputs/talk-2-a1.txt")
            .with_tail(format!("{}z", "é".repeat(12)));
        assert_eq!(outcome.truncated(), Some(&expected));
        let name = "outputs/talk-2-a1.txt".to_owned();
        assert_eq!(*shelf.kept.lock().unwrap(), [(name, text.clone())]);
    }
}

#[tokio::test(start_paused = true)]
async fn truncated_output_is_lost_without_spill_store() {
    for mood in ["nobody is there", "fails", "panics", "panics at once", "hangs"] {
        let mut runner = capped(runner(toolbox(says("x".repeat(200), false))), 100);
        if mood != "nobody is there" {
            runner = runner.with_spill(Arc::new(Shelf { mood, ..Shelf::default() }));
        }
        runner.start(ready("a1", "says", "{}"));
        let outcome = ended(&mut runner).await.1;
        assert_eq!(outcome.content, "x".repeat(75), "{mood}");
        let expected = Truncation::default().with_omitted_bytes(100).with_tail("x".repeat(25));
        assert_eq!(outcome.truncated(), Some(&expected), "{mood}");
    }
}

#[tokio::test]
async fn output_at_cap_is_neither_cut_nor_spilled() {
    for (length, cut) in [(0, false), (9, false), (10, false), (11, true)] {
        let shelf = Arc::new(Shelf::default());
        let mut runner = capped(runner(toolbox(says("x".repeat(length), false))), 10)
            .with_spill(Arc::<Shelf>::clone(&shelf));
        runner.start(ready("a1", "says", "{}"));
        let outcome = ended(&mut runner).await.1;
        assert_eq!(outcome.truncated().is_some(), cut, "{outcome:?}");
        assert_eq!(shelf.kept.lock().unwrap().len(), usize::from(cut));
    }
}

#[tokio::test]
async fn smaller_tool_cap_wins() {
    for (own, expected) in [(None, 100), (Some(10), 10), (Some(1000), 100)] {
        let says = says("x".repeat(500), false);
        let says = says.treated(|policy| ToolPolicy { output_cap: own, ..policy });
        let mut runner = capped(runner(toolbox(says)), 100);
        runner.start(ready("a1", "says", "{}"));
        let outcome = ended(&mut runner).await.1;
        assert_eq!(outcome.content.text().len() + tail(&outcome).len(), expected);
    }
}

#[tokio::test]
async fn bounded_tool_output_is_not_cut_again() {
    let flood = tool("flood", |_, context| {
        async move {
            let mut output = context.head_tail();
            let piece = "0123456789abcdef".repeat(1 << 12);
            for _ in 0..1 << 14 {
                output.push(&piece);
            }
            let (content, truncated) = output.finish();
            Ok(ToolOutput::new("1 GB", content).with_truncation(truncated))
        }
        .boxed()
    });
    let shelf = Arc::new(Shelf::default());
    let mut runner =
        runner(with(toolbox(flood), plain("fine"))).with_spill(Arc::<Shelf>::clone(&shelf));
    runner.start(ready("a1", "flood", "{}"));
    let outcome = ended(&mut runner).await.1;
    assert_eq!(outcome.content.text().len() + tail(&outcome).len(), 256 << 10);
    let omitted = (1 << 30) - (256 << 10);
    assert_eq!(outcome.truncated().unwrap().omitted_bytes, Some(omitted));
    assert!(shelf.kept.lock().unwrap().is_empty());
}

/// The tool has left something out, and its output still exceeds the cap.
#[tokio::test]
async fn further_cuts_add_to_tool_cuts() {
    let by_tool = Truncation::default().with_omitted_bytes(1000);
    let middle = by_tool.clone().with_tail("é".repeat(100));
    let end = by_tool.with_next_offset(7).with_omitted_lines(3);
    for (content, cut) in
        [("x".repeat(50), middle.clone()), ("x".repeat(500), middle), ("é".repeat(99), end)]
    {
        let shelf = Arc::new(Shelf::default());
        let whole = content.len() + cut.tail.as_ref().map_or(0, String::len) + 1000;
        let (said, by_tool) = (content.clone(), cut.clone());
        let says = tool("says", move |_, _| {
            let output = ToolOutput::new("", said.clone()).with_truncation(by_tool.clone());
            async move { Ok(output) }.boxed()
        });
        let mut runner = capped(runner(toolbox(says)), 100).with_spill(Arc::<Shelf>::clone(&shelf));
        runner.start(ready("a1", "says", "{}"));
        let outcome = ended(&mut runner).await.1;
        let (head, tail, told) =
            (outcome.content.text(), tail(&outcome), outcome.truncated().unwrap());
        assert!((98..=100).contains(&(head.len() + tail.len())), "{outcome:?}");
        assert!(content.starts_with(&*head), "{outcome:?}");
        assert!(cut.tail.as_ref().unwrap_or(&content).ends_with(tail), "{outcome:?}");
        let omitted = told.omitted_bytes.unwrap() as usize;
        assert_eq!(head.len() + tail.len() + omitted, whole, "{outcome:?}");
        let kept = (told.next_offset, told.omitted_lines, told.full_output.as_ref());
        assert_eq!(kept, (cut.next_offset, cut.omitted_lines, None));
        assert!(shelf.kept.lock().unwrap().is_empty());
    }
}

/// The runner's words have another origin than the same words of a tool.
#[tokio::test(start_paused = true)]
async fn only_the_runners_own_words_are_the_frameworks() {
    let hangs = tool("hangs", |_, _| pending().boxed());
    let words = "timed out after 60 s";
    let fails = says(words.to_owned(), true);
    let panics = tool("panics", |_, _| async { panic!("timed out after 60 s") }.boxed());
    let mut runner = runner(with(with(toolbox(hangs), fails), panics));
    let expected = [
        ("hangs", ResultOrigin::Framework),
        ("nowhere", ResultOrigin::Framework),
        ("says", ResultOrigin::Tool),
        ("panics", ResultOrigin::Tool),
    ];
    for (name, origin) in expected {
        runner.start(ready("a1", name, "{}"));
        let outcome = ended(&mut runner).await.1;
        assert_eq!((outcome.status(), outcome.origin()), (ResultStatus::Failure, origin), "{name}");
        if name == "hangs" || name == "says" {
            assert_eq!(outcome.content, words);
        }
    }
}

#[tokio::test]
async fn short_notices_accompany_content() {
    let says = tool("says", |_, _| {
        let output =
            ToolOutput::new("", "").with_notice("nothing found").with_notice("x".repeat(4096));
        async move { Ok(output.with_notice("a third")) }.boxed()
    });
    let mut runner = runner(toolbox(says));
    runner.start(ready("a1", "says", "{}"));
    let outcome = ended(&mut runner).await.1;
    assert_eq!(
        (outcome.notices(), &*outcome.content.text()),
        (&["nothing found".to_owned()][..], "")
    );
}

fn tail(outcome: &CallResult) -> &str {
    outcome.truncated().and_then(|cut| cut.tail.as_deref()).unwrap_or_default()
}
