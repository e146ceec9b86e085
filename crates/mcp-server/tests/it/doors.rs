//! Questions about doors and wider scopes, which a client shows as a form.

use serde_json::{Value, json};

use crate::support::{Client, Host, structured};

/// Returns a script that opens doors, one call after the other.
fn opening(calls: &[(&str, &str)]) -> String {
    let turn = |(what, needs): &(&str, &str)| {
        let parameters = json!({"what": what, "needs": needs});
        let call = json!({"name": "open", "parameters": parameters});
        format!("<action id=\"o\" mode=\"async\">{call}</action>\n%%\n")
    };
    calls.iter().map(turn).collect::<String>() + "<response>Done.</response>"
}

async fn begin(host: &Host) -> (Client, u64) {
    let mut client = host.connect();
    client.initialize(json!({"elicitation": {}})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "Open."}});
    let id = client.begin("tools/call", params).await;
    (client, id)
}

/// Waits for a question, and returns its text, and the choices as values with their names.
async fn asked(client: &mut Client) -> (Value, String, Vec<(String, String)>) {
    let asked = client.next().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let message = asked["params"]["message"].as_str().unwrap().to_owned();
    let decision = &asked["params"]["requestedSchema"]["properties"]["decision"];
    let texts = |name: &str| -> Vec<String> {
        let all = decision[name].as_array().unwrap_or_else(|| panic!("{decision}"));
        all.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let choices = texts("enum").into_iter().zip(texts("enumNames")).collect();
    (asked["id"].clone(), message, choices)
}

async fn decide(client: &mut Client, question: &Value, decision: &str) {
    let answer = json!({"action": "accept", "content": {"decision": decision}});
    client.send(&json!({"jsonrpc": "2.0", "id": question, "result": answer})).await;
}

fn opened(host: &Host) -> Vec<String> {
    host.acts.opened.lock().unwrap().clone()
}

#[tokio::test]
async fn approval_grants_exactly_the_named_access() {
    let host = Host::new(&opening(&[("push a", "git network:a.example"), ("push a", "git")]));
    let (mut client, id) = begin(&host).await;
    for (doors, expected) in [("git, network:a.example", 1), ("git", 2)] {
        let (question, message, _) = asked(&mut client).await;
        assert!(message.contains(&format!("- a yes opens: {doors}\n")), "{message}");
        assert_eq!(opened(&host).len(), expected - 1, "nothing opens before the answer");
        decide(&mut client, &question, "once").await;
    }
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    // A yes, once, covers no later call, and the doors that the first one opened are closed again.
    assert_eq!(opened(&host), ["git, network:a.example", "git"]);
}

#[tokio::test]
async fn wider_approval_covers_only_its_scope_and_access() {
    let host = Host::new(&opening(&[
        ("push a", "git"),
        ("push b", "git"),
        ("push c", "git network:a.example"),
        ("pull a", "git"),
    ]));
    let (mut client, id) = begin(&host).await;
    let (question, _, choices) = asked(&mut client).await;
    let choices: Vec<_> = choices.iter().map(|(value, name)| format!("{value}: {name}")).collect();
    assert_eq!(
        choices,
        [
            "once: yes, once",
            "conversation: yes, in this conversation",
            "wider-0: yes, in this conversation: push *, with git",
            "wider-1: yes, in this conversation: everything, with git",
            "deny: no",
        ]
    );
    decide(&mut client, &question, "wider-0").await;
    // The second call has the same scope and the same door. The third one wants another door.
    let (question, message, _) = asked(&mut client).await;
    assert!(message.contains("push c") && message.contains("network:a.example"), "{message}");
    assert_eq!(opened(&host), ["git", "git"]);
    decide(&mut client, &question, "deny").await;
    let (question, message, _) = asked(&mut client).await;
    assert!(message.contains("pull a"), "{message}");
    decide(&mut client, &question, "once").await;
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    assert_eq!(opened(&host), ["git", "git", "git"]);
}

#[tokio::test]
async fn unoffered_scope_opens_nothing_and_is_asked_again() {
    let host = Host::new(&opening(&[("push a", "git")]));
    let (mut client, id) = begin(&host).await;
    let (question, first, _) = asked(&mut client).await;
    decide(&mut client, &question, "wider-7").await;
    let (question, second, _) = asked(&mut client).await;
    assert_eq!(first, second);
    assert!(opened(&host).is_empty());
    decide(&mut client, &question, "deny").await;
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    assert!(opened(&host).is_empty());
}
