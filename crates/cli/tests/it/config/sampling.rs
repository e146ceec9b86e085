//! How the model writes: flags and settings, in the requests of the agent and of those it calls.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;

use serde_json::Value;

use super::{config, own};
use crate::support::{CommandOutput, Sandbox, command_output};

/// A server that gives these texts, one for each request, and returns the bodies of the requests.
fn server(texts: &'static [&'static str]) -> (String, thread::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let playing = thread::spawn(move || {
        let answer = |text: &&str| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut seen = Vec::new();
            let body = loop {
                let mut bytes = [0; 4096];
                let count = stream.read(&mut bytes).unwrap();
                seen.extend_from_slice(&bytes[..count]);
                let request = String::from_utf8_lossy(&seen);
                if let Some((_, body)) = request.split_once("\r\n\r\n")
                    && let Ok(body) = serde_json::from_str::<Value>(body)
                {
                    break body;
                }
            };
            let delta = serde_json::json!({
                "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}],
            });
            let events = format!("data: {delta}\n\ndata: [DONE]\n\n");
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
            write!(stream, "{head}\r\n\r\n{events}").unwrap();
            body
        };
        texts.iter().map(answer).collect()
    });
    (url, playing)
}

fn run(sandbox: &Sandbox, args: &[&str]) -> CommandOutput {
    let run = ["run", "go", "--store", "memory"];
    let mut command = sandbox.command(&[&run, args].concat());
    command.env("OPENAI_API_KEY", "sk-canary").stdin(Stdio::null());
    command_output(command.output().unwrap())
}

const SETTINGS: &str = "\
[sampling]
temperature = 0.25
max_tokens = 100
effort = \"high\"
seed = 7
stop = [\"STOP\", \"HALT\"]
";

#[test]
fn typed_sampling_wins_over_settings() {
    let sandbox = Sandbox::new();
    own(&sandbox, SETTINGS);
    let (url, bodies) = server(&["§respond: done\n§end"]);
    let typed = ["--temperature", "0", "--seed", "9", "--stop", "END"];
    run(&sandbox, &[&["--model", &format!("compatible:{url}#m")][..], &typed].concat()).ends(0);
    let body = bodies.join().unwrap().remove(0);
    assert_eq!(body["temperature"], 0.0);
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(body["reasoning_effort"], "high");
    assert_eq!(body["seed"], 9);
    assert_eq!(body["stop"], serde_json::json!(["END"]));
}

#[test]
fn called_agents_and_models_inherit_sampling() {
    let sandbox = Sandbox::new();
    let manifest = sandbox.write(
        "m.toml",
        "[agents.helper]\ndescription = \"Helps.\"\n[llm.oracle]\ndescription = \"Knows.\"\n",
    );
    sandbox.trust(&manifest);
    let (url, bodies) = server(&[
        "<action type=\"agent\" id=\"a\">{\"name\":\"helper\",\"parameters\":{\"task\":\"help\"}}</action>",
        "<response>helped</response>",
        "<action type=\"llm\" id=\"b\">{\"name\":\"oracle\",\"parameters\":{\"prompt\":\"why\"}}</action>",
        "because",
        "<response>done</response>",
    ]);
    let model = format!("compatible:{url}#m");
    let args = ["--dialect", "action", "--manifest", &manifest, "--model", &model, "--seed", "7"];
    let said = run(&sandbox, &args);
    assert_eq!(said.ends(0).out.trim(), "done");
    let bodies = bodies.join().unwrap();
    assert_eq!(bodies.len(), 5);
    assert!(bodies.iter().all(|body| body["seed"] == 7), "{bodies:?}");
}

#[test]
fn unsupported_sampling_fails_if_typed_only() {
    let sandbox = Sandbox::new();
    for (model, typed, field) in [
        ("openai-responses:m", ["--seed", "1"], "seed"),
        ("openai-responses:m", ["--stop", "x"], "stop"),
        ("openai-realtime:m", ["--temperature", "1"], "temperature"),
        ("openai-realtime:m", ["--effort", "low"], "effort"),
        ("openai:m", ["--thinking-budget", "9"], "thinking_budget"),
        ("azure:m", ["--thinking-display", "omitted"], "thinking_display"),
        ("openai-responses:m", ["--thinking-budget", "0"], "thinking_budget"),
        ("anthropic:m", ["--seed", "1"], "seed"),
        ("gemini-live:m", ["--stop", "x"], "stop"),
        ("rehearsal", ["--max-tokens", "9"], "max_tokens"),
    ] {
        let said = run(&sandbox, &[&["--model", model][..], &typed].concat());
        let why = format!("silcrow: {}: `{model}` has no {field}; leave it out", typed[0]);
        assert!(said.ends(2).err.starts_with(&why), "{}", said.err);
    }
    let file = own(&sandbox, "[sampling]\nseed = 7\nmax_tokens = 5\n");
    let mut command = sandbox.command(&["run", "go", "--model", "anthropic:m"]);
    // Nothing is sent, because the key is missing.
    let said = command_output(command.stdin(Stdio::null()).output().unwrap());
    let notice =
        format!("silcrow: `anthropic:m` has no seed, so the value of {file}:2 is ignored\n");
    assert!(said.ends(2).err.starts_with(&notice), "{}", said.err);
    assert!(!said.err.contains("max_tokens"), "{}", said.err);
    run(&sandbox, &["--model", "rehearsal"]).ends(0);
}

#[test]
fn values_are_checked_and_can_be_set() {
    let sandbox = Sandbox::new();
    for (text, why) in [
        ("[sampling]\ntemperature = 3", "write a number from 0 to 2"),
        ("[sampling]\ntemperature = nan", "write a number from 0 to 2"),
        ("[sampling]\nmax_tokens = 0", "write a whole number from 1"),
        ("[sampling]\nseed = -1", "write a whole number from 0"),
        ("[sampling]\neffort = \"huge\"", "write one of \"none\", \"minimal\""),
        ("[sampling]\nthinking_budget = -1", "write a whole number from 0"),
        ("[sampling]\nthinking_display = \"all\"", "write one of \"omitted\", \"summarized\""),
        ("[sampling]\nstop = [1]", "write a text in quotes, or a list of them"),
        ("[sampling]\ntemprature = 1", "did you mean `sampling.temperature`?"),
        ("sampling = 1", "write each value below a line [sampling]"),
    ] {
        own(&sandbox, text);
        let said = config(&sandbox, &[]);
        assert!(said.ends(2).err.contains(why), "{text}: {}", said.err);
    }
    own(&sandbox, "");
    for (key, value, shown) in [
        ("sampling.temperature", "0.5", "0.5"),
        ("sampling.max_tokens", "9", "9"),
        ("sampling.effort", "low", "low"),
        ("sampling.thinking_budget", "0", "0"),
        ("sampling.thinking_display", "detailed", "detailed"),
        ("sampling.stop", "END", "[\"END\"]"),
        ("sampling.stop", "[\"a\", \"b\"]", "[\"a\",\"b\"]"),
    ] {
        config(&sandbox, &["set", key, value]).ends(0);
        assert_eq!(config(&sandbox, &["get", key]).ends(0).out.trim(), shown);
    }
    assert!(config(&sandbox, &["set", "sampling.seed", "x"]).ends(2).err.contains("whole number"));
    assert!(run(&sandbox, &["--temperature", "nan"]).ends(2).err.contains("from 0 to 2"));
}
