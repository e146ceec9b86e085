//! The keys, headers and fields that each server receives, and the proxies on the way.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::server::play;
use crate::support::{CommandOutput, Sandbox, command_output};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"\xC2\xA7respond: hello\\n\xC2\xA7end\"},\
    \"finish_reason\":\"stop\"}]}\n\n";

fn run(sandbox: &Sandbox, model: &str, set: impl FnOnce(&mut Command)) -> CommandOutput {
    let mut command = sandbox.command(&["run", "hi", "--model", model]);
    set(command.stdin(Stdio::null()));
    command_output(command.output().unwrap())
}

/// Returns the request that a run under these variables sends to a server that answers well.
fn sent(
    model: impl Fn(SocketAddr) -> String,
    set: impl FnOnce(&mut Command, SocketAddr),
) -> String {
    let (address, played) = play(vec![ANSWER.to_vec()], usize::MAX);
    let sandbox = Sandbox::new();
    let said = run(&sandbox, &model(address), |command| set(command, address));
    assert_eq!(said.ends(0).out, "hello\n");
    played.join().unwrap().remove(0)
}

fn compatible(address: SocketAddr) -> String {
    format!("compatible:http://{address}/v1#m")
}

#[test]
fn key_is_sent_only_to_its_server() {
    let is_sent = |keys: &dyn Fn(SocketAddr) -> String| {
        let sent = sent(compatible, |command, address| {
            command.env("SILCROW_COMPATIBLE_KEY", keys(address));
        });
        let keys = sent.lines().filter(|line| line.to_lowercase().starts_with("authorization"));
        keys.map(str::to_owned).collect::<Vec<_>>()
    };
    let own = ["authorization: Bearer sk-own"];
    assert_eq!(is_sent(&|_| "sk-own".to_owned()), own);
    assert_eq!(is_sent(&|at| format!("{at}=sk-own, other.example=sk-other")), own);
    assert_eq!(is_sent(&|at| format!("other.example = sk-other\nhttp://{at}/v1 = sk-own")), own);
    assert_eq!(is_sent(&|_| "other.example=sk-other,127.0.0.1=sk-other".to_owned()), [""; 0]);
    // Many keys end like this, and are not hosts.
    let padded = "c2stb3du.a==";
    assert_eq!(is_sent(&|_| padded.to_owned()), [format!("authorization: Bearer {padded}")]);

    let sandbox = Sandbox::new();
    let said = run(&sandbox, "compatible:http://127.0.0.1:1#m", |command| {
        command.env("SILCROW_COMPATIBLE_KEY", "sk-one,sk-two");
    });
    assert!(said.ends(2).err.contains("HOST=KEY") && !said.err.contains("sk-"), "{}", said.err);
}

#[test]
fn refusing_server_sees_only_its_own_keys() {
    let refused =
        b"HTTP/1.1 401 No\r\nConnection: close\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (address, played) = play(vec![refused.to_vec(), ANSWER.to_vec()], usize::MAX);
    let said = run(&Sandbox::new(), &compatible(address), |command| {
        let keys = format!("a.example=sk-a,{address}=sk-one,b.example=sk-b,{address}=sk-two");
        command.env("SILCROW_COMPATIBLE_KEY", keys);
    });
    assert_eq!(said.ends(0).out, "hello\n");
    let asked = played.join().unwrap();
    assert!(asked[0].contains("Bearer sk-one") && asked[1].contains("Bearer sk-two"), "{asked:?}");
}

