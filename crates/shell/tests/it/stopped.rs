//! Commands that are stopped: by their time, by the person, or because their call is dropped.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;

use serde_json::json;
use silcrow_tool::{CallContext, CancellationToken, Scope};
use tokio::task::spawn_blocking;

use super::{Place, call, context, text};

/// A script that starts processes that do not want to die, and writes to a pipe that they hold.
const STUBBORN: &str = "exec 9>fifo; trap '' TERM; (setsid sleep 900 &); nohup sleep 900 >/dev/null 2>&1 & \
    echo before; echo ready >&9; while :; do sleep 900; done";

fn fifo(place: &Place) -> PathBuf {
    let path = place.folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    path
}

/// Waits until the script runs.
fn ready(path: PathBuf) -> BufReader<File> {
    let mut pipe = BufReader::new(File::open(path).unwrap());
    let mut line = String::new();
    pipe.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    pipe
}

/// Waits until no process of the script is left.
async fn ended(mut pipe: BufReader<File>) {
    spawn_blocking(move || pipe.read_to_end(&mut Vec::new())).await.unwrap().unwrap();
}

/// The clock is paused, and it advances only when nothing else happens: not before the script is ready.
#[tokio::test(start_paused = true)]
async fn a_timeout_keeps_the_output_and_leaves_nothing() {
    let place = Place::new();
    let path = fifo(&place);
    let pipe = spawn_blocking(|| ready(path));
    let output = place.call(json!({"command": STUBBORN, "timeout": 20})).await.unwrap();
    assert_eq!((&*text(&output), &*output.summary), ("before\n", "stopped after 20 s"));
    assert!(output.has_failed);
    assert_eq!(output.notices[0], "ended by signal 9 (SIGKILL)");
    assert!(
        output.notices[1].starts_with("it was stopped after 20 s, its `timeout`"),
        "{output:?}"
    );
    ended(pipe.await.unwrap()).await;
}

#[tokio::test(start_paused = true)]
async fn endless_output_ends_with_its_time() {
    let place = Place::new();
    let path = fifo(&place);
    let pipe = spawn_blocking(|| ready(path));
    let command = "exec 9>fifo; echo y; echo ready >&9; exec yes";
    let output = place.call(json!({"command": command})).await.unwrap();
    assert_eq!(output.summary, "stopped after 120 s");
    assert!(text(&output).starts_with("y\n"));
    ended(pipe.await.unwrap()).await;
}

#[tokio::test]
async fn a_cancelled_call_leaves_nothing() {
    let place = Place::new();
    let path = fifo(&place);
    let token = CancellationToken::new();
    let context = CallContext::new(Scope::new("c1").with_cancellation(token.clone()), "1");
    let (result, pipe) =
        tokio::join!(call(&place.shell, &context, json!({"command": STUBBORN})), async {
            let pipe = spawn_blocking(|| ready(path)).await.unwrap();
            token.cancel();
            pipe
        });
    assert!(result.unwrap_err().to_string().contains("cancelled"));
    ended(pipe).await;
}

#[tokio::test]
async fn a_dropped_call_leaves_nothing() {
    let place = Place::new();
    let path = fifo(&place);
    let context = context();
    let pipe = tokio::select! {
        result = call(&place.shell, &context, json!({"command": STUBBORN})) => panic!("{result:?}"),
        pipe = spawn_blocking(|| ready(path)) => pipe.unwrap(),
    };
    ended(pipe).await;
}

#[tokio::test]
async fn background_commands_end_with_the_tool() {
    let place = Place::new();
    let path = fifo(&place);
    place.call(json!({"command": STUBBORN, "background": true})).await.unwrap();
    let pipe = spawn_blocking(|| ready(path)).await.unwrap();
    // The folder stays until the end of the test.
    let Place { folder: _folder, shell } = place;
    drop(shell);
    ended(pipe).await;
}
