//! The values of a project's file: they narrow and never widen, and destinations count only once
//! the person trusts the file.

use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::process::Stdio;

use super::{config, own, project, says};
use crate::approve::at_terminal;
use crate::support::{Sandbox, command_output};

/// Calls `file_write` by hand, and returns the exit code.
fn write(sandbox: &Sandbox, args: &[&str]) -> Option<i32> {
    let call = r#"{"file":"a.txt","content":"x"}"#;
    sandbox.silcrow(&[&["tool", "file_write", call], args].concat()).code
}

#[test]
fn even_trusted_projects_cannot_widen_permissions() {
    let sandbox = Sandbox::new();
    project(&sandbox, "[policy]\nmode = \"full\"\n");
    for trusted in [false, true] {
        if trusted {
            config(&sandbox, &["trust"]).ends(0);
        }
        // The mode of the person's policy is `ask`, and nobody can be asked here.
        assert_eq!(write(&sandbox, &[]), Some(1));
        assert_eq!(write(&sandbox, &["--permissions", "read-only"]), Some(1));
    }
    for (text, why) in [
        (
            "[[policy.rules]]\neffect = \"allow\"\ntool = \"*\"",
            "can only narrow, so it allows nothing",
        ),
        ("policy = \"mine.toml\"", "a project names no policy file"),
        ("profile = \"work\"", "the person chooses the profile"),
        ("[profiles.work]\nmodel = \"x\"", "profiles are the person's own"),
    ] {
        let file = project(&sandbox, text);
        let said = sandbox.silcrow(&["tool", "file_list"]);
        assert!(said.ends(2).err.contains(why), "{text}: {}", said.err);
        assert!(said.err.starts_with(&format!("silcrow: {file}, line")), "{}", said.err);
    }
}

#[test]
fn project_narrows_permissions_despite_flags() {
    let sandbox = Sandbox::new();
    assert_eq!(write(&sandbox, &["--permissions", "full"]), Some(0));
    project(&sandbox, "[policy]\nmode = \"read-only\"\n");
    assert_eq!(write(&sandbox, &["--permissions", "full"]), Some(1));
    assert_eq!(write(&sandbox, &["--allow", "file_write"]), Some(1));
    let rule = "[[policy.rules]]\neffect = \"deny\"\ntool = \"file_write\"\n";
    project(&sandbox, rule);
    assert_eq!(write(&sandbox, &["--permissions", "full"]), Some(1));

    let names = || {
        let listed = sandbox.silcrow(&["tools"]).ends(0).events();
        listed.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    own(&sandbox, "tools = [\"file_read\", \"file_list\"]\n");
    // It takes one away, and does not bring back the tools that the person left out.
    project(&sandbox, "tools = [\"file_list\", \"shell\"]\n");
    assert_eq!(names(), ["file_list"]);
    project(&sandbox, "tools = { except = [\"file_read\"] }\n");
    assert_eq!(names(), ["file_list"]);
    let shown = config(&sandbox, &[]);
    assert!(shown.ends(0).out.contains("except:file_read"), "{}", shown.out);
    assert!(shown.out.contains("/.silcrow/config.toml:1, narrows\n"), "{}", shown.out);
}

/// A file above the root counts up to the folder of the repository.
#[test]
fn project_lookup_stops_at_the_repository() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("root/sub")).unwrap();
    project(&sandbox, "dialect = \"phase\"\n");
    let dialect = || config(&sandbox, &["get", "dialect", "--root", "sub"]).code;
    assert_eq!(dialect(), Some(1));
    fs::create_dir(sandbox.path("root/.git")).unwrap();
    assert_eq!(dialect(), Some(0));
    fs::create_dir(sandbox.path("root/sub/.git")).unwrap();
    assert_eq!(dialect(), Some(1));
}

