//! Runs that wait for answers.

use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;
use silcrow_tool::{ParkAll, Permission, PermissionRequest, Permissions, WithPermissions};

use crate::save::Save;
use crate::support::{TestServer, block_on};

const SCRIPT: &str = r#"§think: hm
§call: {"name":"save","args":{"n":1}}
§call: {"name":"save","args":{"n":2}}
§execute
%%
§respond: It is saved.
§end"#;

pub(crate) async fn waiting() -> TestServer {
    let model = ScriptedModel::parse(SCRIPT, 1);
    let server = TestServer::with(model, Options::default(), |agent| {
        agent.with_tool(Save::default()).unwrap().with_approver(ParkAll)
    });
    let server = server.await;
    server.start("c1", "Save both.").await;
    let mut reader = server.events("/conversations/c1/events", None).await;
    let read = reader.until("idle").await;
    assert_eq!(read.last().unwrap().data["outcome"], "waiting", "{read:?}");
    server
}

#[test]
fn run_continues_once_all_answers_arrive() {
    block_on(async {
        let server = waiting().await;
        let mut all = server.events("/events", None).await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        let before = reader.until("idle").await;
        let asked = server.send("GET", "/conversations/c1/questions", "").await.json();
        let ids: Vec<_> = asked["questions"].as_array().unwrap().iter().collect();
        assert_eq!(ids.len(), 2, "{asked}");
        assert_eq!(ids[0]["call"]["tool"], "save");
        // Waiting calls are kept as the model wrote them, so even this source can show them.
        let wire = server.send("GET", "/conversations/c1/wire?turn=1", "").await.json();
        assert!(wire["wire"].as_str().unwrap().starts_with("§think: hm\n§call: "), "{wire}");

        let answer = |question: &serde_json::Value, decision: &str| {
            let body = serde_json::json!({
                "answers": [{ "question": question["id"], "decision": decision }],
            });
            let (server, body) = (&server, body.to_string());
            async move { server.send("POST", "/conversations/c1/answers", &body).await }
        };
        let first = answer(ids[0], "allow").await;
        assert_eq!(first.body, r#"{"open":1,"run":null}"#);
        let twice = answer(ids[0], "allow").await;
        assert_eq!((twice.status, &*twice.code()), (409, "stale"));
        let second = answer(ids[1], "deny").await;
        assert_eq!(second.json()["open"], 0, "{second:?}");
        assert!(second.json()["run"].is_string());

        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "answered");
        // No part of the continued turn arrives twice.
        let stored = |message: &&crate::support::ServerEvent| message.id.ends_with(".0");
        let seqs = before
            .iter()
            .chain(&read)
            .filter(stored)
            .map(|message| message.data["seq"].as_u64().unwrap());
        let seqs: Vec<_> = seqs.collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
        assert!(read.iter().all(|message| message.data["type"] != "think"), "{read:?}");
        while all.next().await.unwrap().data["event"]["outcome"] != "answered" {}
        let gone = answer(ids[0], "allow").await;
        assert_eq!(gone.status, 409);
    });
}

#[test]
fn loop_items_are_asked_about_together() {
    const LOOP: &str = r#"<foreach id="each" in="[1,2,3]" as="x" max_parallel="1" on_error="skip">
<action id="s">{"name":"save","parameters":{"n":"$x"}}</action></foreach>
%%
<response>It is saved.</response>"#;
    block_on(async {
        let server = TestServer::with(ScriptedModel::parse(LOOP, 1), Options::default(), |agent| {
            agent
                .with_tool(Save::default())
                .unwrap()
                .with_approver(ParkAll)
                .with_dialect(Dialect::Action)
        });
        let server = server.await;
        server.start("c1", "Save them.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "waiting", "{read:?}");
        let asked = server.send("GET", "/conversations/c1/questions", "").await.json();
        let asked = asked["questions"].as_array().unwrap().clone();
        let items: Vec<_> = asked.iter().map(|one| one["call"]["item_of"].as_str()).collect();
        assert_eq!(items, [Some("each[].s"); 3], "{asked:?}");
        let answers: Vec<_> = asked
            .iter()
            .zip(["allow", "deny", "allow"])
            .map(|(one, decision)| serde_json::json!({"question": one["id"], "decision": decision}))
            .collect();
        let body = serde_json::json!({ "answers": answers }).to_string();
        let taken = server.send("POST", "/conversations/c1/answers", &body).await.json();
        assert_eq!(taken["open"], 0, "{taken}");
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "answered", "{read:?}");
        let results = read.iter().filter(|message| message.data["type"] == "result");
        let results: Vec<_> = results
            .filter_map(|message| {
                let payload = &message.data["payload"];
                let id = message.data["id"].as_str()?.to_owned();
                id.contains('.').then(|| (id, payload["status"] == "success"))
            })
            .collect();
        let expected = [("each[0].s", true), ("each[1].s", false), ("each[2].s", true)];
        assert_eq!(results, expected.map(|(id, is_ok)| (id.to_owned(), is_ok)));
    });
}

