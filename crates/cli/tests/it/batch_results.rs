//! The results of a batch as one event, and the times of parsed lines.

use crate::support::{Sandbox, command_output};

#[test]
fn batch_results_are_one_event_with_counts() {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "alpha");
    let script = sandbox.write(
        "script",
        r#"§call: {"name": "file_read", "args": {"file": "a.txt"}}
§call: {"name": "file_read", "args": {"file": "missing.txt"}}
§execute
%%
§respond: Done.
§end"#,
    );
    let model = format!("script:{script}");
    let args = ["run", "go", "--model", &model, "--new", "c", "--json", "--batch-results"];
    let ran = sandbox.silcrow(&args);
    let events = ran.ends(0).events();
    let results: Vec<_> = events.iter().filter(|event| event["type"] == "result").collect();
    let [batch] = results[..] else { panic!("{results:?}") };
    let counts = serde_json::json!({"tools_executed": 2, "success_count": 1, "failure_count": 1});
    assert_eq!(batch["payload"], counts);
    let content: serde_json::Value =
        serde_json::from_str(batch["content"].as_str().unwrap()).unwrap();
    assert_eq!(
        (&content[0]["content"], &content[1]["status"]),
        (&"alpha".into(), &"failure".into())
    );
    // It comes with the step that made the calls, and the log keeps single results.
    let at = |kind: &str| events.iter().position(|event| event["type"] == kind).unwrap();
    assert!(at("call") < at("result") && at("result") < at("respond"));
    let log = sandbox.silcrow(&["log", "--json", "show", "c"]);
    assert_eq!(log.ends(0).types().iter().filter(|kind| *kind == "result").count(), 2);
}

#[test]
fn parsed_lines_have_the_time_if_asked_for() {
    let sandbox = Sandbox::new();
    let wire = sandbox.write("wire", "§think: hm\n§respond: yes\n§end");
    for (more, has_time) in [(&["--timestamps"][..], true), (&[], false)] {
        for stream in ["token", "event"] {
            let args = [&["dev", "parse", &wire, "--stream", stream], more].concat();
            let ran = command_output(sandbox.command(&args).output().unwrap());
            let events = ran.ends(0).events();
            assert!(
                events.iter().all(|event| event["timestamp"].is_f64() == has_time),
                "{}",
                ran.out
            );
        }
    }
}
