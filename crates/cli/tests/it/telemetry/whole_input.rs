//! The whole input of each request, from the setting to a collector.

use std::process::Stdio;

use serde_json::Value;

use super::receiver::{Receiver, ReceiverReply};
use super::{output, run, spans};
use crate::support::Sandbox;

/// Returns an attribute of each request that was sent, in the order of their ends, as JSON.
fn requests(receiver: &Receiver, name: &str) -> Vec<Value> {
    let sent = receiver.requests();
    let sent = sent.iter().filter(|one| one.head.contains("/v1/traces"));
    let mut chats: Vec<_> = sent
        .flat_map(|one| spans(&one.body))
        .filter(|span| span["name"].as_str().unwrap().starts_with("chat"))
        .collect();
    chats.sort_by_key(|span| span["endTimeUnixNano"].as_str().unwrap().parse::<u64>().unwrap());
    let values = chats.iter().filter_map(|span| {
        let attributes = span["attributes"].as_array().unwrap();
        let found = attributes.iter().find(|one| one["key"] == name)?;
        serde_json::from_str(found["value"]["stringValue"].as_str().unwrap()).unwrap()
    });
    values.collect()
}

/// Returns the roles of messages, and the text of those that have one.
fn said(messages: &Value) -> Vec<String> {
    let messages = messages.as_array().unwrap().iter().map(|message| {
        let (role, part) = (message["role"].as_str().unwrap(), &message["parts"][0]);
        let text = ["content", "name"].iter().find_map(|name| part[name].as_str());
        format!("{role}: {}", text.unwrap_or("-"))
    });
    messages.collect()
}

/// Runs twice in one conversation, and returns the collector's requests of both.
fn twice(setting: &str) -> Receiver {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::start(ReceiverReply::Status(200)));
    sandbox.silcrow(&["config", "set", "otlp_endpoint", &receiver.address]).ends(0);
    sandbox.silcrow(&["config", "set", setting, "true"]).ends(0);
    output(run(&sandbox, "").env_remove("OTEL_EXPORTER_OTLP_ENDPOINT")).ends(0);
    let model = format!("script:{}", sandbox.write("thanks", "§respond: You are welcome.\n§end"));
    let args = ["run", "Thanks.", "--model", &model, "--conversation", "c1"];
    let mut second = sandbox.command(&args);
    second.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json").stdin(Stdio::null());
    assert_eq!(output(&mut second).ends(0).out, "You are welcome.\n");
    receiver
}

#[test]
fn spans_have_system_prompt_and_whole_input() {
    let receiver = twice("otlp_whole_input");
    let inputs: Vec<_> = requests(&receiver, "gen_ai.input.messages").iter().map(said).collect();
    let first = ["user: What is here?", "assistant: file_list", "tool: -"];
    let later = ["assistant: Nothing here.", "user: Thanks."];
    assert_eq!(inputs, [&first[..1], &first[..], &[&first[..], &later[..]].concat()[..]]);
    let systems = requests(&receiver, "gen_ai.system_instructions");
    assert_eq!(systems.len(), 3);
    for system in systems {
        let text = system[0]["content"].as_str().unwrap();
        assert!(text.contains("file_list"), "the description of the tools: {text}");
    }
}

#[test]
fn spans_with_contents_have_only_new_messages() {
    let receiver = twice("otlp_contents");
    let inputs: Vec<_> = requests(&receiver, "gen_ai.input.messages").iter().map(said).collect();
    assert_eq!(inputs, [vec!["user: What is here?"], vec!["tool: -"], vec!["user: Thanks."]]);
    assert_eq!(requests(&receiver, "gen_ai.system_instructions"), Vec::<Value>::new());
}