#[test]
fn unknown_questions_and_answers_are_refused() {
    block_on(async {
        let server = waiting().await;
        let path = "/conversations/c1/answers";
        let body = r#"{"answers":[{"question":"9/x","decision":"allow"}]}"#;
        assert_eq!(server.send("POST", path, body).await.code(), "stale");
        let body = r#"{"answers":[{"question":"1/a1","decision":"perhaps"}]}"#;
        assert_eq!(server.send("POST", path, body).await.code(), "malformed");
        // Neither has left anything behind, so another answer is accepted.
        let body = r#"{"answers":[{"question":"1/a1","decision":"deny","reason":"not now"}]}"#;
        assert_eq!(server.send("POST", path, body).await.status, 200);
    });
}

/// Permissions that offer another width, and a door.
struct Widening;

impl Permissions for Widening {
    fn decide(&self, _: &PermissionRequest<'_>) -> Permission {
        Permission::Ask("each is asked about".to_owned())
    }

    fn grants(&self, _: &PermissionRequest<'_>) -> silcrow_event::Grants {
        ["git".parse().unwrap()].into_iter().collect()
    }

    fn wider_scopes(&self, _: &PermissionRequest<'_>) -> Vec<String> {
        vec!["any save".to_owned()]
    }
}

#[test]
fn answer_may_cover_a_wider_scope() {
    block_on(async {
        let save = Save::default();
        let tool = save.clone();
        let model = ScriptedModel::parse(SCRIPT, 1);
        let server = TestServer::with(model, Options::default(), move |agent| {
            let approver = WithPermissions::new(Widening, ParkAll);
            agent.with_tool(tool.clone()).unwrap().with_approver(approver)
        });
        let server = server.await;
        server.start("c1", "Save both.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("idle").await;
        let asked = server.send("GET", "/conversations/c1/questions", "").await.json();
        let call = &asked["questions"][0]["call"];
        assert_eq!(call["wider_scopes"], serde_json::json!(["any save\nwith git"]), "{asked}");
        assert_eq!(call["grants"], serde_json::json!(["git"]));
        let answer = |id: &str, scope: serde_json::Value| {
            let mut given = serde_json::json!({"question": id, "decision": "allow"});
            given.as_object_mut().unwrap().extend(scope.as_object().unwrap().clone());
            let body = serde_json::json!({ "answers": [given] }).to_string();
            let server = &server;
            async move { server.send("POST", "/conversations/c1/answers", &body).await }
        };
        let beyond = answer("1/a1", serde_json::json!({"scope": "wider", "index": 1})).await;
        assert_eq!((beyond.status, &*beyond.code()), (409, "stale"), "{beyond:?}");
        let wider = answer("1/a1", serde_json::json!({"scope": "wider"})).await;
        assert_eq!(wider.json()["open"], 1, "{wider:?}");
        let second = answer("1/a2", serde_json::json!({"scope": "once"})).await;
        assert_eq!(second.json()["open"], 0, "{second:?}");
        let read = reader.until("idle").await;
        let stored = read.iter().find(|event| event.data["state"] == "allowed").unwrap();
        assert_eq!(stored.data["scope"], "any save\nwith git");
        assert_eq!(stored.data["grants"], serde_json::json!(["git"]));
        assert_eq!(save.count(), 2);
    });
}
