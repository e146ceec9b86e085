//! The tools, called as the runner calls them, on real folders.

mod approved;
mod commands;
mod commands_kept;
mod commands_laws;
mod described;
mod documents;
mod edit;
mod edit_refused;
mod encodings;
mod hostile;
mod known;
mod list;
mod list_tree;
mod lookalikes;
mod memory;
mod mounts;
mod owner;
mod paths;
mod pictures;
#[cfg(target_os = "linux")]
mod power;
mod preview_diff;
mod protected;
mod race;
mod read;
mod read_lines;
mod replace;
mod root;
mod run_difference;
mod same_file;
mod search;
mod search_options;
mod special;
mod undo;
mod undo_bounds;
mod undo_laws;
mod write;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::{env, fs};

use serde_json::json;
use silcrow_tool::{
    ApprovalNeed, BasicValidator, CallContext, CancellationToken, Preview, Scope, Tool, ToolArgs,
    ToolError, ToolOutput, Validator as _,
};
use silcrow_tools::{FileEdit, FileList, FileRead, FileReplace, FileSearch, FileWrite, Root};
use tempfile::TempDir;

/// A folder with the root in it, and files beside the root that no tool may see.
struct Place {
    outer: TempDir,
    root: Root,
}

impl Place {
    fn new() -> Self {
        let outer = TempDir::with_prefix("silcrow-tools-").unwrap();
        fs::create_dir(outer.path().join("root")).unwrap();
        fs::write(outer.path().join("secret.txt"), "SECRET").unwrap();
        let root = Root::open(outer.path().join("root")).unwrap();
        Self { outer, root }
    }

    /// The root's path on the host.
    fn path(&self) -> PathBuf {
        self.outer.path().join("root")
    }

    /// Puts a file into the root, with the folders above it.
    fn put(&self, file: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn get(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }

    fn link(&self, to: impl AsRef<Path>, link: &str) -> &Self {
        std::os::unix::fs::symlink(to, self.path().join(link)).unwrap();
        self
    }

    async fn list(&self, path: &str) -> Result<ToolOutput, ToolError> {
        call(&FileList::new(&self.root), &json!({"path": path}).to_string()).await
    }

    async fn read(&self, file: &str) -> Result<ToolOutput, ToolError> {
        call(&FileRead::new(&self.root), &json!({"file": file}).to_string()).await
    }

    async fn search(&self, query: &str, path: &str) -> Result<ToolOutput, ToolError> {
        let args = json!({"query": query, "path": path}).to_string();
        call(&FileSearch::new(&self.root), &args).await
    }

    /// Writes a file, which is read first so that it may be replaced.
    async fn write(&self, file: &str, content: &str) -> Result<ToolOutput, ToolError> {
        drop(self.read(file).await);
        self.write_unread(file, content).await
    }

    async fn write_unread(&self, file: &str, content: &str) -> Result<ToolOutput, ToolError> {
        let args = json!({"file": file, "content": content}).to_string();
        call(&FileWrite::new(&self.root), &args).await
    }
}

/// Calls a tool as a runner does, with a person who says yes to everything.
async fn call_approved(tool: &dyn Tool, args: &str) -> Result<ToolOutput, ToolError> {
    let context = CallContext::new("c", "a1");
    let preview = tool.preview(ToolArgs::new(args), &context).await?;
    tool.call(ToolArgs::new(args), &context.with_approved(Some(preview))).await
}

/// Returns the tool that writes, after the conversation has read a file.
async fn writer_that_read(root: &Root, file: &str) -> FileWrite {
    drop(call(&FileRead::new(root), &json!({"file": file}).to_string()).await);
    FileWrite::new(root)
}

/// Returns the preview of a call.
async fn preview_of(tool: &dyn Tool, args: &str) -> Result<Preview, ToolError> {
    tool.preview(ToolArgs::new(args), &CallContext::new("c", "a1")).await
}

/// Returns the text of lines without their numbers.
fn unnumbered(text: &str) -> String {
    let lines = text.split('\n').map(|line| line.split_once('\t').map_or(line, |(_, rest)| rest));
    lines.collect::<Vec<_>>().join("\n")
}

async fn call(tool: &dyn Tool, args: &str) -> Result<ToolOutput, ToolError> {
    call_with(tool, args, CancellationToken::new()).await
}

async fn call_with(
    tool: &dyn Tool,
    args: &str,
    cancel: CancellationToken,
) -> Result<ToolOutput, ToolError> {
    let context = CallContext::new(Scope::new("c").with_cancellation(cancel), "a1");
    tool.call(ToolArgs::new(args), &context).await
}

fn content(output: Result<ToolOutput, ToolError>) -> String {
    output.unwrap().content.into_text()
}

fn why(output: Result<ToolOutput, ToolError>) -> String {
    output.unwrap_err().to_string()
}

/// Runs one of the ignored tests in a separate process, after a shell has printed something.
fn apart(test: &str, place: &Place, prelude: &str) -> ExitStatus {
    let script = format!("ulimit -c 0; {prelude} exec \"$0\" \"$@\"");
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).arg(env::current_exe().unwrap());
    run_ignored(shell, test, place)
}

