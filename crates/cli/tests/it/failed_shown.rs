//! The reason of a failed run, in everything that shows a stored conversation.

use serde_json::Value;

use crate::support::Sandbox;

#[test]
fn log_exports_and_traces_show_failure_once() {
    let sandbox = Sandbox::new();
    let script = sandbox.write("script", "§call: {\"name\": \"file_list\"}\n§execute");
    let model = format!("script:{script}");
    let failed = sandbox.silcrow(&["run", "List it.", "--model", &model, "--new", "c1"]);
    let why = "the script has 1 answer and this is request 2";
    assert_eq!(failed.ends(1).err.matches(why).count(), 1, "{}", failed.err);
    for args in [
        &["log", "show", "c1"][..],
        &["log", "show", "c1", "--json"],
        &["log", "export", "c1", "--format", "md"],
        &["log", "export", "c1", "--format", "html"],
        &["log", "export", "c1", "--format", "jsonl"],
    ] {
        let shown = sandbox.silcrow(args);
        assert_eq!(shown.ends(0).out.matches(why).count(), 1, "{args:?}: {}", shown.out);
        assert!(shown.out.contains("script_exhausted"), "{args:?}: {}", shown.out);
    }
    let trace = sandbox.silcrow(&["log", "export", "c1", "--format", "otlp-json"]);
    let trace: Value = serde_json::from_str(&trace.ends(0).out).unwrap();
    let spans = trace["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    let failed: Vec<_> = spans.iter().filter(|span| span["status"]["code"] == 2).collect();
    assert!(failed.iter().any(|span| span["name"] == "invoke_agent silcrow"), "{failed:?}");
    assert!(trace.to_string().contains("script_exhausted"), "{trace}");
}
