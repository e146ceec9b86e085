//! Calls while they are written.

use serde_json::Value;

use crate::support::Sandbox;

const CALL: &str = r#"{"name":"file_write","args":{"file":"b.txt","content":"§end"}}"#;

#[test]
fn parse_streams_the_text_of_a_call() {
    let sandbox = Sandbox::new();
    let wire = format!("§think: hm\n§call: {CALL}\n§execute");
    let said = sandbox.silcrow_with(
        &["parse", "--stream", "token", "--call-text", "--chunks", "24"],
        wire.as_bytes(),
    );
    let expected = r#"
{"type":"think","content":"hm","part":1}
{"type":"call_text","call":1,"content":"{\"na"}
{"type":"call_text","call":1,"content":"me\":\"file_write"}
{"type":"call_text","call":1,"name":"file_write","content":"\",\"args\":"}
{"type":"call_text","call":1,"name":"file_write","content":"{\"file\":\"b.txt\",\"content"}
{"type":"call_text","call":1,"name":"file_write","content":"\":\"§end\"}}"}
{"type":"call_text","call":1,"id":"a1","name":"file_write","content":""}
{"type":"call","id":"a1","content":"{\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"§end\"}}"}
{"type":"execute"}
"#;
    assert_eq!(said.ends(0).out.trim(), expected.trim());

    let plain = sandbox.silcrow_with(&["parse", "--stream", "token"], wire.as_bytes());
    assert_eq!(plain.ends(0).types(), ["think", "call", "execute"]);
}

#[test]
fn call_text_requires_token_streaming() {
    let sandbox = Sandbox::new();
    let refused: [&[&str]; 4] = [
        &["parse", "--call-text"],
        &["run", "go", "--call-text"],
        &["run", "go", "--call-text", "--json"],
        &["run", "go", "--call-text", "--json", "--stream", "none"],
    ];
    for args in refused {
        let said = sandbox.silcrow(args);
        assert!(said.ends(2).err.contains("--stream token"), "{args:?}: {}", said.err);
    }
}

/// In every dialect the pieces of a call that cannot run, its text and its result have one id.
#[test]
fn malformed_call_events_share_one_id() {
    let half = r#"{"name":"file_wri"#;
    let cases = [
        ("sigil", format!("§call: no\n§call: {CALL}\n§call:\n§call: {half}"), "§respond: so\n§end"),
        (
            "phase",
            format!("<execute>[\"no\", {CALL}, {{\"name\":\"\"}}, {half}"),
            "<respond>so</respond><end>",
        ),
        (
            "action",
            format!(
                "<action>no</action><action id=\"x\">{{\"id\":\"y\"}}</action>\
                 <action id=\"x\">[]</action><action id=\"z\">{half}",
            ),
            "<response>so</response>",
        ),
    ];
    for (dialect, answer, last) in cases {
        let sandbox = Sandbox::new();
        let script = sandbox.write("script", &format!("{answer}\n%%\n{last}"));
        let model = format!("script:{script}");
        let run = |args: &[&str]| {
            let given = ["run", "go", "--model", &model, "--json", "--dialect", dialect];
            let given = [&given, &["--store", "memory", "--allow", "file_write"][..], args];
            sandbox.silcrow(&given.concat()).events()
        };
        let tokens = run(&["--stream", "token", "--call-text"]);
        let last =
            of_kind(&tokens, "call_text").into_iter().filter(|piece| piece["id"].is_string());
        let ids: Vec<_> = last.map(|piece| (&piece["call"], &piece["id"])).collect();
        let numbers: Vec<_> = ids.iter().map(|(call, _)| call.as_u64().unwrap()).collect();
        assert_eq!(numbers, [1, 2, 3, 4], "{dialect}: {tokens:?}");
        for (number, id) in ids {
            let is_call = of_kind(&tokens, "call").iter().any(|call| call["id"] == *id);
            let pieces = of_kind(&tokens, "call_text").into_iter();
            let pieces = pieces.filter(|piece| piece["call"] == *number);
            let text: String = pieces.map(|piece| piece["content"].as_str().unwrap()).collect();
            let malformed = |events: &[Value]| -> Vec<String> {
                let texts = of_kind(events, "respond").into_iter().filter(|text| text["id"] == *id);
                texts.map(|text| text["content"].as_str().unwrap().to_owned()).collect()
            };
            // A body without text has a result only.
            let expected =
                if is_call || text.is_empty() { vec![] } else { vec![text.trim().to_owned()] };
            assert_eq!(malformed(&tokens), expected, "{dialect} {number}: {tokens:?}");
            assert_eq!(malformed(&run(&["--stream", "token"])), expected);
            assert_eq!(malformed(&run(&["--stream", "event"])), expected);
            let results = of_kind(&tokens, "result").into_iter();
            let results = results.filter(|result| result["id"] == *id && result["turn"] == 1);
            assert_eq!(results.count(), 1, "{dialect} {number}: {tokens:?}");
        }
    }
}

