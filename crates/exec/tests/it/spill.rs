use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::Status;
use silcrow_exec::{Context, Failure, Output, Policy, Runner, Settings, Spill};

use crate::{Made, next, plain, ready, runner, tool, toolbox, with};

/// Keeps texts in a list, as far as its mood allows.
#[derive(Default)]
struct Shelf {
    kept: Mutex<Vec<(String, String)>>,
    mood: &'static str,
}

impl Spill for Shelf {
    fn keep<'a>(
        &'a self,
        context: &'a Context,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, Failure>> {
        assert_ne!(self.mood, "panics at once");
        async move {
            match self.mood {
                "fails" => return Err(Failure::new("the disk is full")),
                "panics" => panic!("no disk"),
                "hangs" => pending().await,
                _ => {}
            }
            let (conversation, turn, call) =
                (context.conversation(), context.turn(), context.call());
            let name = format!("outputs/{conversation}-{turn}-{call}.txt");
            self.kept.lock().unwrap().push((name.clone(), text.to_owned()));
            Ok(name)
        }
        .boxed()
    }
}

/// A tool that gives a text, or fails with it.
fn says(text: String, fails: bool) -> Made<impl Fn(String, Context) -> crate::Done + Send + Sync> {
    tool("says", move |_, _| {
        let text = text.clone();
        async move { if fails { Err(Failure::new(text)) } else { Ok(Output::new("", text)) } }
            .boxed()
    })
}

fn capped(runner: Runner, output_cap: usize) -> Runner {
    runner.with_settings(Settings { output_cap, ..Settings::default() })
}

#[tokio::test]
async fn what_is_too_long_is_cut_between_characters_and_kept_whole() {
    // 1 + 2n bytes: both cuts would fall into the middle of a character.
    let text = format!("x{}z", "é".repeat(1000));
    for fails in [false, true] {
        let shelf = Arc::new(Shelf::default());
        let mut runner = capped(runner(toolbox(says(text.clone(), fails))), 100)
            .in_turn("talk", 2)
            .with_spill(Arc::<Shelf>::clone(&shelf));
        runner.start(ready("a1", "says", "{}"));
        let (_, status, content) = next(&mut runner).await;
        assert_eq!(status == Status::Failure, fails);
        let (head, tail) = (format!("x{}", "é".repeat(37)), format!("{}z", "é".repeat(12)));
        assert_eq!(
            content,
            format!(
                "{head}\n[1902 bytes are left out here; the whole can be read as \
                 `outputs/talk-2-a1.txt`]\n{tail}"
            )
        );
        let name = "outputs/talk-2-a1.txt".to_owned();
        assert_eq!(*shelf.kept.lock().unwrap(), [(name, text.clone())]);
    }
}

#[tokio::test(start_paused = true)]
async fn without_anybody_who_keeps_it_the_rest_is_gone() {
    for mood in ["nobody is there", "fails", "panics", "panics at once", "hangs"] {
        let mut runner = capped(runner(toolbox(says("x".repeat(200), false))), 100);
        if mood != "nobody is there" {
            runner = runner.with_spill(Arc::new(Shelf { mood, ..Shelf::default() }));
        }
        runner.start(ready("a1", "says", "{}"));
        let (head, tail) = ("x".repeat(75), "x".repeat(25));
        let gone = "[100 bytes are left out here and gone; ask for less, or for a part of it]";
        assert_eq!(next(&mut runner).await.2, format!("{head}\n{gone}\n{tail}"), "{mood}");
    }
}

#[tokio::test]
async fn the_cap_itself_still_fits_and_is_not_kept() {
    for (length, cut) in [(0, false), (9, false), (10, false), (11, true)] {
        let shelf = Arc::new(Shelf::default());
        let mut runner = capped(runner(toolbox(says("x".repeat(length), false))), 10)
            .with_spill(Arc::<Shelf>::clone(&shelf));
        runner.start(ready("a1", "says", "{}"));
        let content = next(&mut runner).await.2;
        assert_eq!(content.contains("left out"), cut, "{content}");
        assert_eq!(shelf.kept.lock().unwrap().len(), usize::from(cut));
    }
}

#[tokio::test]
async fn a_tools_own_cap_counts_where_it_is_less() {
    for (own, expected) in [(None, 100), (Some(10), 10), (Some(1000), 100)] {
        let says = says("x".repeat(500), false);
        let says = says.treated(|policy| Policy { output_cap: own, ..policy });
        let mut runner = capped(runner(toolbox(says)), 100);
        runner.start(ready("a1", "says", "{}"));
        let content = next(&mut runner).await.2;
        assert_eq!(content.matches('x').count(), expected);
    }
}

#[tokio::test]
async fn what_a_tool_collects_in_bounded_memory_is_not_cut_again() {
    let flood = tool("flood", |_, context| {
        async move {
            let mut output = context.head_tail();
            let piece = "0123456789abcdef".repeat(1 << 12);
            for _ in 0..1 << 14 {
                output.push(&piece);
            }
            Ok(Output::new("1 GB", output.finish()))
        }
        .boxed()
    });
    let shelf = Arc::new(Shelf::default());
    let mut runner =
        runner(with(toolbox(flood), plain("fine"))).with_spill(Arc::<Shelf>::clone(&shelf));
    runner.start(ready("a1", "flood", "{}"));
    let content = next(&mut runner).await.2;
    assert!(content.len() <= 256 << 10, "{}", content.len());
    assert_eq!(content.matches("left out").count(), 1);
    assert!(shelf.kept.lock().unwrap().is_empty());
}
