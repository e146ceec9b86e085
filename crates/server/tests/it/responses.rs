//! The endpoints for clients of OpenAI's Responses.

use serde_json::json;
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;
use silcrow_tool::ParkAll;

use crate::save::Save;
use crate::support::{SlowModel, TestServer, block_on};

#[test]
fn response_continues_previous_and_is_retrievable() {
    block_on(async {
        let script = "§respond: One.\n§end\n%%\n§respond: Two.\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let body = r#"{"model":"silcrow","input":"1?","stream":true}"#;
        let mut events = server.send("POST", "/v1/responses", body).await.data();
        assert_eq!(events.pop().unwrap(), "[DONE]");
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.completed", "{events:?}");
        let id = last["response"]["id"].as_str().unwrap();
        let more = json!({ "input": "2?", "previous_response_id": id }).to_string();
        let second = server.send("POST", "/v1/responses", &more).await.json();
        assert_eq!(second["status"], "completed");
        assert_eq!(second["output"][0]["content"][0]["text"], "Two.", "{second}");
        let list = server.send("GET", "/conversations?one_off=true", "").await.json();
        assert_eq!(list["conversations"].as_array().unwrap().len(), 1);
        // Another answer to the first response begins a fork.
        server.send("POST", "/v1/responses", &more).await.json();
        let list = server.send("GET", "/conversations?one_off=true", "").await.json();
        assert_eq!(list["conversations"].as_array().unwrap().len(), 2);
        let again = server.send("GET", &format!("/v1/responses/{id}"), "").await.json();
        assert_eq!(again["output"][0]["content"][0]["text"], "One.", "{again}");
        let number = events[events.len() - 2]["sequence_number"].as_u64().unwrap();
        let path = format!("/v1/responses/{id}?stream=true&starting_after={number}");
        let rest = server.send("GET", &path, "").await.data();
        assert_eq!(rest.len(), 2, "{rest:?}");
        assert_eq!(rest[0]["type"], "response.completed");
        let path = format!("/v1/responses/{id}/cancel");
        assert_eq!(server.send("POST", &path, "").await.status, 409);
        assert_eq!(server.send("GET", "/v1/responses/resp_9", "").await.status, 404);
    });
}

#[test]
fn a_background_run_is_followed_and_cancelled() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let body = r#"{"input":"Go.","background":true,"conversation":"c1"}"#;
        let begun = server.send("POST", "/v1/responses", body).await.json();
        assert_eq!(begun["status"], "in_progress", "{begun}");
        let id = begun["id"].as_str().unwrap();
        let mut reader = server.open("GET", &format!("/v1/responses/{id}?stream=true"), "").await;
        release.send("§respond: One".to_owned()).await.unwrap();
        while reader.next_data().await.unwrap()["type"] != "response.output_text.delta" {}
        let cancelled = server.send("POST", &format!("/v1/responses/{id}/cancel"), "").await.json();
        assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
        while reader.next_data().await.unwrap()["type"] != "response.incomplete" {}
        let again = server.send("GET", &format!("/v1/responses/{id}"), "").await.json();
        assert_eq!(again["status"], "cancelled", "{again}");
    });
}

