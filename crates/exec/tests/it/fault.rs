use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, pending};
use silcrow_event::{Json, ResultStatus};
use silcrow_exec::RunnerLimits;
use silcrow_tool::{
    ApprovalNeed, CallContext, Preview, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy,
    Validator,
};
use tokio::sync::oneshot;
use tokio::task::{spawn_blocking, yield_now};

use crate::{ended, next, plain, ready, runner, summary, tool, toolbox, with};

#[tokio::test]
async fn panic_failure_carries_its_message() {
    let tools = toolbox(tool("at_once", |_, _| panic!("before the first await")));
    let inside = tool("inside", |args, _| {
        async move {
            yield_now().await;
            panic!("inside, with {args}")
        }
        .boxed()
    });
    let odd = tool("odd", |_, _| async { std::panic::panic_any(7) }.boxed());
    let late = tool("late", |_, _| {
        struct Grenade;
        impl Drop for Grenade {
            fn drop(&mut self) {
                panic!("while it was dropped");
            }
        }
        async {
            let _grenade = Grenade;
            pending().await
        }
        .boxed()
    });
    let tools = with(with(with(with(tools, inside), odd), plain("fine")), {
        late.limited(Duration::from_millis(1))
    });
    let mut runner = runner(tools);
    let table = [
        ("at_once", "the tool panicked: before the first await"),
        ("inside", "the tool panicked: inside, with {\"a\":1}"),
        ("odd", "the tool panicked: (without a message)"),
        ("late", "timed out after 0.001 s"),
    ];
    for (name, expected) in table {
        runner.start(ready("a1", name, r#"{"a":1}"#));
        let (_, status, why) = next(&mut runner).await;
        assert_eq!((status, &*why), (ResultStatus::Failure, expected));
    }
    runner.start(ready("a2", "fine", "{}"));
    assert_eq!(next(&mut runner).await.2, "fine", "the runner goes on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thread_blocking_tool_times_out() {
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let block = tool("block", move |_, _| {
        // This blocks a thread of the runtime until the test is over.
        let _ = released.lock().unwrap().recv();
        pending().boxed()
    });
    let mut runner = runner(toolbox(block.limited(Duration::from_millis(20))));
    runner.start(ready("a1", "block", "{}"));
    let ended = tokio::spawn(async move { next(&mut runner).await });
    assert_eq!(ended.await.unwrap().2, "timed out after 0.02 s");
    drop(release);
}

#[tokio::test]
async fn panic_before_start_is_a_failure() {
    /// A tool that panics in the method that its field names.
    struct Odd(&'static str);
    impl Tool for Odd {
        fn name(&self) -> &str {
            "odd"
        }
        fn description(&self) -> &str {
            "Made for a test."
        }
        fn schema(&self) -> &str {
            assert_ne!(self.0, "schema");
            "{}"
        }
        fn policy(&self) -> ToolPolicy {
            assert_ne!(self.0, "policy");
            ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
        }
        fn preview<'a>(
            &'a self,
            _: ToolArgs<'a>,
            _: &'a CallContext,
        ) -> BoxFuture<'a, Result<Preview, ToolError>> {
            assert_ne!(self.0, "preview");
            async { panic!("in the future of the preview") }.boxed()
        }
        fn call<'a>(
            &'a self,
            _: ToolArgs<'a>,
            _: &'a CallContext,
        ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
            unreachable!("it never starts")
        }
    }
    for place in ["schema", "policy", "preview", "nowhere"] {
        let mut runner = runner(toolbox(Odd(place)));
        runner.start(ready("a1", "odd", "{}"));
        let (_, outcome) = ended(&mut runner).await;
        assert_eq!(summary(&outcome), "panicked");
        assert!(
            outcome.content.text().starts_with("a panic before the call could start: "),
            "{place}"
        );
    }
}

#[tokio::test]
async fn failing_validator_lets_nothing_through() {
    struct Broken;
    impl Validator for Broken {
        fn check(&self, _: &str, args: &str) -> Result<(), ToolError> {
            assert!(!args.contains("panic"), "no memory");
            Err(ToolError::new("the validator is away"))
        }
    }
    let never = tool("never", |_, _| panic!("it ran"));
    let mut runner = runner(toolbox(never)).with_validator(Arc::new(Broken));
    for (args, expected) in [
        ("{}", "the validator is away"),
        (r#"{"a":"panic"}"#, "a panic before the call could start: no memory"),
    ] {
        runner.start(ready("a1", "never", args));
        assert_eq!(next(&mut runner).await, ("a1".into(), ResultStatus::Failure, expected.into()));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runner_abandons_uncancellable_threads_immediately() {
    for end in ["cancel", "stop", "timeout", "drop"] {
        let (release, released) = mpsc::channel::<()>();
        let (enter, entered) = oneshot::channel();
        let ends = Mutex::new(Some((released, enter)));
        let block = tool("block", move |_, context| {
            let (released, enter) = ends.lock().unwrap().take().unwrap();
            async move {
                let thread = spawn_blocking(move || {
                    enter.send(()).unwrap();
                    let _ = released.recv();
                    "late"
                });
                let late = thread.await.unwrap();
                context.progress("stdout", late).await;
                Ok(ToolOutput::new("", late))
            }
            .boxed()
        });
        let limit = Duration::from_millis(if end == "timeout" { 20 } else { 60_000 });
        let mut runner = runner(toolbox(block.limited(limit)));
        runner.start(ready("a1", "block", "{}"));
        entered.await.unwrap();
        let began = Instant::now();
        match end {
            "cancel" => runner.cancel(),
            "stop" => runner.stop("a1"),
            "timeout" => assert_eq!(next(&mut runner).await.2, "timed out after 0.02 s"),
            _ => {
                drop(runner);
                release.send(()).unwrap();
                continue;
            }
        }
        assert!(runner.next().await.is_none(), "{end}");
        assert!(began.elapsed() < Duration::from_secs(30), "it did not wait for the thread");
        // Its later outcome is not reported.
        release.send(()).unwrap();
        for _ in 0..1000 {
            yield_now().await;
            assert_eq!(runner.next().await, None, "{end}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn output_after_timeout_is_ignored() {
    let (finish, finished) = oneshot::channel::<()>();
    let ends = Mutex::new(Some(finished));
    let late = tool("late", move |_, context| {
        let finished = ends.lock().unwrap().take().unwrap();
        // It outlives the call, as a thread would.
        let rest = tokio::spawn(async move {
            finished.await.unwrap();
            context.progress("stdout", "late").await;
            Ok(ToolOutput::new("", "late"))
        });
        async { rest.await.unwrap() }.boxed()
    });
    let mut runner = runner(with(toolbox(late), plain("fine")));
    runner.start(ready("a1", "late", "{}"));
    assert_eq!(next(&mut runner).await.2, "timed out after 60 s");
    finish.send(()).unwrap();
    runner.start(ready("a2", "fine", "{}"));
    assert_eq!(next(&mut runner).await.0, "a2");
    for _ in 0..100 {
        yield_now().await;
        assert_eq!(runner.next().await, None);
    }
}

#[tokio::test]
async fn text_made_of_broken_bytes_is_text() {
    let bytes = tool("bytes", |_, _| {
        async {
            let bytes: Vec<_> = (0..=255).cycle().take(100_000).collect();
            Ok(ToolOutput::new("bytes", String::from_utf8_lossy(&bytes)))
        }
        .boxed()
    });
    let settings = RunnerLimits { output_cap: 1000, ..RunnerLimits::default() };
    let mut runner = runner(toolbox(bytes)).with_limits(settings);
    runner.start(ready("a1", "bytes", "{}"));
    let (_, outcome) = ended(&mut runner).await;
    assert!(outcome.content.text().contains("\u{fffd}") && outcome.content.text().contains('\0'));
    assert!(outcome.content.text().len() < 1200);
    let (content, truncated) = (outcome.content.text(), outcome.truncated().unwrap());
    assert_eq!(*outcome.value().unwrap(), Json::string(&truncated.join(&content)));
}
