//! The tool `workflow`: one call of the model runs many others.

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox};

/// Reads each file of a list, counts the long ones, and chooses the text to write by that.
const ACTIONS: &str = r#"{"name":"workflow","args":{"actions":[
    {"id":"texts","foreach":"['a.txt','b.txt','c.txt']","as":"path","on_error":"skip","actions":[
        {"id":"read","name":"file_read","parameters":{"file":"$path"}}]},
    {"id":"long","value":"texts.filter(t, t != null && string(t).contains('long')).size()"},
    {"id":"way","if":"long > 1","then":[
        {"id":"many","parallel":"all","actions":[
            {"id":"list","name":"file_list"},
            {"id":"find","name":"file_search","parameters":{"query":"long"}}]}],
     "else":[{"id":"note","name":"file_write","parameters":{"file":"few.txt","content":"$long"}}]},
    {"id":"out","value":"long"}]}}"#;

fn sandbox() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "a long text\n");
    sandbox.write("root/b.txt", "brief\n");
    sandbox.write("root/c.txt", "another long text\n");
    let call = ACTIONS.replace('\n', " ");
    let script = format!("§call: {call}\n§execute\n%%\n§respond: Two are long.\n§end\n");
    let model = format!("script:{}", sandbox.write("script", &script));
    (sandbox, model)
}

fn run(sandbox: &Sandbox, model: &str, more: &[&str]) -> CommandOutput {
    let flag = sandbox.flag_of("flow");
    let args = ["run", "go", "--model", model, flag, "flow", "--tools", "with:workflow"];
    sandbox.silcrow(&[&args, more].concat())
}

/// Returns the events of this type, each as its `id` and the path of agents.
fn of_type(events: &[Value], wanted: &str) -> Vec<String> {
    let events = events.iter().filter(|event| event["type"] == wanted);
    let text = |event: &Value| {
        let path = event["agent_path"].as_str().unwrap_or_default();
        format!("{path}/{}", event["id"].as_str().unwrap_or_default())
    };
    events.map(text).collect()
}

#[test]
fn workflow_call_shows_each_of_its_calls() {
    let (sandbox, model) = sandbox();
    let ran = run(&sandbox, &model, &["--json"]);
    let events = ran.ends(0).events();
    let mut results = of_type(&events, "result");
    results.sort();
    assert_eq!(
        results,
        [
            "/a1",
            "workflow/find",
            "workflow/list",
            "workflow/note",
            "workflow/texts",
            "workflow/texts[0].read",
            "workflow/texts[1].read",
            "workflow/texts[2].read",
        ]
    );
    let result = |id: &str| events.iter().find(|e| e["type"] == "result" && e["id"] == id).unwrap();
    // The model reads one number, and not the files.
    assert_eq!(result("a1")["content"], "2");
    assert!(result("note")["content"].as_str().unwrap().starts_with("skipped"));
    assert!(!sandbox.root().join("few.txt").exists());
}

#[test]
fn person_sees_calls_inside_a_workflow() {
    let (sandbox, model) = sandbox();
    let ran = run(&sandbox, &model, &[]);
    let shown = format!("{}{}", ran.ends(0).out, ran.err);
    for part in [
        "workflow texts[1].read → file_read",
        "workflow texts[2].read ✓ file_read 1 line",
        "workflow ✓ file_search 2 hits in 2 files",
        "workflow ✗ file_write skipped: the test of `way` is true",
        "Two are long.",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn calls_inside_a_workflow_need_permission() {
    let sandbox = Sandbox::new();
    let call = r#"{"name":"workflow","args":{"actions":[{"id":"w","name":"file_write","parameters":{"file":"new.txt","content":"x"}}]}}"#;
    let script = format!("§call: {call}\n§execute\n%%\n§respond: No.\n§end\n");
    let model = format!("script:{}", sandbox.write("script", &script));
    let ran = run(&sandbox, &model, &["--json", "--permissions", "read-only"]);
    let events = ran.ends(0).events();
    let denied = |id: &str| {
        let is_it = |event: &&Value| event["type"] == "result" && event["id"] == id;
        events.iter().find(is_it).unwrap()["content"].to_string()
    };
    assert!(denied("w").contains("read-only"), "{}", denied("w"));
    assert!(denied("a1").contains("`w` failed"), "{}", denied("a1"));
    assert!(!sandbox.root().join("new.txt").exists());
}

#[test]
fn workflow_tool_is_off_by_default() {
    let (sandbox, model) = sandbox();
    let ran = sandbox.silcrow(&["run", "go", "--model", &model, "--json", "--store", "memory"]);
    let events = ran.ends(0).events();
    let results = of_type(&events, "result");
    assert_eq!(results, ["/a1"]);
    let result = events.iter().find(|event| event["type"] == "result").unwrap();
    assert!(result["content"].to_string().contains("workflow"), "{result}");
}
