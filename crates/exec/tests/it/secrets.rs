//! Secrets in the results and reports of tools.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{CallResult, Content, ContentPart, Json, Truncation};
use silcrow_exec::{CallUpdate, Runner, RunnerLimits};
use silcrow_tool::{CallContext, Scope, Secret, Secrets, Spill, ToolError, ToolOutput};

use crate::{ended, ready, runner, tool, toolbox};

const KEY: &str = "sk-canary-0123456789";

fn scope() -> Scope {
    Scope::new("c").with_secrets(Secrets::named([Secret::new(KEY, "OPENAI_API_KEY")]))
}

/// Returns the runner of a tool that ends like this.
fn ends(end: Result<ToolOutput, ToolError>) -> Runner {
    let tool = tool("says", move |_, _| {
        let end = end.clone();
        async move { end }.boxed()
    });
    runner(toolbox(tool)).with_scope(scope())
}

async fn result(mut runner: Runner) -> CallResult {
    runner.start(ready("a1", "says", "{}"));
    ended(&mut runner).await.1
}

#[tokio::test]
async fn results_contain_no_secrets() {
    let mut content = Content::from(format!("KEY={KEY}\nOTHER=1"));
    content.push(ContentPart::Json(Json::parse(&format!("{{\"key\":\"{KEY}\"}}")).unwrap()));
    let cut = Truncation::default().with_tail(format!("the end {KEY}"));
    let output = ToolOutput::new(format!("read {KEY}"), content)
        .with_notice(format!("{KEY} is there"))
        .with_truncation(cut);
    let masked = result(ends(Ok(output))).await;
    assert_eq!(
        masked.content.text(),
        "KEY=[secret OPENAI_API_KEY]\nOTHER=1\n{\"key\":\"[secret OPENAI_API_KEY]\"}"
    );
    assert!(!format!("{masked:?}").contains("canary"), "{masked:?}");
    // The model learns the meaning of the words.
    assert!(masked.notices()[0].contains("`[secret …]`"), "{masked:?}");

    let failed = result(ends(Err(ToolError::new(format!("no such key: {KEY}"))))).await;
    assert_eq!(failed.content.text(), "no such key: [secret OPENAI_API_KEY]");
    assert!(!format!("{failed:?}").contains("canary"), "{failed:?}");

    let panics = tool("says", |_, _| async { panic!("{KEY}") }.boxed());
    let panicked = result(runner(toolbox(panics)).with_scope(scope())).await;
    assert!(panicked.content.text().contains("[secret OPENAI_API_KEY]"), "{panicked:?}");
    assert!(!format!("{panicked:?}").contains("canary"), "{panicked:?}");

    let plain = result(ends(Ok(ToolOutput::new("", "sk-canary-0")))).await;
    assert_eq!((plain.content.text().as_ref(), plain.notices()), ("sk-canary-0", &[][..]));
}

#[tokio::test]
async fn refusal_reasons_mask_secrets() {
    let says = tool("says", |_, _| async { Ok(ToolOutput::new("", "")) }.boxed());
    let says = says
        .asking()
        .previewed(|_, _| async { Err(ToolError::new(format!("no file {KEY}"))) }.boxed());
    let refused = result(runner(toolbox(says)).with_scope(scope())).await;
    assert!(refused.content.text().contains("[secret OPENAI_API_KEY]"), "{refused:?}");
    assert!(!format!("{refused:?}").contains("canary"), "{refused:?}");
}

#[tokio::test]
async fn progress_masks_secrets_across_pieces() {
    for cut in 0..=KEY.len() {
        let talk = tool("says", move |_, context| {
            async move {
                let (first, rest) = KEY.split_at(cut);
                context.progress("stdout", format!("a {first}")).await;
                context.progress("stderr", "sk-can").await;
                context.progress("stdout", rest).await;
                context.progress("stdout", " z sk-").await;
                Ok(ToolOutput::new("", ""))
            }
            .boxed()
        });
        let mut runner = runner(toolbox(talk)).with_scope(scope());
        runner.start(ready("a1", "says", "{}"));
        let (mut out, mut err, mut numbers) = (String::new(), String::new(), Vec::new());
        while let Some(update) = runner.next().await {
            let CallUpdate::Progress(piece) = update else { continue };
            if piece.channel == "stdout" {
                numbers.push(piece.n);
                out += &piece.content;
            } else {
                err += &piece.content;
            }
        }
        assert_eq!((&*out, &*err), ("a [secret OPENAI_API_KEY] z sk-", "sk-can"), "cut at {cut}");
        assert_eq!(numbers, Vec::from_iter(0..numbers.len() as u64));
    }
}

/// A spill that keeps texts in a list.
#[derive(Default)]
struct TextList(Mutex<Vec<String>>);

impl Spill for TextList {
    fn keep<'a>(
        &'a self,
        _: &'a CallContext,
        text: &'a str,
    ) -> BoxFuture<'a, Result<String, ToolError>> {
        self.0.lock().unwrap().push(text.to_owned());
        async { Ok("name".to_owned()) }.boxed()
    }
}

#[tokio::test]
async fn output_is_masked_before_cutting_and_spilling() {
    // The key is at each place around the cut.
    for before in 60..100 {
        let text = format!("{}{KEY}{}", "x".repeat(before), "y".repeat(200));
        let list = Arc::new(TextList::default());
        let runner = ends(Ok(ToolOutput::new("", text)))
            .with_limits(RunnerLimits { output_cap: 100, ..RunnerLimits::default() })
            .with_spill(Arc::<TextList>::clone(&list));
        let masked = result(runner).await;
        let kept = list.0.lock().unwrap().join("");
        assert!(kept.contains("[secret OPENAI_API_KEY]"), "{kept}");
        for text in [kept, format!("{masked:?}")] {
            assert!(!text.contains("sk-can") && !text.contains("6789"), "{text}");
        }
    }
}
