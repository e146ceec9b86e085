//! Rate limits, timeouts, and grammars that restrict models to the wire form.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use silcrow_grammar::{GrammarFormat, grammar};
use silcrow_parser::Dialect;

use crate::server::play;
use crate::support::Sandbox;

const ANSWER: &str = r#"HTTP/1.1 200 OK
Content-Type: text/event-stream

data: {"choices":[{"delta":{"content":"§respond: hello\n§end"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}

"#;

fn answer() -> Vec<u8> {
    ANSWER.replace('\n', "\r\n").into_bytes()
}

#[test]
fn limits_of_time_are_the_environments() {
    // Nobody here takes the request that the system holds for it.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let models = [
        "anthropic:m",
        "gemini:m",
        "gemini-interactions:m",
        "openai:m",
        "openai-responses:m",
        &format!("compatible:{url}#m"),
    ];
    for model in models {
        for (stream, variable, limit) in [
            ("token", "SILCROW_TIMEOUT_FIRST", "`first`"),
            ("none", "SILCROW_TIMEOUT_WHOLE", "0.2 s"),
        ] {
            let start = Instant::now();
            let args = ["run", "hi", "--model", model, "--mode", "replay", "--store", "memory"];
            let output = Sandbox::new()
                .command(&[&args[..], &["--stream", stream]].concat())
                .envs(["ANTHROPIC", "GEMINI", "OPENAI"].map(|v| (format!("{v}_API_KEY"), "sk-a")))
                .envs(["ANTHROPIC", "GEMINI", "OPENAI"].map(|v| (format!("{v}_BASE_URL"), &url)))
                .env(variable, " 0.2")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{model}: {stderr}");
            assert!(stderr.contains("0.2 s") && stderr.contains(limit), "{model}: {stderr}");
            assert!(stderr.contains(variable), "{model}: {stderr}");
            assert!(start.elapsed() < Duration::from_secs(20), "{model}");
        }
    }
}

#[test]
fn requests_keep_the_configured_rate() {
    for variable in ["SILCROW_REQUESTS_PER_MINUTE", "SILCROW_TOKENS_PER_MINUTE"] {
        let sandbox = Sandbox::new();
        let call = ANSWER.replace(
            r"§respond: hello\n§end",
            r#"§call: {\"name\": \"file_list\", \"args\": {}}\n§execute"#,
        );
        let model = || {
            let answers = vec![call.replace('\n', "\r\n").into_bytes(), answer()];
            format!("compatible:http://{}#m", play(answers, 64).0)
        };
        let (limited, free) = (model(), model());
        let args = ["run", "hi", "--store", "memory", "--json", "--model"];
        let mut child = sandbox
            .command(&[&args[..], &[&limited]].concat())
            .env(variable, "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines =
            std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        let metric = lines.find(|line| line.as_ref().unwrap().contains(r#""type":"metric""#));
        assert!(metric.is_some(), "{variable}");
        // The second request waits for a minute, while a run without the limit makes both.
        sandbox.silcrow(&[&args[..], &[&free]].concat()).ends(0);
        assert!(child.try_wait().unwrap().is_none(), "{variable}: it did not wait");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn grammar_is_sent_to_a_supporting_server() {
    for (holder, path) in [("llama.cpp", "/grammar"), ("vllm", "/structured_outputs/grammar")] {
        for dialect in Dialect::ALL {
            let sandbox = Sandbox::new();
            let (address, played) = play(vec![answer()], usize::MAX);
            let model = format!("compatible:http://{address}#m");
            let args = ["run", "hi", "--model", &model, "--store", "memory", "--grammar", holder];
            sandbox.silcrow(&[&args[..], &["--dialect", dialect.as_str()]].concat());
            let request = &played.join().unwrap()[0];
            let body = request.split_once("\r\n\r\n").unwrap().1;
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            let tools = [
                "file_edit",
                "file_list",
                "file_read",
                "file_replace",
                "file_search",
                "file_write",
                "recall",
                "shell",
                "shell_processes",
                "web_scrape",
                "web_search",
            ];
            let sent = body.pointer(path).unwrap().as_str().unwrap();
            for tool in tools {
                assert!(sent.contains(&format!("\"\\\"{tool}\\\"\"")), "{tool}: {sent}");
            }
            // Arguments fit the schemas of their tools.
            assert!(sent.contains("called ::= ") && sent.contains("args-1"), "{sent}");
            assert_ne!(sent, grammar(dialect, GrammarFormat::Gbnf, Some(&tools)));
        }
    }
}

#[test]
fn invalid_rates_are_explained() {
    let sandbox = Sandbox::new();
    for (variable, value) in [
        ("SILCROW_TIMEOUT_FIRST", "0"),
        ("SILCROW_TIMEOUT_FIRST", "-1"),
        ("SILCROW_TIMEOUT_IDLE", "NaN"),
        ("SILCROW_TIMEOUT_IDLE", "1e9"),
        ("SILCROW_TIMEOUT_CONNECT", "5s"),
        ("SILCROW_TIMEOUT_WHOLE", "1e-30"),
        ("SILCROW_REQUESTS_PER_MINUTE", "0"),
        ("SILCROW_REQUESTS_PER_MINUTE", "1.5"),
        ("SILCROW_TOKENS_PER_MINUTE", "many"),
    ] {
        let mut command = sandbox.command(&["run", "hi", "--store", "memory"]);
        let output = command.env(variable, value).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(&format!("{variable} is `{value}`; use a")), "{stderr}");
    }
    let manifest = sandbox.write("m.toml", "");
    for (args, words) in [
        (&["--model", "rehearsal", "--grammar", "vllm"][..], "only compatible:URL#MODEL does"),
        (&["--model", "openai:m", "--grammar", "llama.cpp"], "does not support a grammar"),
        (&["--model", "compatible:http://h#m", "--grammar", "ollama"], "llama.cpp, vllm"),
        (&["--grammar", "vllm", "--manifest", &manifest], "cannot be used with"),
    ] {
        let said = sandbox.silcrow(&[&["run", "hi", "--store", "memory"], args].concat());
        assert!(said.ends(2).err.contains(words), "{}", said.err);
    }
    let environment = sandbox.silcrow(&["help", "environment"]).out;
    let mut help = sandbox.silcrow(&["help", "dialects"]);
    help.out.push_str(&environment);
    for word in ["SILCROW_TIMEOUT_IDLE (60)", "SILCROW_REQUESTS_PER_MINUTE", "--grammar <SERVER>"] {
        assert!(help.out.contains(word), "{word}: {}", help.out);
    }
}
