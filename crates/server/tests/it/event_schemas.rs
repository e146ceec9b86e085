//! The schemas of events are the same as the protocol's.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use silcrow_event::{LogPosition, RunEventRef, TextFragment, TextKind, read_run_event};

use crate::described::Described;
use crate::support::block_on;

/// An event of each kind with every field that it may have, as the protocol names them.
const LINES: &str = r#"
{"type":"user","content":"a\n{\"b\":1}","parts":[{"type":"text","text":"a"},{"type":"json","json":{"b":1}}],"steer":true,"timestamp":1.5,"turn":1,"seq":3,"conversation":"c","run":"r","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","forked_from":{"conversation":"d","seq":2},"user":"ann","folder":"/a"}
{"type":"user","content":"a\n[image 1: b.png, PNG, 8 × 8, 2.00 times smaller than the original of 16 × 16: blue]","parts":[{"type":"text","text":"a"},{"type":"media","media":{"hash":"sha256:0000000000000000000000000000000000000000000000000000000000000000","number":1,"type":"image/png","bytes":74,"width":8,"height":8,"name":"b.png","alt":"blue","original":{"width":16,"height":16}}}],"seq":1}
{"type":"user","content":"a","seq":1,"replay_of":{"conversation":"d","seq":0},"agent_path":"a/b"}
{"type":"think","content":"a","origin":"provider","seq":1}
{"type":"call","id":"a1","content":"{\"name\":\"t\"}","action":{"type":"tool","mode":"fire_and_forget","depends_on":["x"],"output_key":"k","timeout":1.5,"retry":2,"on_error":"skip"},"seq":1}
{"type":"call","id":"a1","content":"{\"name\":\"t\"}"}
{"type":"call","id":"a1~undo","content":"{\"name\":\"t\"}","action":{"type":"tool","mode":"sync","compensate":{"type":"agent","name":"u","parameters":{"a":1}},"show":true,"transactions":["all"],"undoes":"a1"},"instance":true}
{"type":"block","part":"begin","id":"b1","block":"foreach","in":"files","as":"f","index":"i","max_parallel":2,"limit":9,"on_error":"skip","output_key":"k"}
{"type":"block","part":"begin","id":"b2","block":"if","test":"true"}
{"type":"block","part":"begin","id":"b3","block":"parallel","join":"any","max":2,"timeout":1.5}
{"type":"block","part":"begin","id":"b4","block":"transaction","timeout":1.5}
{"type":"block","part":"begin","id":"b5","block":"value","expr":"1"}
{"type":"block","part":"else","id":"b2"}
{"type":"block","part":"call","id":"a2","content":"{\"name\":\"t\"}","action":{"type":"tool","mode":"async"}}
{"type":"block","part":"end","id":"b1"}
{"type":"execute"}
{"type":"result","id":"a1","content":"x","payload":{"tool":"t","status":"success","outcome":"o","content":"x","error":false,"notices":["n"],"truncated":{"omitted_bytes":1,"omitted_lines":2,"next_offset":3,"full_output":"f","tail":"t"}}}
{"type":"result","id":"a1","content":"x","payload":{"tool":null,"status":"failure","outcome":"o","content":{"a":1},"error":true,"origin":"framework"}}
{"type":"result","content":"[]","payload":{"tools_executed":0,"success_count":0,"failure_count":0}}
{"type":"respond","content":"a","wire":"b","final":false,"malformed":true,"id":"a1"}
{"type":"respond","content":"a"}
{"type":"end"}
{"type":"metric","step":{"input":1,"output":2,"cached":0,"duration":0.5,"reasoning":1,"sent":2,"first":0.1,"estimated":true},"total":{"input":1,"output":2,"cached":0,"duration":0.5},"all":{"input":1,"output":2,"cached":0,"duration":0.5},"budget":{"run":{"tokens":1,"cost":0.5,"max_tokens":2,"max_cost":1.5},"user":{"tokens":1,"cost":0}},"window":1000}
{"type":"error","code":"c","content":"a","scope":"provider","retry":true,"at":0}
{"type":"interrupt","reason":"r"}
{"type":"failed","code":"auth","content":"the key is wrong","scope":"caller","retry":false,"timestamp":1.5,"turn":1,"seq":4}
{"type":"cancelled","content":"a"}
{"type":"notice","content":"a"}
{"type":"mode","mode":"plan"}
{"type":"person_command","command":"git status","content":"clean\n","status":0}
{"type":"hook","event":"PreToolUse","command":"check.sh","id":"a1","tool":"shell","effect":"blocked","content":"no","duration":0.5,"project":true}
{"type":"title","content":"a"}
{"type":"summary","content":"a","until":2,"shortened":0,"author":"person","outputs":[{"turn":1,"id":"a1","name":"n"}]}
{"type":"started","id":"a1","attempt":1,"args":"{}","seq":0}
{"type":"recorded","id":"a1"}
{"type":"progress","id":"a1","channel":"stdout","n":0,"content":"x"}
{"type":"changes","id":"a1","files":[{"path":"a","kind":"created","added":1,"removed":0,"hunks":"@@ -0,0 +1 @@\n+a\n"},{"path":"b","kind":"removed","added":0,"removed":0}]}
{"type":"parked","wire":"w","dialect":"sigil","inline":true,"families":["hermes"],"root":"r","questions":[{"id":"a1","kind":"tool","tool":"t","args":"{}","args_sha256":"00","target":"t","effect":"e","diff":{"files":[{"path":"p","hunks":"@@"}],"args":["a"]},"scope":"s","risk":"r","why":"w"}],"inside":["a2"]}
{"type":"approval","id":"a1","state":"asked","args_sha256":"00","target":"t","risk":"r","scope":"s","grants":["git","network:docs.rs"],"reason":"r"}
{"type":"call_text","call":1,"id":"a1","name":"n","content":"x"}
"#;

