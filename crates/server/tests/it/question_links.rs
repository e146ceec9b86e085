//! Links of a chat that open a question once, for a person without a token.

use serde_json::json;
use silcrow_event::Entry;
use silcrow_store::Store as _;

use crate::chat_completions::saving;
use crate::reply::Reply;
use crate::save::Save;
use crate::support::{TestServer, block_on};

const CHAT: &str = "x-openwebui-chat-id: c1\r\nx-openwebui-user-id: 7\r\n";

/// Begins a chat whose run waits, and returns the links to its questions.
async fn asked(server: &TestServer) -> Vec<String> {
    let messages = json!([{"role": "user", "content": "Save both."}]);
    let body = json!({"model": "silcrow", "messages": messages}).to_string();
    let headers = format!("authorization: Bearer {}\r\n{CHAT}", server.token);
    let reply = server.send_raw("POST", "/v1/chat/completions", &headers, &body).await.json();
    let text = reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    let before = format!("](http://{}/#q/", server.address);
    let links = text.split(&before).skip(1).map(|rest| rest.split(')').next().unwrap().to_owned());
    links.collect()
}

async fn open(server: &TestServer, link: &str) -> Reply {
    server.send_raw("POST", "/questions/open", "", &json!({"link": link}).to_string()).await
}

async fn answer(server: &TestServer, key: &str, decision: &str) -> Reply {
    let body = json!({"key": key, "decision": decision}).to_string();
    server.send_raw("POST", "/questions/answer", "", &body).await
}

async fn server() -> (TestServer, Save) {
    let save = Save::default();
    (saving(&save).await, save)
}

#[test]
fn link_opens_its_question_once() {
    block_on(async {
        let (server, save) = server().await;
        let links = asked(&server).await;
        assert_eq!(links.len(), 2);
        let opened = open(&server, &links[0]).await.json();
        assert_eq!(opened["title"], "Save both.");
        assert_eq!(opened["question"]["call"]["tool"], "save");
        assert_eq!(opened["question"]["call"]["args"], r#"{"n":1}"#);
        let again = open(&server, &links[0]).await;
        assert_eq!((again.status, &*again.code()), (409, "stale"));
        assert!(again.body.contains("works once"), "{again:?}");
        let key = opened["key"].as_str().unwrap();
        assert_eq!(answer(&server, key, "allow").await.body, r#"{"open":1,"run":null}"#);
        let twice = answer(&server, key, "deny").await;
        assert_eq!((twice.status, &*twice.code()), (409, "stale"), "{twice:?}");
        let other = open(&server, &links[1]).await.json();
        let taken = answer(&server, other["key"].as_str().unwrap(), "deny").await.json();
        assert!(taken["run"].is_string(), "{taken}");
        server.server.stop().await;
        assert_eq!(save.count(), 1);
    });
}

#[test]
fn a_link_gives_no_other_right() {
    block_on(async {
        let (server, _) = server().await;
        let links = asked(&server).await;
        let opened = open(&server, &links[0]).await.json();
        let key = opened["key"].as_str().unwrap();
        // Neither one is a token, or stands for the other.
        for secret in [&links[0], key, &links[0][links[0].len() - 64..], &key[key.len() - 64..]] {
            let bearer = format!("authorization: Bearer {secret}\r\n");
            let reply = server.send_raw("GET", "/conversations/c1", &bearer, "").await;
            assert_eq!(reply.status, 401, "{reply:?}");
            let login = json!({"token": secret}).to_string();
            assert_eq!(server.send_raw("POST", "/login", "", &login).await.status, 401);
        }
        assert_eq!(open(&server, key).await.status, 404);
        assert_eq!(answer(&server, &links[1], "allow").await.status, 404);
        // Another question under the same signature is not a link.
        let (text, signature) = links[0].split_at(links[0].len() - 64);
        let other = &links[1][..links[1].len() - 64];
        assert_eq!(open(&server, &format!("{other}{signature}")).await.status, 404);
        for wrong in ["", "x", &links[0][1..], &format!("{text}{}", "0".repeat(64)), "ééé"] {
            assert_eq!(open(&server, wrong).await.status, 404, "{wrong}");
        }
        // A wider answer than to this question is not read.
        let body = json!({"key": key, "decision": "allow", "scope": "conversation"}).to_string();
        let taken = server.send_raw("POST", "/questions/answer", "", &body).await;
        assert_eq!(taken.status, 200, "{taken:?}");
        let log = server.store.read("c1", 1..=u64::MAX).await.unwrap();
        let allowed = log.iter().map(Entry::to_json).filter(|json| json.contains("allowed"));
        let allowed: Vec<_> = allowed.collect();
        assert!(allowed.len() == 1 && !allowed[0].contains("conversation\":true"), "{allowed:?}");
    });
}

#[test]
fn link_to_answered_question_says_so() {
    block_on(async {
        let (server, _) = server().await;
        let links = asked(&server).await;
        let yes = json!([
            {"role": "user", "content": "Save both."}, {"role": "assistant", "content": "?"},
            {"role": "user", "content": "yes"},
        ]);
        let body = json!({"model": "silcrow", "messages": yes}).to_string();
        let headers = format!("authorization: Bearer {}\r\n{CHAT}", server.token);
        server.send_raw("POST", "/v1/chat/completions", &headers, &body).await;
        let late = open(&server, &links[0]).await;
        assert_eq!((late.status, &*late.code()), (409, "stale"), "{late:?}");
        assert!(late.body.contains("is answered"), "{late:?}");
    });
}