#[test]
fn an_approval_continues_the_run_once() {
    block_on(async {
        let script =
            "§call: {\"name\":\"save\",\"args\":{\"n\":1}}\n§execute\n%%\n§respond: Yes.\n§end";
        let save = Save::default();
        let tool = save.clone();
        let model = ScriptedModel::parse(script, 1);
        let server = TestServer::with(model, Options::default(), move |agent| {
            agent.with_tool(tool.clone()).unwrap().with_approver(ParkAll)
        });
        let server = server.await;
        let asked = server.send("POST", "/v1/responses", r#"{"input":"Save."}"#).await.json();
        let output = asked["output"].as_array().unwrap();
        let is_question = |item: &&serde_json::Value| item["type"] == "mcp_approval_request";
        let question = output.iter().find(is_question).unwrap();
        let answer = json!({
            "previous_response_id": asked["id"],
            "input": [{
                "type": "mcp_approval_response", "approve": true,
                "approval_request_id": question["id"],
            }],
        });
        let answer = answer.to_string();
        let done = server.send("POST", "/v1/responses", &answer).await.json();
        assert_eq!(done["status"], "completed", "{done}");
        assert_eq!(save.count(), 1);
        let again = server.send("POST", "/v1/responses", &answer).await;
        assert_eq!(again.status, 409, "{again:?}");
        assert_eq!(save.count(), 1);
    });
}

#[test]
fn responses_are_described_and_deleted() {
    block_on(async {
        let script = ["One.", "Two.", "Three."].map(|text| format!("§respond: {text}\n§end"));
        let model = ScriptedModel::parse(&script.join("\n%%\n"), 1);
        let server = TestServer::new(model).await;
        let found = server.send("GET", "/v1/models/silcrow", "").await.json();
        assert_eq!(found["id"], "silcrow");
        assert_eq!(server.send("GET", "/v1/models/gpt", "").await.status, 404);
        let created = server.send("POST", "/v1/responses", r#"{"input":"1?"}"#).await.json();
        let path = format!("/v1/responses/{}", created["id"].as_str().unwrap());
        let items = server.send("GET", &format!("{path}/input_items"), "").await.json();
        assert_eq!(items["data"][0]["content"][0]["text"], "1?", "{items}");
        let gone = server.send("DELETE", &path, "").await.json();
        assert_eq!((&gone["id"], &gone["deleted"]), (&created["id"], &true.into()));
        assert_eq!(server.send("GET", &path, "").await.status, 404);
        // A conversation with a name is not deleted with one of its responses.
        let named = r#"{"input":"2?","conversation":"c1"}"#;
        let named = server.send("POST", "/v1/responses", named).await.json();
        let kept = format!("/v1/responses/{}", named["id"].as_str().unwrap());
        assert_eq!(server.send("DELETE", &kept, "").await.status, 409);

        let body = r#"{"input":"3?","store":false,"stream":true}"#;
        let events = server.send("POST", "/v1/responses", body).await.data();
        let last = &events[events.len() - 2]["response"];
        assert_eq!(last["output"][0]["content"][0]["text"], "Three.", "{last}");
        let path = format!("/v1/responses/{}", last["id"].as_str().unwrap());
        // It is deleted right after it was read.
        while server.send("GET", &path, "").await.status != 404 {}
    });
}

/// Waits until a response is gone, which is right after it was read.
async fn gone(server: &TestServer, response: &serde_json::Value) {
    let path = format!("/v1/responses/{}", response["id"].as_str().unwrap());
    while server.send("GET", &path, "").await.status != 404 {}
    let list = server.send("GET", "/conversations?one_off=true", "").await.json();
    assert_eq!(list["conversations"], json!([]));
}

#[test]
fn unstored_form_answer_goes_with_its_attempts() {
    block_on(async {
        let script = "§respond: four\n§end\n%%\n§respond: {\"sum\":4}\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let schema = json!({ "type": "object", "properties": { "sum": { "type": "integer" } } });
        let format = json!({ "type": "json_schema", "name": "sum", "schema": schema });
        let body = json!({ "input": "2 + 2?", "store": false, "text": { "format": format } });
        let answered = server.send("POST", "/v1/responses", &body.to_string()).await.json();
        assert_eq!(answered["output"][0]["content"][0]["text"], r#"{"sum":4}"#, "{answered}");
        gone(&server, &answered).await;
    });
}

#[test]
fn unstored_waiting_response_goes_after_its_answer() {
    block_on(async {
        let save = Save::default();
        let server = crate::chat_completions::saving(&save).await;
        let asked = r#"{"input":"Save both.","store":false}"#;
        let mut last = server.send("POST", "/v1/responses", asked).await.json();
        let is_question = |item: &&serde_json::Value| item["type"] == "mcp_approval_request";
        let output = last["output"].as_array().unwrap().clone();
        let questions: Vec<_> = output.iter().filter(is_question).collect();
        assert_eq!(questions.len(), 2, "{last}");
        let answers: Vec<_> = questions
            .iter()
            .map(|question| {
                json!({
                    "type": "mcp_approval_response", "approve": true,
                    "approval_request_id": question["id"],
                })
            })
            .collect();
        let answer = json!({
            "previous_response_id": last["id"], "store": false, "input": answers,
        });
        last = server.send("POST", "/v1/responses", &answer.to_string()).await.json();
        assert_eq!((&last["status"], save.count()), (&json!("completed"), 2), "{last}");
        gone(&server, &last).await;
    });
}

#[test]
fn stored_responses_outlast_unstored_ones() {
    block_on(async {
        let script = "§respond: One.\n§end\n%%\n§respond: Two.\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let first = server.send("POST", "/v1/responses", r#"{"input":"1?"}"#).await.json();
        let more = json!({ "input": "2?", "store": false, "previous_response_id": first["id"] });
        let second = server.send("POST", "/v1/responses", &more.to_string()).await.json();
        assert_eq!(second["status"], "completed");
        let path = format!("/v1/responses/{}", first["id"].as_str().unwrap());
        assert_eq!(server.send("GET", &path, "").await.status, 200);
    });
}
