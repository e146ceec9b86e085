//! Keys that a command prints, also after a server has rejected one.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use crate::server::{request, serve};
use crate::support::{CommandOutput, Sandbox, command_output};

/// Serves Chat Completions to requests with this key, and rejects others with words that repeat
/// theirs. Returns the address and the keys that came.
fn server(wanted: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let keys = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&keys);
    serve(listener, move |mut socket| {
        use std::io::Write as _;
        let request = request(&mut socket);
        let key = request.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("authorization").then(|| value.to_owned())
        });
        let key = key.unwrap_or_default().trim_start_matches("Bearer ").to_owned();
        seen.lock().unwrap().push(key.clone());
        let (status, kind, body) = match key == wanted {
            true => {
                let text = "§respond: hello\\n§end";
                let delta = format!("{{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},");
                let data = format!("data: {delta}\"finish_reason\":\"stop\"}}]}}\n\n");
                ("200 OK", "text/event-stream", data)
            }
            false => {
                let body = format!("{{\"error\":{{\"message\":\"`{key}` is expired\"}}}}");
                ("401 Unauthorized", "application/json", body)
            }
        };
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n");
        let head = format!("{head}Content-Length: {}\r\n\r\n", body.len());
        let _ = socket.write_all(format!("{head}{body}").as_bytes());
    });
    (address, keys)
}

/// Makes a program of these lines.
fn program(sandbox: &Sandbox, lines: &str) -> String {
    let program = sandbox.write("get key", &format!("#!/bin/sh\n{lines}\n"));
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    program
}

/// Prints another key each time: `canary-number-1`, then `canary-number-2`, and so on.
fn counting(sandbox: &Sandbox) -> String {
    let count = sandbox.path("count");
    let count = count.display();
    program(sandbox, &format!("echo x >> {count:?}; echo canary-number-$(($(wc -l < {count:?})))"))
}

fn run(sandbox: &Sandbox, model: &str, env: &[(&str, &str)]) -> CommandOutput {
    let args = ["run", "hi", "--store", "memory", "--model", model];
    let mut command = sandbox.command(&args);
    command.envs(env.iter().copied()).stdin(Stdio::null());
    command_output(command.output().unwrap())
}

fn settings(sandbox: &Sandbox, text: &str) {
    fs::write(sandbox.path("config/silcrow/config.toml"), text).unwrap();
}

#[test]
fn key_command_reruns_after_rejection() {
    let sandbox = Sandbox::new();
    let (address, keys) = server("canary-number-2");
    let typed = format!("'{}'", counting(&sandbox));
    let model = format!("compatible:{address}/v1#m");
    let said = run(&sandbox, &model, &[("SILCROW_COMPATIBLE_KEY_COMMAND", &typed)]);
    assert_eq!(said.ends(0).out, "hello\n");
    assert_eq!(*keys.lock().unwrap(), ["canary-number-1", "canary-number-2"]);
    // It is rejected for good if no key helps, and nothing shows one.
    let said = run(&sandbox, &model, &[("SILCROW_COMPATIBLE_KEY_COMMAND", &typed)]);
    assert!(said.ends(1).err.contains("is expired"), "{}", said.err);
    assert!(!said.err.contains("canary") && !said.out.contains("canary"), "{}", said.err);
    assert_eq!(keys.lock().unwrap()[2..], ["canary-number-3", "canary-number-4"]);
}

