use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder for runs, with a root for the tools and a folder for the store.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// The output of a process and its exit code.
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        // Runs ask about calls that change something, regardless of the sandboxes of this machine.
        let config = folder.path().join("config/silcrow");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("policy.toml"), "mode = \"ask\"\n").unwrap();
        Self { folder }
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Returns the command in the root, without variables of this machine that would change its
    /// output.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_silcrow"));
        command
            .args(args)
            .current_dir(self.root())
            .env("XDG_DATA_HOME", self.path("data"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            // A server of a test gets only the requests that the test is about.
            .env("SILCROW_ASK_WINDOW", "0")
            .env_remove("SILCROW_MODEL")
            .env_remove("SILCROW_USER")
            .env_remove("SILCROW_PROFILE")
            .env_remove("SILCROW_SEARCH")
            .env_remove("SILCROW_PRICES")
            .env_remove("SILCROW_RECORD")
            .env_remove("SILCROW_COMPATIBLE_KEY")
            .env_remove("SILCROW_COMPATIBLE_KEY_FILE")
            .env_remove("SILCROW_COMPATIBLE_KEY_COMMAND")
            .env_remove("SILCROW_ALLOW_PLAIN_HTTP")
            .env_remove("AZURE_OPENAI_ENDPOINT")
            .env_remove("OPENAI_API_VERSION")
            .env_remove("OPENAI_ORG_ID")
            .env_remove("OPENAI_PROJECT_ID")
            .env_remove("ANTHROPIC_VERSION");
        for name in ["TRACEPARENT", "SILCROW_LOG", "SILCROW_LOG_FILE"] {
            command.env_remove(name);
        }
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"OTEL_") {
                command.env_remove(name);
            }
        }
        for name in ["CONNECT", "FIRST", "ALIVE", "IDLE", "WHOLE"] {
            command.env_remove(format!("SILCROW_TIMEOUT_{name}"));
        }
        for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            command.env_remove(name).env_remove(name.to_uppercase());
        }
        for name in ["REQUESTS", "TOKENS"] {
            command.env_remove(format!("SILCROW_{name}_PER_MINUTE"));
        }
        for vendor in ["ANTHROPIC", "AZURE_OPENAI", "GEMINI", "OPENAI", "SILCROW_COMPATIBLE"] {
            for name in
                ["API_KEY", "API_KEY_FILE", "API_KEY_COMMAND", "BASE_URL", "HEADERS", "BODY"]
            {
                command.env_remove(format!("{vendor}_{name}"));
            }
        }
        command
    }

    /// Returns the flag of `run` that names a conversation, which is there already or begins.
    pub(crate) fn flag_of(&self, conversation: &str) -> &'static str {
        let shown = self.silcrow(&["log", "--json", "show", conversation]);
        if shown.code == Some(2) { "--new" } else { "--conversation" }
    }

    /// Starts the binary; the test reads its output.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let mut command = self.command(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    pub(crate) fn silcrow(&self, args: &[&str]) -> CommandOutput {
        command_output(self.command(args).stdin(Stdio::null()).output().unwrap())
    }

    /// Trusts a manifest, as a person who has read it would.
    #[track_caller]
    pub(crate) fn trust(&self, manifest: &str) {
        self.silcrow(&["manifest", "trust", manifest]).ends(0);
    }

    pub(crate) fn silcrow_with(&self, args: &[&str], input: &[u8]) -> CommandOutput {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let writer = std::thread::spawn(move || {
            // A process that rejects its arguments reads nothing.
            let _ = stdin.write_all(&input);
        });
        let said = command_output(child.wait_with_output().unwrap());
        writer.join().unwrap();
        said
    }
}

pub(crate) fn command_output(output: Output) -> CommandOutput {
    CommandOutput {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl CommandOutput {
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        self.out.lines().map(parse).collect()
    }

    /// Returns the types of the events, without the starts of calls, whose places depend on other
    /// calls.
    #[track_caller]
    pub(crate) fn types(&self) -> Vec<String> {
        let events = self.events();
        let types = events.iter().map(|event| event["type"].as_str().unwrap());
        types.filter(|name| *name != "started").map(str::to_owned).collect()
    }

    #[track_caller]
    pub(crate) fn ends(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }
}

pub(crate) fn file(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
