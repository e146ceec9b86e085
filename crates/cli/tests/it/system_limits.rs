//! A system that allows the command few open files and few threads.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::{Command, Stdio};

use crate::support::{CommandOutput, Sandbox, command_output};

const COMMANDS: [&[&str]; 9] = [
    &["log"],
    &["log", "show", "c1"],
    &["log", "verify"],
    &["log", "search", "whales"],
    &["log", "report", "c1"],
    &["undo", "c1"],
    &["tool", "file_list", "{\"path\":\".\"}"],
    &["doctor", "--offline"],
    &["run", "more", "--model", "MODEL", "--conversation", "c1"],
];

fn with_a_conversation() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let call = r#"§call: {"name":"file_list","args":{"path":"."}}"#;
    let script = format!("{call}\n§execute\n%%\n§respond: yes\n§end");
    let model = format!("script:{}", sandbox.write("script", &script));
    sandbox.silcrow(&["run", "whales", "--model", &model, "--new", "c1"]).ends(0);
    (sandbox, model)
}

/// Runs a command after `ulimit` in a shell, as another user if one is given.
fn limited(sandbox: &Sandbox, limit: &str, args: &[&str], user: Option<u32>) -> CommandOutput {
    let command = sandbox.command(args);
    let mut shell = Command::new(if user.is_some() { "setpriv" } else { "sh" });
    if let Some(user) = user {
        shell.args(["--reuid", &user.to_string(), "--clear-groups", "sh"]);
    }
    shell.args(["-c", &format!("{limit}; exec \"$@\""), "sh"]);
    shell.arg(command.get_program()).args(command.get_args());
    shell.current_dir(sandbox.root());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    command_output(shell.stdin(Stdio::null()).output().unwrap())
}

fn named<'a>(args: &[&'a str], model: &'a str) -> Vec<&'a str> {
    args.iter().map(|arg| if *arg == "MODEL" { model } else { arg }).collect()
}

#[test]
fn low_open_file_limit_is_explained() {
    let (sandbox, model) = with_a_conversation();
    for files in [4, 6, 8, 9, 16, 31] {
        for args in COMMANDS {
            let said = limited(&sandbox, &format!("ulimit -n {files}"), &named(args, &model), None);
            let wanted = format!("this process may have only {files} files open, and needs 32");
            assert_eq!(said.code, Some(1), "{args:?} with {files}: {}", said.err);
            assert!(said.err.contains(&wanted), "{args:?} with {files}: {}", said.err);
            assert!(said.err.contains("`ulimit -n 1024`"), "{}", said.err);
        }
    }
    for args in COMMANDS.iter().filter(|args| args[0] != "doctor") {
        // Only the lower of the two limits is few files; and with as many as are needed it works.
        for limit in ["ulimit -S -n 8", "ulimit -n 32"] {
            limited(&sandbox, limit, &named(args, &model), None).ends(0);
        }
    }
}

/// The kernel counts the threads of a user who is not root.
#[test]
fn low_thread_limit_is_explained() {
    let (sandbox, model) = with_a_conversation();
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let folder = sandbox.path("");
    let silcrow = folder.join("silcrow");
    fs::copy(env!("CARGO_BIN_EXE_silcrow"), &silcrow).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let mut works = 0;
    // A server that has its threads ends because another program has its address.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let serve: &[&str] = &["serve", "--listen", &address, "--model", "MODEL"];
    for threads in 1..=6_u32 {
        let user = 72_000 + threads;
        let given = Command::new("chown").args(["-R", &user.to_string()]).arg(&folder).status();
        assert!(given.unwrap().success());
        for args in COMMANDS.iter().copied().chain([serve]) {
            let limit =
                format!("ulimit -u {threads}; shift; set -- '{}' \"$@\"", silcrow.display());
            let said = limited(&sandbox, &limit, &named(args, &model), Some(user));
            let (code, err) = (said.code, &said.err);
            assert!(!err.contains("panicked"), "{args:?} with {threads}: {err}");
            let is_told = err.contains("the system has no") && err.contains("thread");
            let ends_well = code == Some(0) || args == serve || args[0] == "doctor";
            assert!(is_told || ends_well, "{args:?} with {threads}: {code:?} {err}");
            works += u32::from(code == Some(0));
        }
    }
    assert!(works >= 9, "with six threads most of it works: {works}");
}