#[test]
fn remote_plain_http_needs_permission_for_keys() {
    // An address that is nobody's (RFC 5737).
    let (url, sandbox) = ("http://192.0.2.1:9", Sandbox::new());
    let vendors = [
        ("anthropic:m", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        ("gemini:m", "GEMINI_API_KEY", "GEMINI_BASE_URL"),
        ("openai-realtime:m", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ("azure:m", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
        ("compatible:http://192.0.2.1:9#m", "SILCROW_COMPATIBLE_KEY", "SILCROW_MODEL"),
    ];
    for (model, key, base) in vendors {
        let said = run(&sandbox, model, |command| {
            command.env(key, "sk-canary").env(base, url);
        });
        let stderr = &said.ends(2).err;
        assert!(stderr.contains("plain http") && stderr.contains(key), "{stderr}");
        assert!(
            stderr.contains("SILCROW_ALLOW_PLAIN_HTTP=1") && !stderr.contains("canary"),
            "{stderr}"
        );
    }
    // Nobody was asked anything, and nothing is kept.
    assert_eq!(sandbox.silcrow(&["log", "--json"]).out, "");
    let said = run(&sandbox, vendors[4].0, |command| {
        let timeout = ("SILCROW_TIMEOUT_CONNECT", "0.01");
        command.env("SILCROW_COMPATIBLE_KEY", "sk-canary").env("SILCROW_ALLOW_PLAIN_HTTP", "1");
        command.envs([timeout]);
    });
    assert!(said.ends(1).err.contains("192.0.2.1"), "{}", said.err);
    let said = run(&sandbox, "openai:m", |command| {
        command.env("OPENAI_API_KEY", "sk-canary").env("SILCROW_ALLOW_PLAIN_HTTP", "yes");
    });
    assert!(said.ends(2).err.contains("use 1 or 0"), "{}", said.err);
}

#[test]
fn headers_and_fields_are_the_environments() {
    let sent = sent(
        |_| "openai:m".to_owned(),
        |command, address| {
            command
                .env("OPENAI_API_KEY", "sk-canary")
                .env("OPENAI_BASE_URL", format!("http://{address}"))
                .env("OPENAI_ORG_ID", "org-1")
                .env("OPENAI_PROJECT_ID", "proj-1")
                .env("OPENAI_HEADERS", "X-One: 1\n\nX-Two: a: b ")
                .env("OPENAI_BODY", r#"{"reasoning_effort": "high", "seed": 7}"#)
                .env("ANTHROPIC_HEADERS", "X-Three: 3");
        },
    );
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    for header in
        ["openai-organization: org-1", "openai-project: proj-1", "x-one: 1", "x-two: a: b"]
    {
        assert!(head.lines().any(|line| line == header), "{header}: {head}");
    }
    assert!(!head.contains("x-three"), "{head}");
    assert!(body.starts_with(r#"{"reasoning_effort":"high","seed":7,"model":"m""#), "{body}");

    let sandbox = Sandbox::new();
    for (model, variable, value, words) in [
        ("openai:m", "OPENAI_HEADERS", "canary", "line 1 has no `:`"),
        ("openai:m", "OPENAI_HEADERS", "Authorization: canary", "itself"),
        ("openai:m", "OPENAI_BODY", "[]", "a JSON object"),
        ("openai:m", "OPENAI_BODY", r#"{"messages": []}"#, "`messages`"),
        ("openai-realtime:m", "OPENAI_BODY", r#"{"seed": 7}"#, "have no body"),
        ("openai:m", "HTTPS_PROXY", "ftp://user:canary@h", "http://proxy.example:3128"),
        ("azure:m", "AZURE_OPENAI_API_KEY", "sk-canary", "AZURE_OPENAI_ENDPOINT is not set"),
    ] {
        let said = run(&sandbox, model, |command| {
            command.env("OPENAI_API_KEY", "sk-canary").env(variable, value);
        });
        let stderr = &said.ends(2).err;
        assert!(
            stderr.contains(words) && stderr.contains(variable.split_once('_').unwrap().0),
            "{stderr}"
        );
        assert!(!stderr.contains("canary"), "{stderr}");
    }
}

#[test]
fn azure_is_asked_under_its_own_variables() {
    let sent = sent(
        |_| "azure:my-gpt".to_owned(),
        |command, address| {
            command
                .env("AZURE_OPENAI_API_KEY", "sk-canary")
                .env("AZURE_OPENAI_ENDPOINT", format!("http://{address}/"))
                .env("OPENAI_API_VERSION", "2024-10-21");
        },
    );
    let path = "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21";
    assert!(sent.starts_with(&format!("POST {path} ")), "{sent}");
    assert!(sent.contains("api-key: sk-canary\r\n"), "{sent}");
}

/// A proxy that opens no tunnel, and the requests to it.
fn proxy() -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, mut bytes) = (socket.unwrap(), [0; 4096]);
            let count = socket.read(&mut bytes).unwrap_or_default();
            let _ = sender.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
            let _ = socket
                .write_all(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    (address, asked)
}

#[test]
fn environment_proxy_serves_only_https() {
    let (address, asked) = proxy();
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let said = run(&Sandbox::new(), "openai-responses:m", |command| {
            command
                .env("OPENAI_API_KEY", "sk-canary")
                .env("OPENAI_BASE_URL", "https://host.example")
                .env(variable, format!("http://{address}"));
        });
        said.ends(1);
        let request = asked.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(
            request.starts_with("CONNECT host.example:443 ") && !request.contains("canary"),
            "{request}"
        );
    }
    while asked.try_recv().is_ok() {}
    let plain = sent(compatible, |command, _| {
        command.env("ALL_PROXY", format!("http://{address}"));
    });
    assert!(plain.starts_with("POST /v1/chat/completions "), "{plain}");
    run(&Sandbox::new(), "compatible:https://127.0.0.1:1#m", |command| {
        command.env("HTTPS_PROXY", format!("http://{address}")).env("NO_PROXY", "127.0.0.1");
    });
    assert!(asked.try_recv().is_err());
}

#[test]
fn plain_http_uses_only_a_requested_proxy() {
    // A name that nobody has (RFC 6761): only a proxy can be reached.
    let model = "compatible:http://host.invalid/v1#m";
    let (address, asked) = proxy();
    let url = format!("http://{address}");
    let variables = ["HTTP_PROXY", "http_proxy", "ALL_PROXY"];
    run(&Sandbox::new(), model, |command| {
        command.envs(variables.map(|name| (name, &*url))).args(["--proxy", &url]);
    })
    .ends(1);
    assert!(asked.try_recv().is_err());

    let is_asked = |set: &dyn Fn(&mut Command, &Sandbox)| {
        let sandbox = Sandbox::new();
        let said = run(&sandbox, model, |command| set(command, &sandbox));
        said.ends(1);
        let request = asked.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(request.starts_with("POST http://host.invalid/v1/chat/completions "), "{request}");
        while asked.try_recv().is_ok() {}
    };
    for variable in variables {
        is_asked(&|command, _| {
            command.env(variable, &url).arg("--proxy-plain-http");
        });
    }
    is_asked(&|command, _| {
        command.args(["--proxy", &url, "--proxy-plain-http"]);
    });
    is_asked(&|_, sandbox| {
        sandbox.silcrow(&["config", "set", "proxy", &url]).ends(0);
        sandbox.silcrow(&["config", "set", "proxy_plain_http", "true"]).ends(0);
    });

    let here = sent(compatible, |command, _| {
        command.env("HTTP_PROXY", &url).arg("--proxy-plain-http");
    });
    assert!(here.starts_with("POST /v1/chat/completions "), "{here}");
    run(&Sandbox::new(), model, |command| {
        command.env("HTTP_PROXY", &url).env("NO_PROXY", "host.invalid").arg("--proxy-plain-http");
    })
    .ends(1);
    assert!(asked.try_recv().is_err());
}

#[test]
fn resume_mode_without_support_fails_before_storing() {
    for (model, words) in [
        ("openai:gpt-5", "use --model openai-responses:gpt-5"),
        ("gemini:m", "use --model gemini-interactions:m"),
        ("anthropic:m", "use --mode auto"),
        ("compatible:http://user:canary@127.0.0.1:1#m", "`m` keeps no connection"),
        ("rehearsal", "use --mode auto"),
    ] {
        let sandbox = Sandbox::new();
        let said = command_output(
            sandbox.command(&["run", "hi", "--model", model, "--mode", "resume"]).output().unwrap(),
        );
        let stderr = &said.ends(2).err;
        assert!(stderr.contains(words) && stderr.contains("--mode resume"), "{stderr}");
        assert!(!stderr.contains("canary"), "{stderr}");
        assert_eq!(sandbox.silcrow(&["log", "--json"]).out, "");
    }
}
