//! Processes that a command leaves end with it, and the result says so.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Place, call, context, text};

#[tokio::test]
async fn leftover_server_notice_suggests_background() {
    let place = Place::new();
    for command in ["sleep 900 & echo up", "nohup sleep 900 >log 2>&1 & echo up"] {
        let begin = Instant::now();
        let output = place.run(command).await;
        // It holds the pipes, and nothing waits for it.
        assert!(begin.elapsed() < Duration::from_secs(60));
        assert_eq!((&*text(&output), output.has_failed), ("up\n", false));
        let notice = &output.notices[1];
        assert!(notice.starts_with("a process that it left running, such as `"), "{notice}");
        assert!(notice.contains("was ended with it") && notice.contains("`background: true`"));
        assert!(output.summary.ends_with("; a process that it left was ended"), "{output:?}");
    }
    let output = place.run("sleep 900 & setsid sleep 900 & echo up").await;
    assert!(output.notices[1].starts_with("2 processes that it left running"), "{output:?}");
}

#[tokio::test]
async fn command_without_leftovers_reports_nothing() {
    let output = Place::new().run("sleep 0.01 & wait; echo a | cat; echo b > >(cat)").await;
    assert_eq!(output.notices, ["exit status 0"]);
}

#[tokio::test]
async fn background_command_reports_its_leftover_server() {
    let place = Place::new();
    let start = json!({"command": "sleep 900 & echo up", "background": true});
    place.call(start).await.unwrap();
    let processes = place.shell.processes();
    let read = json!({"action": "output", "id": "p1", "wait": 60});
    let mut output = call(&processes, &context(), read.clone()).await.unwrap();
    while output.notices[0] == "it is running" {
        output = call(&processes, &context(), read.clone()).await.unwrap();
    }
    assert!(output.notices[1].contains("without `&`"), "{output:?}");
}
