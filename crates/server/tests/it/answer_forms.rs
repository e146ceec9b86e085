//! Answers in a form that a client wants.

use serde_json::{Value, json};
use silcrow_provider::ScriptedModel;

use crate::support::{TestServer, block_on};

fn form() -> Value {
    json!({ "type": "object", "properties": { "sum": { "type": "integer" } },
        "required": ["sum"], "additionalProperties": false })
}

fn completion(stream: bool) -> String {
    json!({ "model": "silcrow", "stream": stream,
        "messages": [{ "role": "user", "content": "2 + 2?" }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "sum", "schema": form() } },
    })
    .to_string()
}

#[test]
fn misfitting_answer_is_asked_again() {
    block_on(async {
        for stream in [false, true] {
            let script = r#"§respond: Let me see: 4.
§end
%%
§respond: {"sum":"4"}
§end
%%
§respond: {"sum":4}
§end"#;
            let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
            let reply = server.send("POST", "/v1/chat/completions", &completion(stream)).await;
            assert_eq!(reply.status, 200, "{reply:?}");
            let content = match stream {
                true => {
                    let chunks = reply.data();
                    let pieces =
                        chunks.iter().filter_map(|c| c["choices"][0]["delta"]["content"].as_str());
                    pieces.collect::<String>()
                }
                false => {
                    reply.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
                }
            };
            assert_eq!(content, r#"{"sum":4}"#);
        }
    });
}

#[test]
fn never_fitting_answer_is_an_error() {
    block_on(async {
        let script = ["No.", "Never.", "Not at all."].map(|text| format!("§respond: {text}\n§end"));
        let server = TestServer::new(ScriptedModel::parse(&script.join("\n%%\n"), 1)).await;
        let reply = server.send("POST", "/v1/chat/completions", &completion(false)).await;
        assert_eq!((reply.status, &*reply.code()), (500, "answer_form"));
        for format in [json!({ "type": "xml" }), json!({ "type": "json_schema" })] {
            let body = json!({ "model": "silcrow", "response_format": format,
                "messages": [{ "role": "user", "content": "2 + 2?" }] });
            let reply = server.send("POST", "/v1/chat/completions", &body.to_string()).await;
            assert_eq!(reply.status, 400, "{reply:?}");
        }
    });
}

#[test]
fn response_has_the_requested_form() {
    block_on(async {
        let script = "§respond: four\n§end\n%%\n§respond: {\"sum\":4}\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let body = json!({ "input": "2 + 2?",
            "text": { "format": { "type": "json_schema", "name": "sum", "schema": form() } } });
        let response = server.send("POST", "/v1/responses", &body.to_string()).await.json();
        assert_eq!(response["output"][0]["content"][0]["text"], r#"{"sum":4}"#, "{response}");
        assert!(response["usage"]["output_tokens"].as_u64().unwrap() > 0, "{response}");
    });
}
