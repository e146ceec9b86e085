//! Headers of servers at a URL: from the environment and from a command, and read again after a
//! refusal.

use std::fs;
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{results, script};
use crate::server::{request, serve};
use crate::support::{CommandOutput, Sandbox, command_output};

/// Serves a tool `t` to requests that have this line in their head, and returns the address and the
/// heads that came.
fn server(wanted: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    serve(listener, move |mut socket| {
        use std::io::Write as _;
        let request = request(&mut socket);
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        seen.lock().unwrap().push(head.to_owned());
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        let is_known = head.lines().any(|line| line.eq_ignore_ascii_case(wanted));
        let result = match message["method"].as_str() {
            Some("initialize") => json!({"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}),
            Some("tools/list") => {
                json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
            }
            Some("tools/call") => json!({"content": [{"type": "text", "text": "called t"}]}),
            _ => json!({}),
        };
        let (status, body) = match () {
            () if !is_known => ("401 Unauthorized", String::new()),
            () if !head.starts_with("POST") => ("405 Method Not Allowed", String::new()),
            () if message["method"] == "server/discover" => {
                let error = json!({"code": -32601, "message": "no such method"});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
                ("200 OK", answer.to_string())
            }
            () if message["id"].is_null() => ("202 Accepted", String::new()),
            () => {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                ("200 OK", answer.to_string())
            }
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n");
        let head = format!("{head}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        let _ = socket.write_all(format!("{head}{body}").as_bytes());
    });
    (url, heads)
}

fn run(sandbox: &Sandbox, table: &str, env: &[(&str, &str)]) -> CommandOutput {
    fs::write(sandbox.path("config/silcrow/config.toml"), table).unwrap();
    let model = script(sandbox, &[("web.t", "{}")]);
    let args = ["run", "go", "--json", "--model", &model, "--allow", "web.t"];
    let mut command = sandbox.command(&args);
    command.envs(env.iter().copied()).stdin(Stdio::null());
    command_output(command.output().unwrap())
}

#[test]
fn headers_take_values_from_environment_and_commands() {
    let sandbox = Sandbox::new();
    let (url, _) = server("x-api-key: canary-of-header");
    let env = [("MY_KEY", "canary-of-header")];
    for headers in [
        "{ \"X-API-Key\" = \"$MY_KEY\" }",
        "{ X-API-Key = { variable = \"MY_KEY\" }, X-Tenant = \"ours\" }",
        "{ X-API-Key = { command = [\"printenv\", \"MY_KEY\"] } }",
        "{ X-API-Key = { command = \"sh -c 'echo $MY_KEY; echo second'\" } }",
    ] {
        let table = format!("[mcp.web]\nurl = {url:?}\nheaders = {headers}\n");
        let said = run(&sandbox, &table, &env);
        assert_eq!(results(&said), ["called t"], "{headers}: {}", said.err);
        assert!(!said.err.contains("canary") && !said.out.contains("canary"), "{}", said.err);
    }
    let table = format!("[mcp.web]\nurl = {url:?}\nheaders = {{ X-API-Key = \"$MY_KEY\" }}\n");
    let said = run(&sandbox, &table, &[("MY_KEY", "canary-that-is-wrong")]);
    assert!(!said.err.contains("canary"), "{}", said.err);
    let said = run(&sandbox, &table, &[]);
    let why = "the variable MY_KEY of the environment is not set";
    assert!(said.err.contains(why), "{}", said.err);
}

#[test]
fn header_command_reruns_after_refusal() {
    let sandbox = Sandbox::new();
    let (url, heads) = server("authorization: Bearer canary-number-2");
    let count = sandbox.path("count");
    let script = format!(
        "#!/bin/sh\necho x >> {0:?}\necho canary-number-$(($(wc -l < {0:?})))\n",
        count.display()
    );
    let program = sandbox.write("token", &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(&program, mode).unwrap();
    let table = format!(
        "[mcp.web]\nurl = {url:?}\n[mcp.web.headers]\nAuthorization = {{ command = [{program:?}], \
         prefix = \"Bearer \" }}\n"
    );
    let said = run(&sandbox, &table, &[]);
    assert_eq!(results(&said), ["called t"], "{}", said.err);
    assert_eq!(fs::read_to_string(count).unwrap(), "x\nx\n");
    assert!(!said.err.contains("canary") && !said.out.contains("canary"), "{}", said.err);
    let heads = heads.lock().unwrap();
    let refused = heads.iter().filter(|head| head.contains("canary-number-1")).count();
    assert_eq!(refused, 1, "{heads:?}");
}

#[test]
fn unsendable_headers_are_named_with_their_line() {
    let sandbox = Sandbox::new();
    for (headers, why) in [
        ("{ Host = \"x\" }", "`mcp.x.headers.Host`: the header Host is set by the request itself"),
        ("{ \"a b\" = \"x\" }", "cannot be the name of a header"),
        ("{ X-API-Key = \"abc\" }", "a file of settings holds no key"),
        ("{ X-Tenant = { variable = \"no name\" } }", "write a text with a variable"),
        ("{ X-Tenant = { command = [] } }", "write a text with a variable"),
        ("\"x\"", "write a table of headers"),
        ("{ Authorization = \"$A\" }\ntoken = \"$B\"", "keep one"),
    ] {
        let table = format!("[mcp.x]\nurl = \"https://example.org/mcp\"\nheaders = {headers}\n");
        fs::write(sandbox.path("config/silcrow/config.toml"), table).unwrap();
        let said = sandbox.silcrow(&["run", "go"]);
        assert!(said.ends(2).err.contains(why), "{headers}: {}", said.err);
    }
    let table = "[mcp.x]\ncommand = [\"x\"]\nheaders = { X-Tenant = \"y\" }\n";
    fs::write(sandbox.path("config/silcrow/config.toml"), table).unwrap();
    let said = sandbox.silcrow(&["run", "go"]);
    assert!(said.ends(2).err.contains("a program gets its secrets by `env`"), "{}", said.err);
}

#[test]
fn headers_are_added_as_texts_with_variables() {
    let sandbox = Sandbox::new();
    let (url, _) = server("x-api-key: canary-of-header");
    let header = "X-API-Key=${MY_KEY}";
    let args = ["mcp", "add", "web", &*url, "--header", header, "--start-timeout", "90"];
    sandbox.silcrow(&args).ends(0);
    let table = fs::read_to_string(sandbox.path("config/silcrow/config.toml")).unwrap();
    assert!(table.contains("start_timeout = 90"), "{table}");
    let said = run(&sandbox, &table, &[("MY_KEY", "canary-of-header")]);
    assert_eq!(results(&said), ["called t"], "{table}: {}", said.err);
    for (header, why) in [("X-API-Key=abc", "holds no key"), ("X-API-Key", "use --header")] {
        let said = sandbox.silcrow(&["mcp", "add", "other", &url, "--header", header]);
        assert!(said.ends(2).err.contains(why), "{header}: {}", said.err);
    }
}
