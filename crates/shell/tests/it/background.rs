//! Commands in the background: started, listed, read and stopped.

use std::time::{Duration, Instant};

use serde_json::json;
use silcrow_tool::{ApprovalNeed, CallContext, Scope, Tool as _};

use super::{Place, call, context, text};

#[tokio::test]
async fn a_command_is_started_listed_read_and_stopped() {
    let place = Place::new();
    let processes = place.shell.processes();
    assert_eq!(processes.policy().approval, ApprovalNeed::Never);
    let none = call(&processes, &context(), json!({"action": "list"})).await.unwrap();
    assert_eq!((&*text(&none), &*none.notices[0]), ("", "no command runs in the background"));

    let started = place
        .call(json!({"command": "echo up; exec sleep 900", "background": true}))
        .await
        .unwrap();
    assert_eq!((&*started.summary, &*text(&started)), ("started p1", ""));
    let list = call(&processes, &context(), json!({"action": "list"})).await.unwrap();
    assert_eq!(text(&list), "p1\trunning\t.\techo up; exec sleep 900\n");

    let read = json!({"action": "output", "id": "p1", "wait": 60});
    let first = call(&processes, &context(), read).await.unwrap();
    assert_eq!((&*text(&first), &*first.notices), ("up\n", &["it is running".to_owned()][..]));
    let nothing =
        call(&processes, &context(), json!({"action": "output", "id": "p1"})).await.unwrap();
    assert_eq!(nothing.notices, ["it is running", "it wrote nothing new"]);

    let stopped =
        call(&processes, &context(), json!({"action": "stop", "id": "p1"})).await.unwrap();
    assert_eq!(stopped.notices, ["ended by signal 15 (SIGTERM)", "it wrote nothing"]);
    let gone = call(&processes, &context(), json!({"action": "output", "id": "p1"})).await;
    assert!(gone.unwrap_err().to_string().contains("none was started"));
}

#[tokio::test]
async fn background_output_matches_a_terminals_display() {
    let place = Place::new();
    let command = r"printf '10 %%\r20 %%\r\033[32m30\033[0m\n'; exec sleep 900";
    place.call(json!({"command": command, "background": true})).await.unwrap();
    let read = json!({"action": "output", "id": "p1", "wait": 60});
    let output = call(&place.shell.processes(), &context(), read).await.unwrap();
    assert_eq!(text(&output), "30 %\n");
}

#[tokio::test]
async fn ended_command_has_a_status() {
    let place = Place::new();
    place.call(json!({"command": "exit 4", "background": true})).await.unwrap();
    let read = json!({"action": "output", "id": "p1", "wait": 60});
    let output = call(&place.shell.processes(), &context(), read).await.unwrap();
    assert_eq!((&*output.summary, output.has_failed), ("exit status 4", true));
}

#[tokio::test]
async fn command_stopped_on_request_has_not_failed() {
    let place = Place::new();
    let processes = place.shell.processes();
    let start = json!({"command": "exec sleep 900", "background": true});
    assert!(!place.call(start).await.unwrap().has_failed);
    let stop = json!({"action": "stop", "id": "p1"});
    let stopped = call(&processes, &context(), stop).await.unwrap();
    assert!(stopped.summary.starts_with("ended by signal") && !stopped.has_failed, "{stopped:?}");
}

#[tokio::test]
async fn another_conversation_does_not_see_it() {
    let place = Place::new();
    let processes = place.shell.processes();
    place.call(json!({"command": "sleep 900", "background": true})).await.unwrap();
    let other = CallContext::new(Scope::new("c2"), "1");
    let list = call(&processes, &other, json!({"action": "list"})).await.unwrap();
    assert_eq!(text(&list), "");
    let stop = call(&processes, &other, json!({"action": "stop", "id": "p1"})).await;
    assert!(stop.unwrap_err().to_string().contains("unknown background command"));
}

#[tokio::test]
async fn their_number_is_limited() {
    let place = Place::new();
    for _ in 0..8 {
        place.call(json!({"command": "sleep 900", "background": true})).await.unwrap();
    }
    let error = place.call(json!({"command": "true", "background": true})).await.unwrap_err();
    assert!(error.to_string().contains("8 commands run in the background already"), "{error}");
}

#[tokio::test]
async fn missing_arguments_are_named() {
    let place = Place::new();
    let processes = place.shell.processes();
    let error = call(&processes, &context(), json!({"action": "stop"})).await.unwrap_err();
    assert!(error.to_string().contains("`id` is missing"), "{error}");
}

/// Each call is the first that reports it.
#[tokio::test]
async fn set_aside_files_are_reported_while_running() {
    for kind in ["command", "list", "output"] {
        let place = Place::with(|options| options.with_protected_name(".envrc"));
        let processes = place.shell.processes();
        let (tool, args): (&dyn silcrow_tool::Tool, _) = match kind {
            "command" => (&place.shell, json!({"command": "true"})),
            "list" => (&processes, json!({"action": "list"})),
            _ => (&processes, json!({"action": "output", "id": "p1"})),
        };
        let command = "echo x > .envrc; exec sleep 900";
        place.call(json!({"command": command, "background": true})).await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let told = loop {
            match call(tool, &context(), args.clone()).await {
                Ok(output) if output.notices.iter().any(|one| one.contains(ASIDE)) => break output,
                Ok(_) => {}
                // The file is set aside while this command starts.
                Err(error) => {
                    assert!(
                        format!("{error:?}").contains("about to start; try again"),
                        "{error:?}"
                    );
                }
            }
            assert!(Instant::now() < deadline, "{kind}: nothing is said");
            tokio::task::yield_now().await;
        };
        assert!(told.summary.contains("; set aside, because programs run it"), "{told:?}");
        assert!(!place.folder.path().join(".envrc").exists());
        let again = call(tool, &context(), args.clone()).await.unwrap();
        assert!(!again.summary.contains("set aside"), "{again:?}");
    }
}

const ASIDE: &str = ".envrc.set-aside-1";
