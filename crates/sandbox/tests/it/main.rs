//! Real commands in real sandboxes: with namespaces if they work here, and without.

mod agent_death;
mod doors;
mod environment;
mod exchanges;
mod files;
mod git_attacks;
mod git_data;
mod git_reading;
mod late_sockets;
mod left_running;
mod levels;
mod limits;
mod links;
mod many_names;
mod network;
mod outside_sockets;
mod programs;
mod protected;
mod protected_names;
mod read_only;
mod rounds;
mod secret_files;
mod shared_network;
mod shared_state;
mod trees;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::thread;

use silcrow_sandbox::{
    ConfinedCommand, ConfinedProcess, ProcessOutcome, Sandbox, SandboxLayers, SandboxOptions,
};
use tempfile::TempDir;

/// The program whose `main` is a helper's.
const HELPER: &str = env!("CARGO_BIN_EXE_silcrow-sandbox-helper");

const WITHOUT_NAMESPACES: SandboxLayers = SandboxLayers { namespaces: false, ..SandboxLayers::ALL };

/// Runs git outside of a sandbox, as a person does, and returns its output.
fn git(folder: impl AsRef<Path>, words: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"]);
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "Ann");
        command.env(format!("GIT_{name}_EMAIL"), "ann@example.org");
    }
    let done = command.args(words).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{words:?}: {done:?}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// A folder with sandboxes around it.
struct Place {
    folder: TempDir,
}

/// The result of a command.
#[derive(Debug)]
struct Done {
    stdout: String,
    stderr: String,
    outcome: ProcessOutcome,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn options(&self) -> SandboxOptions {
        SandboxOptions::new(self.folder.path()).with_helper(HELPER)
    }

    /// Returns the sandboxes to try: the best one, and one without namespaces.
    fn sandboxes(&self) -> Vec<Sandbox> {
        self.sandboxes_with(|options| options)
    }

    fn sandboxes_with(&self, with: impl Fn(SandboxOptions) -> SandboxOptions) -> Vec<Sandbox> {
        let all = [SandboxLayers::ALL, WITHOUT_NAMESPACES];
        let sandboxes = all.map(|layers| with(self.options()).with_layers(layers));
        let sandboxes: Vec<_> =
            sandboxes.into_iter().map(|options| Sandbox::new(options).unwrap()).collect();
        if !sandboxes[0].layers().namespaces {
            say("namespaces do not work on this machine, and are not tested");
        }
        sandboxes
    }
}

/// Writes a line for a person who runs the tests with `--no-capture`.
#[expect(clippy::print_stderr, reason = "it is for a person, beside the results of the tests")]
fn say(words: &str) {
    eprintln!("{words}");
}

fn run(sandbox: &Sandbox, script: &str) -> Done {
    finish(sandbox.spawn(&ConfinedCommand::shell(script)).unwrap())
}

/// Reads all output of a command and waits for its end.
fn finish(process: ConfinedProcess) -> Done {
    let ConfinedProcess { mut stdout, mut stderr, guard, end } = process;
    let errors = thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let mut text = String::new();
    stdout.read_to_string(&mut text).unwrap();
    let stderr = errors.join().unwrap().unwrap();
    let outcome = end.wait().unwrap();
    drop(guard);
    Done { stdout: text, stderr, outcome }
}

/// Returns the ids of the processes that have a word in their command line.
fn processes_with(word: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let lines = entries.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        Some((entry.path(), String::from_utf8_lossy(&line).replace('\0', " ")))
    });
    let found = lines.filter(|(_, line)| line.contains(word));
    found.map(|(path, line)| format!("{} {line}", path.display())).collect()
}

/// Returns the parent of a process; 0 if the process has ended.
fn parent(process: i32) -> i32 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:\t"));
    line.map_or(0, |line| line.parse().unwrap())
}

fn write(path: impl AsRef<Path>, text: &str) {
    std::fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