/// Adds an ignored test's name to a command that ends with a program of tests, and runs it.
fn run_ignored(mut command: Command, test: &str, place: &Place) -> ExitStatus {
    command.args(["--ignored", "--exact", test]).env("SILCROW_ROOT", place.path());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("running 1 test"), "{command:?}: {told}");
    output.status
}

/// The place of the process above.
fn given() -> PathBuf {
    env::var_os("SILCROW_ROOT").unwrap().into()
}

/// Returns the peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn tools(root: &Root) -> [Box<dyn Tool>; 6] {
    [
        Box::new(FileEdit::new(root)),
        Box::new(FileList::new(root)),
        Box::new(FileRead::new(root)),
        Box::new(FileReplace::new(root)),
        Box::new(FileSearch::new(root)),
        Box::new(FileWrite::new(root)),
    ]
}

#[tokio::test]
async fn wrong_arguments_are_refused_by_name() {
    let place = Place::new();
    let full = json!({
        "file": "x", "content": "y", "query": "q", "path": ".", "offset": 1, "limit": 1, "column": 1,
        "numbers": true,
        "edits": [{"old": "a", "new": "b"}], "find": "a", "replace": "b", "files": ["x"],
        "regex": false, "dry_run": true, "case": "smart", "context": 1, "depth": 2, "ignored": true,
        "encoding": "utf-8", "pages": "1-5", "pictures": true, "region": [0, 0, 9, 9],
    });
    for tool in tools(&place.root) {
        let schema: serde_json::Value = serde_json::from_str(tool.schema()).unwrap();
        let known = schema["properties"].as_object().unwrap();
        let mut args = serde_json::Map::new();
        for name in known.keys() {
            args.insert(name.clone(), full[name].clone());
        }
        let refused = async |args: &serde_json::Map<_, _>, named: &str| {
            let args = serde_json::to_string(args).unwrap();
            let named = format!("`{named}`");
            let why = why(call(&*tool, &args).await);
            assert!(why.starts_with("the arguments do not fit: ") && why.contains(&named), "{why}");
            let why = BasicValidator.check(tool.schema(), &args).unwrap_err().to_string();
            assert!(why.contains(&named), "{why}");
        };
        BasicValidator.check(tool.schema(), &serde_json::to_string(&args).unwrap()).unwrap();
        let mut more = args.clone();
        more.insert("mode".into(), json!("rw"));
        refused(&more, "mode").await;
        for name in schema["required"].as_array().into_iter().flatten() {
            let name = name.as_str().unwrap();
            let mut less = args.clone();
            less.remove(name);
            refused(&less, name).await;
        }
    }
}

#[test]
fn only_writing_asks_and_changes_something() {
    let place = Place::new();
    for tool in tools(&place.root) {
        let (writes, approval) = match tool.name() {
            "file_edit" | "file_replace" | "file_write" => (true, ApprovalNeed::Always),
            "file_read" => (false, ApprovalNeed::IfRisky),
            _ => (false, ApprovalNeed::Never),
        };
        assert_eq!(tool.policy().approval, approval, "{}", tool.name());
        assert_eq!(tool.policy().read_only, !writes, "{}", tool.name());
    }
}
