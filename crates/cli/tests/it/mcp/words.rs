//! `~` and variables in the words of a declaration, and the environment of a server.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Stdio;

use super::{program, results, script};
use crate::support::{CommandOutput, Sandbox, command_output};

/// Calls `test.variable` for a variable of the server, whose declaration is in the person's settings.
fn variable(sandbox: &Sandbox, name: &str, table: &str, env: &[(&str, &str)]) -> CommandOutput {
    fs::write(sandbox.path("config/silcrow/config.toml"), table).unwrap();
    let args = format!("{{\"name\":{name:?}}}");
    let model = script(sandbox, &[("test.variable", &args)]);
    let flags = ["run", "go", "--json", "--model", &model, "--permissions", "full"];
    let mut command = sandbox.command(&flags);
    command.env("HOME", sandbox.path("home")).envs(env.iter().copied()).stdin(Stdio::null());
    command_output(command.output().unwrap())
}

#[test]
fn home_and_variables_expand_in_every_word() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("home")).unwrap();
    symlink(program(), sandbox.path("home/my server")).unwrap();
    let env = [("BIN", "my server"), ("LEVEL", "high")];
    let home = sandbox.path("home").into_os_string().into_string().unwrap();
    for (table, name, expected) in [
        ("command = [\"~/my server\"]\nenv = { X = \"~/a\" }", "X", format!("{home}/a")),
        ("command = \"'~/my server'\"\nenv = { X = \"${LEVEL}er\" }", "X", "higher".to_owned()),
        ("command = [\"$HOME/${BIN}\"]\nenv = { X = \"$$LEVEL\" }", "X", "$LEVEL".to_owned()),
        (
            "command = [\"sh\", \"-c\", \"X=$LEVEL exec ~/my*\"]\nenv = { LEVEL = \"in sh\" }",
            "X",
            "in sh".to_owned(),
        ),
        ("command = [\"~/my server\"]\nfolder = \"$HOME\"", "PWD", home.clone()),
    ] {
        let said = variable(&sandbox, name, &format!("[mcp.test]\n{table}\n"), &env);
        let expected = format!("{expected} {}", expected.len());
        assert_eq!(results(&said), [expected], "{table}: {}", said.err);
    }
    let missing = "[mcp.test]\ncommand = [\"~/my server\", \"$NOBODY_SET_THIS\"]\n";
    let said = variable(&sandbox, "X", missing, &env);
    let why = "the variable NOBODY_SET_THIS of the environment is not set";
    assert!(said.err.contains(why), "{}", said.err);
}

#[test]
fn server_file_named_by_variable_is_protected() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("root/server.py"), "").unwrap();
    let table = "[mcp.test]\ncommand = [\"python3\", \"$MY_PROJECT/server.py\"]\n";
    fs::write(sandbox.path("config/silcrow/config.toml"), table).unwrap();
    let model = script(&sandbox, &[("file_write", r#"{"path":"server.py","content":"evil"}"#)]);
    let args = ["run", "go", "--json", "--model", &model, "--permissions", "workspace"];
    let mut command = sandbox.command(&args);
    command.env("MY_PROJECT", sandbox.root()).stdin(Stdio::null());
    let said = command_output(command.output().unwrap());
    assert_eq!(fs::read_to_string(sandbox.path("root/server.py")).unwrap(), "", "{}", said.out);
}

#[test]
fn server_gets_proxy_variables_and_password_stays_hidden() {
    let sandbox = Sandbox::new();
    let table = format!("[mcp.test]\ncommand = [{:?}]\n", program());
    let proxy = "http://ann:canary-of-the-proxy@127.0.0.1:9";
    for name in ["HTTPS_PROXY", "http_proxy", "NO_PROXY"] {
        let said = variable(&sandbox, name, &table, &[(name, proxy)]);
        assert!(results(&said)[0].ends_with(&format!(" {}", proxy.len())), "{name}: {}", said.out);
        if name != "NO_PROXY" {
            assert!(!said.out.contains("canary"), "{}", said.out);
        }
    }
}