#[test]
fn key_command_serves_only_the_model_vendor() {
    let sandbox = Sandbox::new();
    let (address, keys) = server("canary-number-1");
    settings(&sandbox, &format!("key_command = [{:?}]\n", counting(&sandbox)));
    let base = ("OPENAI_BASE_URL", &*address);
    assert_eq!(run(&sandbox, "openai:m", &[base]).ends(0).out, "hello\n");
    // A variable counts before it.
    let other = ("OPENAI_API_KEY", "canary-number-1");
    assert_eq!(run(&sandbox, "openai:m", &[base, other]).ends(0).out, "hello\n");
    assert_eq!(fs::read_to_string(sandbox.path("count")).unwrap(), "x\n");
    assert_eq!(*keys.lock().unwrap(), ["canary-number-1", "canary-number-1"]);
    // A model of a manifest from another vendor does not get it.
    let manifest = sandbox.write("other.toml", "[llm.other]\nmodel = \"anthropic:m\"\n");
    sandbox.trust(&manifest);
    let args = ["run", "hi", "--store", "memory", "--model", "openai:m", "--manifest", &manifest];
    let mut command = sandbox.command(&args);
    let output = command.env(base.0, base.1).stdin(Stdio::null()).output().unwrap();
    let said = command_output(output);
    assert!(said.err.contains("ANTHROPIC_API_KEY is not set"), "{}", said.err);
    // A project names no commands.
    settings(&sandbox, "");
    fs::create_dir_all(sandbox.path("root/.silcrow")).unwrap();
    let project = "key_command = [\"touch\", \"ran\"]\n";
    fs::write(sandbox.path("root/.silcrow/config.toml"), project).unwrap();
    let said = run(&sandbox, "openai:m", &[base]);
    assert!(said.ends(2).err.contains("`key_command`"), "{}", said.err);
    assert!(!sandbox.path("root/ran").exists());
}

#[test]
fn failing_key_command_explains_without_secrets() {
    let sandbox = Sandbox::new();
    let (address, keys) = server("canary-number-1");
    let model = format!("compatible:{address}/v1#m");
    for (lines, why) in [
        ("echo 'for canary-in-a-variable: log in first' >&2; exit 3", "log in first"),
        ("echo; echo canary-on-the-second-line", "printed nothing on its first line"),
        ("exec /nowhere/at-all", "ended with exit status: 127"),
    ] {
        let typed = format!("'{}'", program(&sandbox, lines));
        let secret = ("MY_API_KEY", "canary-in-a-variable");
        let command = ("SILCROW_COMPATIBLE_KEY_COMMAND", &*typed);
        let said = run(&sandbox, &model, &[command, secret]);
        assert!(said.ends(2).err.contains(why), "{lines}: {}", said.err);
        assert!(said.err.contains("SILCROW_COMPATIBLE_KEY_COMMAND"), "{}", said.err);
        assert!(!said.err.contains("canary"), "{}", said.err);
    }
    // A process that the command leaves keeps nobody waiting, and ends.
    let typed = format!("'{}'", program(&sandbox, "sleep 1000 & echo canary-number-1"));
    let said = run(&sandbox, &model, &[("SILCROW_COMPATIBLE_KEY_COMMAND", &typed)]);
    assert_eq!(said.ends(0).out, "hello\n");
    assert_eq!(*keys.lock().unwrap(), ["canary-number-1"]);
}

#[test]
fn model_cannot_write_the_key_command() {
    let sandbox = Sandbox::new();
    let program = sandbox.root().join("print-key");
    fs::write(&program, "#!/bin/sh\necho canary-number-1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let call = r#"§call: {"name":"file_write","args":{"path":"print-key","content":"evil"}}"#;
    let script = sandbox.write("calls", &format!("{call}\n§execute\n%%\n§respond: done\n§end"));
    let model = format!("script:{script}");
    let args = ["run", "go", "--json", "--model", &model, "--permissions", "workspace"];
    let mut command = sandbox.command(&args);
    command.env("OPENAI_API_KEY_COMMAND", &program).stdin(Stdio::null());
    let said = command_output(command.output().unwrap());
    assert!(fs::read_to_string(&program).unwrap().starts_with("#!"), "{}", said.out);
    // Nor is it found by a name in the folder in which the person works.
    let (address, keys) = server("canary-number-1");
    let model = format!("compatible:{address}/v1#m");
    let path = format!("{}:/usr/bin:/bin", sandbox.root().display());
    for (typed, why) in [("./print-key", "with its whole path"), ("print-key", "cannot be started")]
    {
        let said =
            run(&sandbox, &model, &[("SILCROW_COMPATIBLE_KEY_COMMAND", typed), ("PATH", &path)]);
        assert!(said.ends(2).err.contains(why), "{typed}: {}", said.err);
    }
    assert!(keys.lock().unwrap().is_empty());
}
