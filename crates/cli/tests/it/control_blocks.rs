//! Control blocks in the dialect `action`: one turn of the model reads many files, chooses and answers.

use serde_json::Value;

use crate::support::{CommandOutput, Sandbox, command_output};

/// The forms of the protocol, as a model writes them: a loop, a value, a choice with another branch, and a
/// parallel block, and an answer with their outputs.
const TURN: &str = r#"<thought>I read them all, and look which are long.</thought>
<foreach id="texts" in="['a.txt', 'b.txt', 'c.txt']" as="path" max_parallel="5" limit="100" on_error="skip">
<action id="read">{"name": "file_read", "parameters": {"file": "$path"}}</action>
</foreach>
<value name="long" expr="texts.filter(t, t != null && string(t).contains('long')).size()"/>
<if test="long > 1">
<parallel join="all">
<action id="list">{"name": "file_list", "parameters": {}}</action>
<action id="find">{"name": "file_search", "parameters": {"query": "long"}}</action>
</parallel>
<else>
<action id="note">{"name": "file_write", "parameters": {"file": "few.txt", "content": "$long"}}</action>
</if>
<response>$long are long.</response>
"#;

fn run(turns: &[&str], more: &[&str]) -> (Sandbox, CommandOutput) {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "a long text\n");
    sandbox.write("root/b.txt", "brief\n");
    sandbox.write("root/c.txt", "another long text\n");
    let model = format!("script:{}", sandbox.write("script", &turns.join("\n%%\n")));
    let args = ["run", "go", "--model", &model, "--dialect", "action", "--new", "c"];
    let ran = sandbox.silcrow(&[&args, more].concat());
    (sandbox, ran)
}

#[test]
fn one_turn_loops_branches_and_answers() {
    let (sandbox, ran) = run(&[TURN], &["--json"]);
    let events = ran.ends(0).events();
    let of_type = |wanted: &str| {
        let ids = events.iter().filter(|event| event["type"] == wanted);
        let mut ids: Vec<_> = ids.map(|event| event["id"].as_str().unwrap_or_default()).collect();
        ids.sort_unstable();
        ids
    };
    let reads = ["texts[0].read", "texts[1].read", "texts[2].read"];
    assert_eq!(of_type("call"), [&["find", "list", "note"], &reads[..]].concat());
    assert_eq!(of_type("result"), [&["find", "list", "note", "texts"], &reads[..]].concat());
    let blocks = events.iter().filter(|event| event["type"] == "block");
    let parts: Vec<&Value> = blocks.map(|event| &event["part"]).collect();
    assert_eq!(parts, ["begin", "call", "end", "begin", "begin", "begin", "end", "else", "end"]);
    let said = events.iter().find(|event| event["type"] == "respond").unwrap();
    assert_eq!(said["content"], "2 are long.");
    assert!(!sandbox.root().join("few.txt").exists());
    // The log keeps the turn, and can be exported and read again.
    let exported = sandbox.silcrow(&["log", "export", "c"]);
    assert_eq!(exported.ends(0).out.matches(r#""type":"block""#).count(), 9);
    let shown = sandbox.silcrow(&["log", "show", "c"]);
    assert!(shown.ends(0).out.contains("2 are long."), "{}", shown.out);
}

#[test]
fn person_sees_the_item_of_a_call() {
    let (_, ran) = run(&[TURN], &[]);
    let shown = format!("{}{}", ran.ends(0).out, ran.err);
    assert!(shown.contains("2 are long."), "{shown}");
    assert!(shown.contains("texts[1].read ✓ file_read 1 line"), "{shown}");
}

#[test]
fn unreadable_control_block_is_reported() {
    let wrong = r#"<foreach in="['a.txt']"><action>{"name": "file_read", "parameters": {"file": "a.txt"}}</action></foreach>"#;
    let (_, ran) = run(&[wrong, "<response>I wrote it wrong.</response>"], &[]);
    assert_eq!(ran.ends(0).out, "I wrote it wrong.\n", "{}", ran.err);
    assert!(ran.err.contains("its attribute `as` is missing"), "{}", ran.err);
}

/// Section 9: outputs that are only passed on are in the log, but not in the next request.
#[test]
fn model_reads_the_requested_results() {
    let sandbox = Sandbox::new();
    sandbox.write("root/a.txt", "alpha alpha\n");
    sandbox.write("root/b.txt", "beta beta\n");
    let turn = r#"<action id="list">{"name": "file_list", "parameters": {}}</action>
<foreach id="texts" in="list.lines().map(line, line.split(' ')[0])" as="path">
<action id="read">{"name": "file_read", "parameters": {"file": "$path"}}</action>
</foreach>
<action id="copy">{"name": "file_write", "parameters": {"file": "all.txt", "content": "all: $texts"}}</action>
<action id="look" show="true">{"name": "file_read", "parameters": {"file": "b.txt"}}</action>
<action id="again">{"name": "file_write", "parameters": {"file": "b2.txt", "content": "$look"}}</action>
"#;
    let script = sandbox.write("script", &format!("{turn}%%\n<response>Done.</response>\n"));
    let (model, recorded) = (format!("script:{script}"), sandbox.path("recorded"));
    let mut args = vec!["run", "go", "--model", &model, "--dialect", "action", "--new", "c"];
    args.extend(["--guide", "off", "--allow", "file_write"]);
    let output = sandbox.command(&args).env("SILCROW_RECORD", &recorded).output().unwrap();
    command_output(output).ends(0);
    let recorded = std::fs::read_to_string(&recorded).unwrap();
    assert!(!recorded.contains("alpha alpha"), "{recorded}");
    assert!(recorded.contains("beta beta"), "{recorded}");
    assert!(recorded.contains(r#"\"kept\":true"#), "{recorded}");
    let log = sandbox.silcrow(&["log", "export", "c"]);
    assert!(log.ends(0).out.contains("alpha alpha"), "{}", log.out);
    assert!(std::fs::read_to_string(sandbox.root().join("all.txt")).unwrap().contains("alpha"));
}
