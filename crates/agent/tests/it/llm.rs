//! A model call without tools.

use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::Llm;
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, Error, ErrorKind, FinishReason};
use silcrow_tool::{CallContext, Tool as _, ToolArgs, ToolError, ToolOutput, Validator as _};

use crate::models::model;
use crate::support::{Answer, DeltaModel};

async fn call(says: &DeltaModel, args: &str) -> Result<ToolOutput, ToolError> {
    let llm = Llm::new("brief", "Makes it short.", says.clone()).with_instructions("Be brief.");
    silcrow_tool::BasicValidator.check(llm.schema(), args)?;
    llm.call(ToolArgs::new(args), &CallContext::new("c", "a1")).await
}

fn model_of(deltas: impl IntoIterator<Item = Delta>) -> DeltaModel {
    DeltaModel::new([Answer { deltas: deltas.into_iter().map(Ok).collect(), hangs: false }])
}

fn text(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

#[tokio::test]
async fn plain_text_goes_in_and_comes_out() {
    let markers = "§call: {\"name\":\"x\"}\n<response>";
    let says = model_of([
        Delta::Reasoning("hm".into()),
        text(" It is "),
        text(markers),
        Delta::Done(FinishReason::Stop),
    ]);
    let args = r#"{"prompt":"Sum it up.","text":"All\nof it.","system":"In German.","max_length":20,"model":"x"}"#;
    let output = call(&says, args).await.unwrap();
    assert_eq!(output.content, format!("It is {markers}"));
    assert_eq!(output.summary, "5 words");
    let asked = Message::new(Role::User, "Sum it up.\n\nAll\nof it.\n\nWrite at most 20 words.");
    assert_eq!(says.asked(), [[Message::new(Role::System, "Be brief.\n\nIn German."), asked]]);
}

#[tokio::test]
async fn unfinished_answer_is_a_failure() {
    let long = "x".repeat((1 << 20) + 1);
    let ends = [
        (model_of([text("a"), Delta::Done(FinishReason::Length)]), "length limit"),
        (model_of([text("a"), Delta::Done(FinishReason::Filter)]), "withheld"),
        (model_of([text("a")]), "cut off"),
        (model_of([text(&long), Delta::Done(FinishReason::Stop)]), "1 MiB"),
        (
            DeltaModel::new([Answer {
                deltas: vec![Err(Error::new(ErrorKind::Rate, "too many requests"))],
                hangs: false,
            }]),
            "too many requests",
        ),
    ];
    for (says, why) in ends {
        let failed = call(&says, r#"{"prompt":"go"}"#).await.unwrap_err().to_string();
        assert!(failed.contains("`brief`") && failed.contains(why), "{failed}");
    }
}

#[tokio::test]
async fn invalid_prompts_are_refused_by_field_name() {
    let asks = [
        ("{}", "`prompt`"),
        (r#"{"prompt":" "}"#, "`prompt`"),
        (r#"{"promt":"x"}"#, "`promt`"),
        (r#"{"prompt":1}"#, "`prompt`"),
    ];
    for (args, why) in asks {
        let failed = call(&model_of([]), args).await.unwrap_err().to_string();
        assert!(failed.contains(why), "{failed}");
    }
}

#[test]
fn a_dropped_call_hangs_up() {
    let held = Arc::new(());
    let answer = Arc::clone(&held);
    // A model that never answers; each of its streams holds a clone.
    let silent = model(move |_| {
        let held = Arc::clone(&answer);
        stream::pending().inspect(move |_| drop(Arc::clone(&held))).boxed()
    });
    let llm = Llm::new("silent", "Says nothing.", silent);
    let context = CallContext::new("c", "a1");
    let mut asked = llm.call(ToolArgs::new(r#"{"prompt":"go"}"#), &context);
    assert!((&mut asked).now_or_never().is_none());
    let asking = Arc::strong_count(&held);
    drop(asked);
    assert_eq!(Arc::strong_count(&held), asking - 1);
}