/// A run of one answer, in pieces.
fn run(sandbox: &Sandbox, answer: &str, args: &[&str]) -> Vec<Value> {
    let script = sandbox.write("script", &format!("{answer}\n%%\n§respond: so\n§end"));
    let model = format!("script:{script}");
    let args = [
        &["run", "go", "--model", &model, "--json", "--store", "memory", "--allow", "file_write"],
        args,
    ];
    sandbox.silcrow(&args.concat()).ends(0).events()
}

fn of_kind<'e>(events: &'e [Value], kind: &str) -> Vec<&'e Value> {
    events.iter().filter(|event| event["type"] == kind).collect()
}

#[test]
fn call_text_precedes_the_otherwise_unchanged_call() {
    let sandbox = Sandbox::new();
    let answer = format!("§call: {CALL}\n§call: {CALL}\n§execute");
    let tokens = run(&sandbox, &answer, &["--stream", "token", "--call-text"]);
    for (number, call) in (1..).zip(of_kind(&tokens, "call")) {
        let pieces =
            of_kind(&tokens, "call_text").into_iter().filter(|piece| piece["call"] == number);
        let text: String = pieces.map(|piece| piece["content"].as_str().unwrap()).collect();
        assert_eq!(call["content"], text);
    }
    assert!(of_kind(&tokens, "call_text").iter().all(|piece| piece["turn"] == 1));
    let order: Vec<_> = tokens.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let place = |kind| order.iter().position(|one| *one == kind);
    assert!(place("call_text") < place("call"), "{order:?}");

    let plain = run(&sandbox, &answer, &["--stream", "token"]);
    assert!(of_kind(&plain, "call_text").is_empty());
    for kind in ["call", "execute", "result", "metric", "end"] {
        assert_eq!(of_kind(&tokens, kind).len(), of_kind(&plain, kind).len(), "{kind}");
    }
}

/// Nothing runs on a part of a call.
#[test]
fn unfinished_call_is_shown_but_never_runs() {
    let sandbox = Sandbox::new();
    let half = &CALL[..CALL.len() - 4];
    let events = run(&sandbox, &format!("§call: {half}"), &["--stream", "token", "--call-text"]);
    let text: String = of_kind(&events, "call_text")
        .iter()
        .map(|piece| piece["content"].as_str().unwrap())
        .collect();
    assert_eq!(text, half);
    assert!(of_kind(&events, "call").is_empty());
    assert!(!sandbox.root().join("b.txt").exists());
    assert_eq!(of_kind(&events, "result")[0]["payload"]["status"], "failure");
}

#[test]
fn piped_output_shows_no_call_progress() {
    let sandbox = Sandbox::new();
    let write = format!("§call: {}", CALL.replace("§end", &"x".repeat(5000)));
    let script = sandbox.write("script", &format!("{write}\n§execute\n%%\n§respond: so\n§end"));
    let model = format!("script:{script}");
    let args = ["run", "go", "--model", &model, "--store", "memory", "--allow", "file_write"];
    let said = sandbox.silcrow(&args);
    assert!(said.ends(0).err.contains("→ file_write {"), "{}", said.err);
    assert!(!said.err.contains("KB") && !said.err.contains('\r'), "{}", said.err);
}
