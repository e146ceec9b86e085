//! Declarations of servers: their places, their authors, and the environment of the server.

use std::fs;

use super::{declare, program, results, run};
use crate::support::Sandbox;

fn config(sandbox: &Sandbox, text: &str) {
    fs::write(sandbox.path("config/silcrow/config.toml"), text).unwrap();
}

fn project(sandbox: &Sandbox, text: &str) {
    fs::create_dir_all(sandbox.path("root/.silcrow")).unwrap();
    fs::write(sandbox.path("root/.silcrow/config.toml"), text).unwrap();
}

const CALL: [(&str, &str); 1] = [("test.echo", r#"{"text":"hello"}"#)];

#[test]
fn project_servers_start_only_from_trusted_file() {
    let sandbox = Sandbox::new();
    let table = format!("[mcp.test]\ncommand = [{:?}]\n", program());
    project(&sandbox, &table);
    let flags = ["--permissions", "full"];
    let said = run(&sandbox, &CALL, &flags);
    assert!(results(&said)[0].contains("unknown tool `test.echo`"), "{}", said.out);
    assert!(said.err.contains("is not trusted, so its `mcp` (line 1) is left out"), "{}", said.err);
    let trusted = sandbox.silcrow(&["config", "trust"]);
    assert!(trusted.ends(0).out.contains("mcp.test"), "{}", trusted.out);
    assert!(trusted.out.contains("mcp_server"), "{}", trusted.out);
    assert_eq!(results(&run(&sandbox, &CALL, &flags)), ["hello"]);
    // Another command in the file, and nothing starts.
    project(&sandbox, &table.replace("\"]\n", "\", \"modern\"]\n"));
    let said = run(&sandbox, &CALL, &flags);
    assert!(results(&said)[0].contains("unknown tool `test.echo`"), "{}", said.out);
}

#[test]
fn project_cannot_shadow_or_trust_person_servers() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    project(&sandbox, "[mcp.test]\ncommand = [\"/nowhere/at-all\"]\n");
    sandbox.silcrow(&["config", "trust"]).ends(0);
    assert_eq!(results(&run(&sandbox, &CALL, &["--permissions", "full"])), ["hello"]);
    project(&sandbox, "[mcp.other]\ncommand = [\"x\"]\ntrust = true\n");
    let said = sandbox.silcrow(&["run", "go"]);
    assert!(
        said.ends(2).err.contains("line 3, `mcp.other.trust`: the person decides"),
        "{}",
        said.err
    );
}

#[test]
fn invalid_declarations_are_named_with_their_line() {
    let sandbox = Sandbox::new();
    for (text, why) in [
        ("[mcp.x]\n", "line 1, `mcp.x`: write command = "),
        (
            "[mcp.x]\ncomand = [\"x\"]\n",
            "line 2, `mcp.x.comand`: unknown key `comand`; did you mean `command`?",
        ),
        ("[mcp.\"a b\"]\ncommand = [\"x\"]\n", "cannot be the name of a server"),
        ("[mcp.x]\nurl = \"http://example.org/mcp\"\n", "is reached by https://"),
        ("[mcp.x]\nurl = \"http://localhost.example.org/mcp\"\n", "is reached by https://"),
        ("[mcp.x]\nurl = \"ftp://example.org\"\n", "is not an https:// or http:// URL"),
        (
            "[mcp.x]\nurl = \"https://example.org\"\ntoken = \"abc\"\n",
            "a file of settings holds no key",
        ),
        (
            "[mcp.x]\ncommand = [\"x\"]\nenv = { KEY = \"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789\" }\n",
            "this looks like a key",
        ),
        (
            "[mcp.x]\ncommand = [\"x\"]\nurl = \"https://example.org\"\n",
            "a server has a `command` or a `url`",
        ),
        ("[mcp.x]\ncommand = []\n", "the command is empty"),
        ("[mcp.x]\ncommand = [\"x\"]\ntimeout = 0\n", "write the seconds of a call"),
    ] {
        config(&sandbox, text);
        let said = sandbox.silcrow(&["run", "go"]);
        assert!(said.ends(2).err.contains(why), "{text}: {}", said.err);
    }
    config(&sandbox, "");
    for (typed, why) in
        [("x", "use NAME=COMMAND"), ("x=", "the command is empty"), ("x='a", "quotation mark")]
    {
        let said = sandbox.silcrow(&["run", "go", "--mcp", typed]);
        assert!(said.ends(2).err.contains(why), "{typed}: {}", said.err);
    }
}

#[test]
fn server_gets_its_declared_environment_and_secrets_stay() {
    const SECRET: &str = "canary-of-the-server-0001";
    let sandbox = Sandbox::new();
    let env = "env = { SERVER_KEY = \"$MY_SERVER_PIN\", LEVEL = \"debug\" }\n";
    declare(&sandbox, &[], env);
    let model = super::script(
        &sandbox,
        &[
            ("test.variables", "{}"),
            ("test.variable", r#"{"name":"SERVER_KEY"}"#),
            ("test.variable", r#"{"name":"LEVEL"}"#),
        ],
    );
    let args = ["run", "go", "--json", "--model", &model, "--permissions", "full"];
    let mut command = sandbox.command(&args);
    command.env("MY_SERVER_PIN", SECRET).env("OTHER_TOKEN", "canary-of-nobody-000002");
    let said = crate::support::command_output(command.output().unwrap());
    let said_all = results(&said);
    let names: Vec<_> = said_all[0].split(' ').collect();
    assert!(names.contains(&"SERVER_KEY") && names.contains(&"PATH"), "{names:?}");
    assert!(!names.contains(&"OTHER_TOKEN") && !names.contains(&"MY_SERVER_PIN"), "{names:?}");
    assert!(!said.out.contains("canary") && !said.err.contains("canary"), "{}", said.out);
    // The server had it all the same: the length is right.
    assert!(said_all[1].ends_with(&format!(" {}", SECRET.len())), "{said_all:?}");
    assert_eq!(said_all[2], "debug 5");
    // Without the variable the server is named, and the run continues.
    let said = run(&sandbox, &[], &[]);
    assert!(
        said.ends(0).err.contains("the variable MY_SERVER_PIN of the environment is not set"),
        "{}",
        said.err
    );
}

#[test]
fn servers_are_added_listed_tried_and_removed() {
    let sandbox = Sandbox::new();
    config(&sandbox, "# mine\nmodel = \"rehearsal\"\n");
    let mcp = |args: &[&str]| sandbox.silcrow(&[&["mcp"], args].concat());
    assert!(mcp(&["list"]).ends(0).out.contains("no server is declared"));
    let program = program();
    mcp(&["add", "test", "--env", "LEVEL=debug", "--timeout", "20", "--", &program]).ends(0);
    mcp(&["add", "web", "https://example.org/mcp", "--token", "$WEB_TOKEN"]).ends(0);
    let text = fs::read_to_string(sandbox.path("config/silcrow/config.toml")).unwrap();
    assert!(text.starts_with("# mine\nmodel = \"rehearsal\"\n\n[mcp.test]\ncommand = ["), "{text}");
    assert!(text.contains("env = { LEVEL = \"debug\" }\ntimeout = 20\n"), "{text}");
    assert!(text.contains("token = \"$WEB_TOKEN\""), "{text}");
    let listed = mcp(&["list"]).ends(0).out.clone();
    assert!(listed.contains("LEVEL=debug "), "{listed}");
    assert!(listed.contains("https://example.org/mcp (with $WEB_TOKEN)"), "{listed}");
    assert!(listed.contains("config.toml:4"), "{listed}");
    let twice = mcp(&["add", "test", "x"]);
    assert!(twice.ends(2).err.contains("`mcp.test` is in this file already"), "{}", twice.err);
    for (args, why) in [
        (&["add", "a b", "x"][..], "cannot be the name of a server"),
        (&["add", "x", "http://example.org"], "is reached by https://"),
        (&["add", "x", "https://example.org", "--token", "abc"], "such as '$ISSUES_TOKEN'"),
        (&["add", "x", "y", "--env", "A"], "use --env NAME=TEXT"),
        (&["remove", "y"], "`mcp.y` is not in this file"),
    ] {
        assert!(mcp(args).ends(2).err.contains(why), "{args:?}: {}", mcp(args).err);
    }
    let tried = mcp(&["test", "test"]).ends(0).out.clone();
    assert!(tried.starts_with("✓ test: test 1, "), "{tried}");
    assert!(
        tried.contains("revision 2025-11-25") && tried.contains("    test.echo: asks"),
        "{tried}"
    );
    assert!(tried.contains("/test:greet") && tried.contains("@test:note://1"), "{tried}");
    assert!(tried.contains("a tool is left out"), "{tried}");
    let json = mcp(&["test", "test", "--json"]).ends(0).events();
    assert_eq!((&json[0]["failure"], &json[0]["revision"]), (&().into(), &"2025-11-25".into()));
    let failed = mcp(&["test", "dies", "--mcp", &format!("dies={program} dies")]);
    assert!(failed.ends(1).out.starts_with("✗ dies: "), "{}", failed.out);
    assert!(failed.out.contains("│ this server dies at once"), "{}", failed.out);
    mcp(&["remove", "test"]).ends(0);
    mcp(&["remove", "web"]).ends(0);
    let text = fs::read_to_string(sandbox.path("config/silcrow/config.toml")).unwrap();
    assert_eq!(text, "# mine\nmodel = \"rehearsal\"\n");
}

#[test]
fn flags_add_and_omit_servers_for_one_run() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &["dies"], "");
    let typed = format!("test={} modern", program());
    let flags = ["--permissions", "full", "--mcp", &typed];
    let said = run(&sandbox, &CALL, &flags);
    assert_eq!((results(&said), &*said.err), (vec!["hello".to_owned()], ""));
    let said = run(&sandbox, &[], &["--no-mcp"]);
    assert_eq!(said.ends(0).err, "");
    declare(&sandbox, &["dies"], "off = true\n");
    let said = run(&sandbox, &[], &[]);
    assert_eq!(said.ends(0).err, "");
    let doctor = sandbox.silcrow(&["doctor", "--offline"]);
    assert!(doctor.out.contains("mcp       test: it is off"), "{}", doctor.out);
}