#[test]
fn every_event_of_the_protocol_is_described() {
    block_on(async {
        let described = Described::get().await;
        let mut wrong = Vec::new();
        for line in LINES.trim().lines() {
            let event = read_run_event(line).unwrap_or_else(|why| panic!("{line}: {why}"));
            // Written events have the same fields, so each of them is in the protocol.
            let written = event.as_ref().to_line().unwrap();
            let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            if json(line) != json(&written) || !described.is_as("Event", &json(&written)) {
                wrong.push(format!("{line} is written {written}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for kind in [TextKind::Think, TextKind::Respond { last: false }, TextKind::Malformed] {
            let text = TextFragment {
                kind,
                part: 2,
                id: Some("a1").filter(|_| kind == TextKind::Malformed),
                text: "x",
            };
            let line = RunEventRef::Text(text, LogPosition::default()).to_line().unwrap();
            assert!(described.is_as("Event", &serde_json::from_str(&line).unwrap()), "{line}");
        }
    });
}

#[test]
fn every_kind_of_the_protocol_is_described() {
    block_on(async {
        let page = include_str!("../../../../docs/protocol.md");
        let (_, events) = page.split_once("\n## 8. Events\n").unwrap();
        let rows = events.lines().filter_map(|line| line.strip_prefix("| `"));
        let rows = rows.map(|row| row.split('`').next().unwrap().to_owned());
        // The tables that follow are about the modes and about fields.
        let kinds = rows.take_while(|kind| kind != "origin").collect::<BTreeSet<_>>();
        assert!(kinds.len() > 15, "{kinds:?}");
        let described: BTreeSet<_> = Described::get().await.kinds().into_iter().collect();
        let beside = ["call_text", "deleted", "forms", "idle", "reset"].map(str::to_owned);
        assert_eq!(described, kinds.into_iter().chain(beside).collect());
        let lines: BTreeSet<_> =
            LINES.split("{\"type\":\"").skip(1).filter_map(|line| line.split('"').next()).collect();
        let missing: Vec<_> =
            described.iter().filter(|kind| !lines.contains(kind.as_str())).collect();
        assert_eq!(missing, ["deleted", "forms", "idle", "reset"]);
    });
}

#[test]
fn non_events_are_rejected() {
    block_on(async {
        let described = Described::get().await;
        for (schema, value) in [
            ("Event", json!({ "type": "other" })),
            ("Event", json!({ "type": "think" })),
            ("Event", json!({ "type": "think", "content": 1 })),
            ("Event", json!({ "type": "think", "content": "a", "more": 1 })),
            ("Event", json!({ "type": "idle", "outcome": "gone" })),
            ("Event", json!({ "type": "title", "content": "a", "id": "a1" })),
            ("StoredEvent", json!({ "type": "title", "content": "a" })),
            ("StoredEvent", json!({ "type": "end", "seq": 1 })),
            ("StartedRun", json!({ "run": "r", "conversation": "c", "after": "1" })),
        ] {
            assert!(!described.is_as(schema, &value), "{value}");
        }
        assert!(
            described.is_as("StoredEvent", &json!({ "type": "title", "content": "a", "seq": 1 }))
        );
    });
}