#[test]
fn untrusted_project_settings_reach_no_server() {
    let sandbox = Sandbox::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", server.local_addr().unwrap());
    server.set_nonblocking(true).unwrap();
    let file = project(
        &sandbox,
        &format!(
            "model = \"compatible:{url}#m\"\nstore = \"/tmp/x\"\nsearch = \"searxng:{url}\"\nproxy = \"{url}\"\n"
        ),
    );
    own(&sandbox, &format!("model = \"{}\"\n", says(&sandbox, "mine")));
    let mut command = sandbox.command(&["run", "go"]);
    command.env("SILCROW_COMPATIBLE_KEY", "unbound-key-of-the-person");
    let said = command_output(command.stdin(Stdio::null()).output().unwrap());
    assert_eq!(said.ends(0).out, "mine\n");
    let root = sandbox.root().canonicalize().unwrap();
    let notice = format!(
        "silcrow: {file} is not trusted, so its `model` (line 1), `store` (line 2), `search` (line \
         3), `proxy` (line 4) is left out; read the file, then run silcrow config trust --root {}\n",
        root.display()
    );
    assert!(said.err.contains(&notice), "{}", said.err);
    let refused = server.accept().unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::WouldBlock);
    assert!(sandbox.path("data/silcrow").exists());
}

#[test]
fn trust_ends_when_the_file_changes() {
    let sandbox = Sandbox::new();
    let (one, two) = (says(&sandbox, "one"), says(&sandbox, "two"));
    own(&sandbox, &format!("model = \"{}\"\n", says(&sandbox, "mine")));
    project(&sandbox, &format!("model = \"{one}\"\n"));
    let answer = || sandbox.silcrow(&["run", "go"]).ends(0).out.trim().to_owned();
    assert_eq!(answer(), "mine");
    let trusted = config(&sandbox, &["trust"]);
    assert!(trusted.ends(0).out.contains(&one), "{}", trusted.out);
    assert_eq!(answer(), "one");
    project(&sandbox, &format!("model = \"{two}\"\n"));
    assert_eq!(answer(), "mine");
    // A text that the person has trusted once is trusted again, but not the same text elsewhere.
    project(&sandbox, &format!("model = \"{one}\"\n"));
    assert_eq!(answer(), "one");
    fs::create_dir_all(sandbox.path("root/sub/.silcrow")).unwrap();
    sandbox.write("root/sub/.silcrow/config.toml", &format!("model = \"{one}\"\n"));
    let sub = sandbox.silcrow(&["run", "go", "--root", "sub"]);
    assert_eq!(sub.ends(0).out.trim(), "mine");
    config(&sandbox, &["revoke"]).ends(0);
    assert_eq!(answer(), "mine");
    assert_eq!(config(&sandbox, &["revoke"]).ends(0).out, "no file of this project was trusted\n");
}

#[test]
fn terminal_asks_for_trust_once() {
    let sandbox = Sandbox::new();
    own(&sandbox, &format!("model = \"{}\"\n", says(&sandbox, "mine")));
    let one = says(&sandbox, "one");
    project(&sandbox, &format!("model = \"{one}\"\n"));
    let run = sandbox.command(&["run", "go"]);
    let (shown, code) = at_terminal(&run, &["n\n"]);
    assert_eq!(code, Some(0));
    assert!(shown.contains(&format!("model    │ {one}")), "{shown}");
    assert!(shown.contains("is left out") && shown.contains("mine"), "{shown}");
    let (shown, _) = at_terminal(&run, &["y\n"]);
    assert!(shown.contains("one") && !shown.contains("is left out"), "{shown}");
    let (shown, _) = at_terminal(&run, &[]);
    assert!(shown.contains("one") && !shown.contains("Trust this file?"), "{shown}");
}

#[test]
fn model_needs_approval_to_change_settings_files() {
    let sandbox = Sandbox::new();
    project(&sandbox, "dialect = \"sigil\"\n");
    let allow = ["--allow", "file_write", "--permissions", "workspace"];
    for file in [".silcrow/config.toml", ".silcrow/new", "sub/.silcrow/config.toml"] {
        let call = format!(r#"{{"file":"{file}","content":"x"}}"#);
        let said = sandbox.silcrow(&[&["tool", "file_write", &call][..], &allow].concat());
        let why = if file.ends_with("new") || file.starts_with("sub") { "person's" } else { "" };
        assert!(said.ends(1).err.contains(why), "{file}: {}", said.err);
    }
    let call = r#"{"command":"echo x > .silcrow/config.toml; mkdir -p n; echo x > .silcrow/n"}"#;
    sandbox.silcrow(&["tool", "shell", call, "--permissions", "full"]);
    let mut text = String::new();
    let mut file = fs::File::open(sandbox.path("root/.silcrow/config.toml")).unwrap();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "dialect = \"sigil\"\n");
    assert!(!sandbox.path("root/.silcrow/n").exists());
}
