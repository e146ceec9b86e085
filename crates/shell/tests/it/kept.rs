//! Commands of the tool whose changes are shown and undone, at each level of the sandbox.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use silcrow_sandbox::Sandbox;
use silcrow_shell::{SandboxOptions, Shell};
use silcrow_tool::{CallAccess, CallContext, Preview, Scope, Tool as _, ToolArgs};
use silcrow_tools::{ChangeJournal, FileEdit, Root, UndoRequest};
use tempfile::TempDir;

use super::call;

/// A folder with files, a shell in it, and a journal outside.
struct Kept {
    folder: TempDir,
    root: Root,
    journal: ChangeJournal,
    shell: Shell,
}

impl Kept {
    fn new(make: impl FnOnce(SandboxOptions) -> Shell) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("root");
        fs::create_dir_all(path.join("src/deep")).unwrap();
        for (file, content) in
            [("src/a.rs", "one\n"), ("src/deep/b.rs", "two\n"), ("run.sh", "#!\n")]
        {
            fs::write(path.join(file), content).unwrap();
        }
        fs::set_permissions(path.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let root = Root::open(&path).unwrap();
        let journal = ChangeJournal::new(folder.path().join("changes"));
        let helper = env!("CARGO_BIN_EXE_silcrow-shell-helper");
        let options = SandboxOptions::new(&path).with_helper(helper);
        let shell = make(options).with_keeper(Arc::new(journal.keeper(&root)));
        Self { folder, root, journal, shell }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// The context of a call that was approved with the doors that it needs, as without a sandbox.
    async fn context(&self, command: &str) -> CallContext {
        let args = json!({ "command": command }).to_string();
        let context = CallContext::new(Scope::new("c").with_turn(1), "1");
        let preview: Preview = self.shell.preview(ToolArgs::new(&args), &context).await.unwrap();
        let grants = preview.needs.clone();
        context.with_approved(Some(preview)).with_grants(grants)
    }

    /// Runs a command, and returns its changes.
    async fn run(&self, command: &str) -> Vec<String> {
        let context = self.context(command).await;
        let output = call(&self.shell, &context, json!({ "command": command })).await.unwrap();
        assert!(!output.has_failed, "{command}: {output:?}");
        output.changes.iter().map(silcrow_tool::FileDelta::short).collect()
    }

    fn undo(&self) {
        let report = self.journal.undo(&self.root, &UndoRequest::new("c")).unwrap();
        assert_eq!(report.refusals, []);
    }

    fn tree(&self) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
        fn add(folder: &Path, tree: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
                tree.insert(path.clone(), (mode, fs::read(&path).unwrap_or_default()));
                if path.is_dir() && !path.is_symlink() {
                    add(&path, tree);
                }
            }
        }
        let mut tree = BTreeMap::new();
        add(&self.path(), &mut tree);
        tree
    }
}

/// The damage that each command of the list does, and one line of the preview.
const COMMANDS: [(&str, &str); 7] = [
    ("rm -rf src", "src/a.rs removed, −1"),
    ("find . -name '*.rs' -delete", "src/deep/b.rs removed, −1"),
    ("echo other > src/a.rs", "src/a.rs +1 −1"),
    ("truncate -s 0 run.sh", "run.sh +0 −1"),
    ("mv src/a.rs c.rs", "c.rs created, +1"),
    ("chmod 600 run.sh; ln -s run.sh link", "run.sh changed"),
    ("mkdir -p x/y; echo 1 > x/y/z", "x/y/z created, +1"),
];

#[tokio::test]
async fn command_changes_are_shown_and_undone() {
    let levels: [fn(SandboxOptions) -> Shell; 2] = [
        |options| Shell::open(options).unwrap(),
        |options| Shell::new(Sandbox::unconfined(options).unwrap()),
    ];
    for level in levels {
        let kept = Kept::new(level);
        let before = kept.tree();
        for (command, line) in COMMANDS {
            let lines = kept.run(command).await;
            assert!(lines.iter().any(|one| one == line), "{command}: {lines:?}");
            kept.undo();
            assert_eq!(kept.tree(), before, "{command}");
        }
    }
}

#[tokio::test]
async fn mixed_edits_and_commands_are_undone() {
    let kept = Kept::new(|options| Shell::open(options).unwrap());
    let before = kept.tree();
    let edit = FileEdit::new(&kept.root).with_journal(&kept.journal);
    kept.run("echo three >> src/a.rs").await;
    let args = json!({"file": "src/a.rs", "edits": [{"old": "three", "new": "four"}]});
    call(&edit, &CallContext::new(Scope::new("c").with_turn(1), "2"), args).await.unwrap();
    kept.run("mv src lib && rm run.sh").await;
    assert_eq!(fs::read_to_string(kept.path().join("lib/a.rs")).unwrap(), "one\nfour\n");
    kept.undo();
    assert_eq!(kept.tree(), before);
}

#[tokio::test]
async fn read_only_command_needs_no_snapshot() {
    let kept = Kept::new(|options| Shell::open(options).unwrap());
    if !kept.shell.sandbox().can_enforce_read_only() {
        return;
    }
    let context = CallContext::new(Scope::new("c"), "1").with_access(CallAccess::ReadOnly);
    call(&kept.shell, &context, json!({"command": "cat src/a.rs"})).await.unwrap();
    assert!(!kept.folder.path().join("changes").exists());
}

#[tokio::test]
async fn background_command_shows_changes_after_end() {
    let kept = Kept::new(|options| Shell::open(options).unwrap());
    let command = "rm run.sh; echo done";
    let context = kept.context(command).await;
    let args = json!({ "command": command, "background": true });
    call(&kept.shell, &context, args).await.unwrap();
    let processes = kept.shell.processes();
    let read = json!({"action": "output", "id": "p1", "wait": 60});
    let mut changes = Vec::new();
    while changes.is_empty() {
        changes = call(&processes, &context, read.clone()).await.unwrap().changes;
    }
    assert_eq!(changes[0].short(), "run.sh removed, −1");
    kept.undo();
    assert!(kept.path().join("run.sh").exists());
}

#[tokio::test]
async fn question_names_only_irreversible_effects() {
    let kept = Kept::new(|options| Shell::open(options).unwrap());
    let effect = kept.context("rm -rf src").await.approved().unwrap().effect.clone().unwrap();
    let is_confined = kept.shell.failure().is_none();
    assert_eq!(is_confined, effect.ends_with(" s"), "{effect}");
    let outside = effect.contains("outside of the folder cannot be undone");
    assert_eq!(!is_confined, outside, "{effect}");
}
