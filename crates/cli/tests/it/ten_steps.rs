//! Ten steps of ordinary work, from reading a file to a commit, with every wall and in every mode.
//!
//! A scripted model works in a real repository, from a subfolder and in a linked worktree, with real
//! programs: Python's tests, a server that it starts, `pip` and a registry on this machine, and git.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::approve::yes_to_all;
use crate::support::Sandbox;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Walls {
    Namespaces,
    LandlockOnly,
    Off,
}

/// A registry of packages on this machine, outside of every sandbox.
struct Registry {
    server: Child,
    port: u16,
}

impl Registry {
    fn start(folder: &Path) -> Self {
        let index = folder.join("simple/stork");
        fs::create_dir_all(&index).unwrap();
        run_in(&index, MAKE_WHEEL);
        let mut server = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let port = said.split("port ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        Self { server, port }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Makes a repository with a failing test. Returns the folder that the agent works in.
fn repository(sandbox: &Sandbox, in_worktree: bool) -> PathBuf {
    let root = sandbox.root();
    run_in(&root, MAKE_REPOSITORY);
    let folder = if in_worktree { sandbox.path("side/app") } else { root.join("app") };
    if in_worktree {
        run_in(&root, "git worktree add -q ../side -b side");
    }
    // Without namespaces a command makes no new folder beside files that are protected.
    fs::create_dir(folder.join("vendor")).unwrap();
    folder
}

fn run_in(folder: &Path, script: &str) -> String {
    let done = Command::new("bash").args(["-ec", script]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

fn steps(registry: u16, served: u16, walls: Walls) -> String {
    // Without namespaces no command has a socket that it does not ask for.
    let (serve, fetch) = match walls {
        Walls::LandlockOnly => (json!({"local": [served]}), json!({"local": [served]})),
        Walls::Namespaces | Walls::Off => (json!({}), json!({})),
    };
    // The program on the path may be a script that writes beside itself.
    let python = run_in(Path::new("/"), "python3 -c 'import sys; print(sys.executable)'");
    let install = format!(
        "{} -m pip install --quiet --disable-pip-version-check --no-cache-dir --target vendor \
         --index-url http://127.0.0.1:{registry}/simple/ stork",
        python.trim()
    );
    let shell = |args: Value| json!({"name": "shell", "args": args});
    let calls = [
        json!({"name": "file_read", "args": {"file": "sums.py"}}),
        shell(json!({"command": "python3 -m unittest"})),
        json!({"name": "file_edit",
            "args": {"file": "sums.py", "edits": [{"old": "a - b", "new": "sum((a, b))"}]}}),
        shell(json!({"command": "python3 -m unittest -v"})),
        shell(json!({"command": format!("python3 -u -m http.server {served} --bind 127.0.0.1"),
            "background": true, "needs": serve})),
        shell(json!({"command": format!(
            "curl -sS --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:{served}/sums.py"
        ), "needs": fetch})),
        shell(json!({"command": install, "needs": {"local": [registry]}})),
        shell(json!({"command": "PYTHONPATH=vendor python3 -c 'import stork; print(stork.NAME)'"})),
        shell(json!({"command": "git status --short"})),
        shell(json!({"command": "git add sums.py && git commit -qm 'Sum instead of subtracting'"})),
    ];
    let calls = calls.iter().map(|call| format!("§call: {call}\n§execute\n%%\n"));
    calls.collect::<String>() + "§respond: Done.\n§end"
}

#[test]
fn ten_steps_commit_with_namespaces() {
    in_every_mode(Walls::Namespaces);
}

#[test]
fn ten_steps_commit_with_landlock_only() {
    in_every_mode(Walls::LandlockOnly);
}

#[test]
fn ten_steps_commit_without_a_sandbox() {
    in_every_mode(Walls::Off);
}

fn in_every_mode(walls: Walls) {
    for (mode, in_worktree) in [("ask", true), ("workspace", false), ("full", true)] {
        work(walls, mode, in_worktree);
    }
}

fn work(walls: Walls, mode: &str, in_worktree: bool) {
    let what = format!("{walls:?}, {mode}, in a linked worktree: {in_worktree}");
    let sandbox = Sandbox::new();
    let registry = Registry::start(&sandbox.path("registry"));
    let folder = repository(&sandbox, in_worktree);
    let script = sandbox.write("script", &steps(registry.port, free_port(), walls));
    let model = format!("script:{script}");
    let mut words = vec!["run", "go", "--new", "ten", "--model", &*model, "--permissions", mode];
    if walls == Walls::Off {
        words.extend(["--sandbox", "off"]);
    }
    let mut command = sandbox.command(&words);
    command.current_dir(&folder);
    if walls == Walls::LandlockOnly {
        command = without_namespaces(&command);
    }
    let (shown, code, questions) = yes_to_all(&command);
    let level = match walls {
        Walls::Namespaces => "sandbox: files and network",
        Walls::LandlockOnly => "sandbox: file contents and network",
        Walls::Off => "sandbox: off",
    };
    if !shown.contains(level) {
        // This machine does not have these walls.
        return;
    }
    assert_eq!(code, Some(0), "{what}: {shown}");
    let log = sandbox.silcrow(&["log", "--json", "show", "ten"]);
    let results: Vec<Value> =
        log.events().into_iter().filter(|event| event["type"] == "result").collect();
    assert_eq!(results.len(), 10, "{what}: {shown}");
    for (number, result) in results.iter().enumerate() {
        // The first run of the tests fails, because the fault is there.
        let wanted = if number == 1 { "failure" } else { "success" };
        assert_eq!(result["payload"]["status"], wanted, "{what}: step {number}: {result}");
    }
    assert!(results[5].to_string().contains("sum((a, b))"), "{what}: {}", results[5]);
    assert!(results[7].to_string().contains("PELICAN"), "{what}: {}", results[7]);
    assert_eq!(run_in(&folder, "git log -1 --format=%s"), "Sum instead of subtracting\n", "{what}");
    assert_eq!(
        run_in(&folder, "git show --stat --format= HEAD | head -1 | cut -d'|' -f1 | tr -d ' '"),
        "app/sums.py\n"
    );
    let expected = match (mode, walls) {
        // Without a sandbox each command is asked about, and looking at the status is one.
        ("ask", Walls::Off) => 9,
        ("ask", _) | ("workspace", Walls::Off) => 8,
        // The doors: a port of this machine, and git's data.
        ("workspace", Walls::Namespaces) => 2,
        // Also the server's port, for the server and for the command that fetches from it.
        ("workspace", Walls::LandlockOnly) => 4,
        _ => 0,
    };
    assert!(questions <= expected, "{what}: {questions} questions: {shown}");
}

/// Returns a command that finds no namespaces when it starts, as in most containers.
fn without_namespaces(command: &Command) -> Command {
    let mut outer = Command::new("unshare");
    let line = "for kind in pid net ipc mnt user; do echo 0 > /proc/sys/user/max_${kind}_namespaces; \
                done; exec \"$0\" \"$@\"";
    outer.args(["--user", "--map-root-user", "--mount", "bash", "-c", line]);
    outer.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    outer.current_dir(command.get_current_dir().unwrap());
    outer
}

/// Returns a port that nobody listens at.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

const MAKE_REPOSITORY: &str = r#"
git init -q . && git config user.email ann@example.org && git config user.name Ann
mkdir app && cd app
printf 'def add(a, b):\n    return a - b\n' > sums.py
printf 'import unittest\nfrom sums import add\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n' > test_sums.py
printf '__pycache__\nvendor\n' > .gitignore
git add . && git commit -qm 'Begin'
"#;

const MAKE_WHEEL: &str = r#"
python3 - <<'P'
import zipfile
with zipfile.ZipFile('stork-1.0-py3-none-any.whl', 'w') as z:
    z.writestr('stork/__init__.py', 'NAME = "PELICAN"\n')
    z.writestr('stork-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: stork\nVersion: 1.0\n')
    z.writestr('stork-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    z.writestr('stork-1.0.dist-info/RECORD', '')
P
"#;
