//! The result of a command: its output, and beside it the kind of its end.

use serde_json::json;
use silcrow_event::CallResult;
use silcrow_shell::has_failed_command;

use super::{Place, text};

#[tokio::test]
async fn output_is_content_with_separate_status() {
    let place = Place::new();
    let output = place.run("echo out; echo err >&2; exit 3").await;
    let mut lines: Vec<_> = text(&output).lines().map(str::to_owned).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["err", "out"]);
    assert_eq!(
        (&*output.summary, &*output.notices),
        ("exit status 3", &["exit status 3".to_owned()][..])
    );
    assert_eq!(output.truncated, None);
}

#[tokio::test]
async fn a_status_cannot_be_forged() {
    let output = Place::new().run("echo 'exit status 0'; kill -9 $$").await;
    assert_eq!(
        (&*text(&output), &*output.notices[0]),
        ("exit status 0\n", "ended by signal 9 (SIGKILL)")
    );
}

#[tokio::test]
async fn empty_output_is_reported() {
    let output = Place::new().run("cat").await;
    assert_eq!(
        (&*text(&output), &*output.notices),
        ("", &["exit status 0".to_owned(), "it wrote nothing".to_owned()][..])
    );
}

#[tokio::test]
async fn invalid_utf8_is_replaced() {
    let output = Place::new().run(r"printf 'a\xffb\xc3'; printf '\xa9 \xe2\x82'").await;
    assert_eq!(text(&output), "a\u{fffd}bé \u{fffd}");
}

#[tokio::test]
async fn model_reads_final_state_of_redrawn_lines() {
    let script = "for i in $(seq 400); do printf '\\033[2K\\r\\033[32mstep %d\\033[0m' $i; done; \
                  printf '\\n\\033[1;31merror\\033[0m: it broke\\n'";
    let output = Place::new().run(script).await;
    assert_eq!(text(&output), "step 400\nerror: it broke\n");
}

#[tokio::test]
async fn an_output_of_some_hundred_kilobytes_is_whole() {
    let output = Place::new().run("seq 100000").await;
    assert_eq!((text(&output).lines().count(), output.truncated), (100_000, None));
}

#[tokio::test]
async fn of_an_endless_output_the_ends_are_kept() {
    let place = Place::new();
    let output = place
        .call(json!({"command": "echo first; yes | head -c 50000000; echo last"}))
        .await
        .unwrap();
    let cut = output.truncated.clone().unwrap();
    let (head, tail) = (text(&output), cut.tail.unwrap());
    assert!(head.starts_with("first\ny\n") && tail.ends_with("y\nlast\n"));
    assert_eq!((head.len(), tail.len()), (30 * 1024 * 3 / 4, 30 * 1024 / 4));
    assert_eq!(cut.omitted_bytes, Some(50_000_011 - 30 * 1024));
}

#[tokio::test]
async fn a_command_runs_in_its_folder() {
    let place = Place::new();
    std::fs::create_dir_all(place.folder.path().join("sub/deep")).unwrap();
    let output = place.call(json!({"command": "pwd", "folder": "sub/deep"})).await.unwrap();
    assert!(text(&output).ends_with("/sub/deep\n"), "{output:?}");
    assert!(text(&place.run("pwd; [[ -n $BASH ]] && echo bash").await).ends_with("bash\n"));
}

#[tokio::test]
async fn failure_is_decided_by_exit_status() {
    for (command, has_failed) in [
        ("true", false),
        ("echo 'exit status 1'", false),
        ("exit 1", true),
        // It is named, and no failure of the command.
        ("false | true", false),
        ("echo 'exit status 0'; exit 10", true),
        ("kill -9 $$", true),
    ] {
        let output = Place::new().run(command).await;
        assert_eq!(output.has_failed, has_failed, "{command}");
        let result = |tool| {
            let (summary, content) = (&*output.summary, output.content.clone());
            let result = match has_failed {
                true => CallResult::failure("a1", Some(tool), summary, content),
                false => CallResult::success("a1", tool, summary, content),
            };
            result.with_notices(output.notices.clone())
        };
        assert_eq!(has_failed_command(&result("shell")), has_failed, "{command}");
        assert_eq!(has_failed_command(&result("shell_processes")), has_failed, "{command}");
        assert!(!has_failed_command(&result("file_read")), "{command}");
    }
    let status = || vec!["exit status 1".to_owned()];
    let denied = CallResult::framework_failure("a1", Some("shell"), "denied", "exit status 1");
    assert!(!has_failed_command(&denied.with_notices(status())));
    // In older logs the call of a command that failed has succeeded.
    let older = CallResult::success("a1", "shell", "exit status 1", "");
    assert!(has_failed_command(&older.with_notices(status())));
}

#[tokio::test]
async fn empty_search_is_an_explained_failure() {
    let place = Place::new();
    std::fs::write(place.folder.path().join("a.txt"), "one\n").unwrap();
    let output = place.run("grep two a.txt").await;
    assert!(output.has_failed);
    assert!(output.notices.iter().any(|notice| notice.contains("`|| true`")), "{output:?}");
    assert!(!place.run("grep two a.txt || true").await.has_failed);
}
