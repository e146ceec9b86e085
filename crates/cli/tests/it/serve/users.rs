//! Several users of one server, each with a token of their own.

use std::os::unix::fs::MetadataExt as _;
use std::process::Stdio;

use super::Serving;
use crate::support::Sandbox;

#[test]
fn each_user_sees_only_their_own_conversations() {
    let sandbox = Sandbox::new();
    let files = ["ann.token", "bob.token"].map(|name| sandbox.path(name));
    let named = ["ann", "bob"];
    let flags: Vec<String> =
        named.iter().zip(&files).map(|(name, file)| format!("{name}={}", file.display())).collect();
    let args = ["--user-token", &flags[0], "--user-token", &flags[1]];
    let owner = Serving::start_with(&sandbox, &args);
    let tokens: Vec<_> = files
        .iter()
        .map(|file| {
            assert_eq!(std::fs::metadata(file).unwrap().mode() & 0o777, 0o600);
            std::fs::read_to_string(file).unwrap()
        })
        .collect();
    assert_ne!(tokens[0], tokens[1]);
    let prompt = r#"{"prompt":"hello"}"#;
    let mut users = vec![("owner", owner.token.clone())];
    users.extend(named.iter().zip(&tokens).map(|(name, token)| (*name, token.clone())));
    for (name, token) in &users {
        let path = format!("/conversations/of-{name}/runs");
        assert_eq!(owner.send_as(token, "POST", &path, prompt).0, 201, "{name}");
    }
    for (name, token) in &users {
        let (_, listed) = owner.send_as(token, "GET", "/conversations", "");
        let listed: Vec<_> = listed["conversations"].as_array().unwrap().iter().collect();
        assert_eq!(listed.len(), 1, "{name}: {listed:?}");
        assert_eq!(listed[0]["id"], format!("of-{name}"));
        for (other, _) in users.iter().filter(|(other, _)| other != name) {
            let path = format!("/conversations/of-{other}");
            assert_eq!(owner.send_as(token, "GET", &path, "").0, 404, "{name} reads {other}");
        }
    }
    assert_eq!(owner.send_as(&"0".repeat(64), "GET", "/conversations", "").0, 401);
    drop(owner);
    // The tokens stay.
    let again = Serving::start_with(&sandbox, &args);
    assert_eq!(again.send_as(&tokens[1], "GET", "/conversations/of-bob", "").0, 200);
}

#[test]
fn commands_read_no_tokens_and_keys() {
    let sandbox = Sandbox::new();
    // The person's own tools are readable for commands, and so is what lies beside them.
    let tools = sandbox.path("tools");
    std::fs::create_dir(&tools).unwrap();
    let [token, chat, key, open] =
        ["ann.token", "ui.token", "the.key", "notes"].map(|name| tools.join(name));
    std::fs::write(&key, "sk-canary-0123456789").unwrap();
    std::fs::write(&open, "readable notes").unwrap();
    let command =
        format!("cat {0}/ann.token {0}/ui.token {0}/the.key; cat {0}/notes", tools.display());
    let call = serde_json::json!({ "name": "shell", "args": { "command": command } });
    let script =
        sandbox.write("script", &format!("§call: {call}\n§execute\n%%\n§respond: So.\n§end"));
    let flags =
        [("ann", &token), ("ui", &chat)].map(|(name, file)| format!("{name}={}", file.display()));
    let mut command = sandbox.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.args(["--user-token", &flags[0], "--chat-token", &flags[1], "--permissions", "full"]);
    command.args(["--model", &format!("script:{script}")]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(tools.clone()).chain(std::env::split_paths(&path)));
    command.env("PATH", path.unwrap()).env("OPENAI_API_KEY_FILE", &key);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let owner = Serving::from_process(command.spawn().unwrap());
    let (status, _) = owner.send("POST", "/conversations/c1/runs", r#"{"prompt":"Read."}"#);
    assert_eq!(status, 201);
    let log = owner.follow("c1", "idle");
    assert!(log.contains("readable notes"), "{log}");
    for secret in [&token, &chat, &key] {
        let secret = std::fs::read_to_string(secret).unwrap();
        assert!(!log.contains(secret.trim()), "{log}");
    }
    for file in ["ann.token", "ui.token", "the.key"] {
        let denied = format!("{file}: Permission denied");
        assert!(log.contains(&denied), "{denied} in {log}");
    }
}

#[test]
fn invalid_user_tokens_are_refused() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("wrong.token", "not a token");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--user-token"];
    for (flag, why) in [
        (format!("ann={file}"), "64 hexadecimal digits"),
        ("ann".to_owned(), "NAME=FILE"),
        (format!("={file}"), "NAME=FILE"),
    ] {
        let said = sandbox.silcrow(&[&serve[..], &[&*flag]].concat());
        said.ends(2);
        assert!(said.err.contains(why), "{flag}: {}", said.err);
    }
    let within = format!("ann={}", sandbox.root().join("ann.token").display());
    let said = sandbox.silcrow(&[&serve[..], &[&*within]].concat());
    assert!(said.ends(2).err.contains("the agent can read"), "{}", said.err);
    let said = sandbox.silcrow(&[&serve[..], &["ann=x", "--chat-token", "ann=y"]].concat());
    assert!(said.ends(2).err.contains("give the program another name"), "{}", said.err);
    let said = sandbox.silcrow(&[&serve[..], &["ann=x", "--user", "ann"]].concat());
    assert!(said.ends(2).err.contains("the user of the server itself"), "{}", said.err);
}
