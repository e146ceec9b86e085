//! Commands that change files, with real processes, and undos that bring the files back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use silcrow_tool::{CallContext, ChangeKeeper as _, FileDelta, KeptBefore, Scope};
use silcrow_tools::{CommandKeeper, UndoReport, UndoRequest};
use tokio::runtime::Builder;

use crate::undo::Journaled;

/// The visible data of an entry: its kind, its permissions, and its content or target.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    File(u32, Vec<u8>),
    Folder(u32),
    Link(PathBuf),
    Other,
}

/// All entries below a folder.
pub(crate) type Tree = BTreeMap<PathBuf, String>;

/// Returns all entries below a folder.
pub(crate) fn tree(top: &Path) -> Tree {
    fn add(top: &Path, folder: &Path, tree: &mut Tree) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.mode() & 0o7777;
            let seen = match metadata.file_type() {
                kind if kind.is_file() => Seen::File(mode, fs::read(&path).unwrap()),
                kind if kind.is_dir() => Seen::Folder(mode),
                kind if kind.is_symlink() => Seen::Link(fs::read_link(&path).unwrap()),
                _ => Seen::Other,
            };
            tree.insert(path.strip_prefix(top).unwrap().to_owned(), format!("{seen:?}"));
            if metadata.is_dir() {
                add(top, &path, tree);
            }
        }
    }
    let mut tree = Tree::new();
    add(top, top, &mut tree);
    tree
}

/// A root, and the keeper of its files.
pub(crate) struct Commands {
    pub(crate) it: Journaled,
    keeper: CommandKeeper,
}

impl Commands {
    pub(crate) fn new() -> Self {
        let it = Journaled::new();
        let keeper = it.journal.keeper(&it.place.root);
        Self { it, keeper }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.it.place.path()
    }

    pub(crate) fn put(&self, file: &str, content: impl AsRef<[u8]>) -> &Self {
        self.it.place.put(file, content);
        self
    }

    pub(crate) fn begin(&self, conversation: &str, turn: u32) -> Box<dyn KeptBefore> {
        let context = CallContext::new(Scope::new(conversation).with_turn(turn), "s1");
        wait(self.keeper.before(&context)).unwrap()
    }

    /// Runs a command as a call of turn 1 of the conversation `c`, and returns its changes.
    pub(crate) fn run(&self, command: &str) -> Vec<FileDelta> {
        self.run_in("c", 1, command)
    }

    pub(crate) fn run_in(&self, conversation: &str, turn: u32, command: &str) -> Vec<FileDelta> {
        let kept = self.begin(conversation, turn);
        self.sh(command);
        let outcome = wait(kept.after());
        assert_eq!(outcome.notices, [""; 0]);
        outcome.changes
    }

    /// Runs a command that nothing looks at, as a person does.
    pub(crate) fn sh(&self, command: &str) {
        let mut sh = Command::new("sh");
        let ran = sh.args(["-c", command]).current_dir(self.path()).output().unwrap();
        assert!(ran.status.success(), "{command}: {ran:?}");
    }

    pub(crate) fn undo(&self) -> UndoReport {
        self.it.undo(&UndoRequest::new("c"))
    }

    pub(crate) fn redo(&self) -> UndoReport {
        self.it.undo(&UndoRequest::redo("c"))
    }
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    Builder::new_current_thread().build().unwrap().block_on(future)
}

fn short(changes: &[FileDelta]) -> Vec<String> {
    changes.iter().map(FileDelta::short).collect()
}

/// A tree with everything that a command may meet.
pub(crate) fn project() -> Commands {
    let commands = Commands::new();
    commands.put("src/a.rs", "one\ntwo\n").put("src/deep/b.rs", "b\n").put("run.sh", "#!/bin/sh\n");
    commands.put("logo.bin", [0, 159, 146, 150]).put(".gitignore", "*.log\nbuild/\n");
    commands.put("build/out", "generated").put("x.log", "log").put("empty", "");
    let path = commands.path();
    fs::create_dir(path.join("hollow")).unwrap();
    symlink("src/a.rs", path.join("link")).unwrap();
    symlink("nowhere", path.join("dangling")).unwrap();
    fs::set_permissions(path.join("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    commands.sh("git init -q . && git add -A");
    commands
}

#[test]
fn undo_restores_damage_of_usual_commands() {
    for command in [
        "rm -rf src",
        "rm -rf src run.sh logo.bin link dangling hollow empty .gitignore",
        "find . -name '*.rs' -delete",
        "git rm -rqf --cached . && git clean -fdq",
        "git clean -fdxq && : > src/a.rs",
        "echo other > src/a.rs",
        "truncate -s 3 src/a.rs",
        "mv src/a.rs src/deep/c.rs",
        "mv src lib",
        "chmod 600 run.sh && chmod -R go-rwx src",
        "ln -sf empty link && ln -s src new",
        "rm src/a.rs && ln -s ../run.sh src/a.rs",
        "rm -r src && echo file > src",
        "rm run.sh && mkdir -p run.sh/sub && echo x > run.sh/sub/x",
        "rm -r src && ln -s hollow src && echo x > src/x",
        "mkdir -p new/sub && touch new/sub/x && rmdir hollow",
        "sed -i s/one/1/ src/a.rs && cp logo.bin logo2.bin",
        "printf x >> empty && printf '' > .gitignore",
        "rm .gitignore && mkdir -p src/deep/er && mv empty src/deep/er/",
    ] {
        let commands = project();
        let before = tree(&commands.path());
        let changes = commands.run(command);
        let after = tree(&commands.path());
        assert_ne!(before, after, "{command}");
        assert!(!changes.is_empty(), "{command}");
        let report = commands.undo();
        assert_eq!(report.refusals, [], "{command}");
        let own = |mut tree: Tree| {
            // Neither git's own data nor ignored files are kept.
            tree.retain(|path, _| !path.starts_with(".git") && !path.starts_with("build"));
            tree.remove(Path::new("x.log"));
            tree
        };
        assert_eq!(own(tree(&commands.path())), own(before), "{command}");
        let report = commands.redo();
        assert_eq!(report.refusals, [], "redo of {command}");
        assert_eq!(own(tree(&commands.path())), own(after), "redo of {command}");
    }
}

#[test]
fn a_change_is_one_short_line() {
    let commands = project();
    let changes =
        commands.run("echo three >> src/a.rs; rm logo.bin; mkdir n; echo n > n/n; mkdir e");
    let lines = ["e/ created", "logo.bin removed", "n/n created, +1", "src/a.rs +1 −0"];
    assert_eq!(short(&changes), lines);
    assert_eq!(short(&commands.run("true")), [""; 0]);
    assert_eq!(
        short(&commands.run("chmod +x src/a.rs; touch src/deep/b.rs")),
        ["src/a.rs changed"]
    );
}

#[test]
fn edits_and_commands_are_undone_together() {
    let commands = project();
    let before = tree(&commands.path());
    wait(commands.it.write("c", 1, "src/a.rs", "edited\n"));
    commands.run("echo more >> src/a.rs");
    wait(commands.it.write("c", 2, "src/a.rs", "edited again\n"));
    commands.run_in("c", 2, "mv src/a.rs moved.rs && rm run.sh");
    wait(commands.it.write("c", 2, "moved.rs", "moved\n"));

    let report = commands.it.undo(&UndoRequest::new("c").with_turns(2..=2));
    assert_eq!(report.refusals, []);
    assert_eq!(commands.it.place.get("src/a.rs"), "edited\nmore\n");
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(tree(&commands.path()), before);
}

#[test]
fn later_changes_of_a_person_stay() {
    let commands = project();
    commands.run("rm src/a.rs; echo new > created; echo other > run.sh; mkdir made; touch made/x");
    commands.sh("echo mine > created");
    let report = commands.undo();
    let refused: Vec<_> = report.refusals.iter().map(|it| (&*it.path, &*it.why)).collect();
    assert_eq!(refused, [("created", "it has changed since")]);
    assert_eq!(report.files, []);
    commands.sh("echo new > created; echo mine > made/y");
    let report = commands.undo();
    assert_eq!(report.refusals, []);
    let left: Vec<_> = report.uncovered.iter().map(|it| (&*it.path, &*it.why)).collect();
    assert_eq!(left, [("made", "it stays, because something else is in it")]);
    assert_eq!(commands.it.place.get("made/y"), "mine\n");
    assert!(!commands.path().join("made/x").exists());
    assert_eq!(commands.it.place.get("src/a.rs"), "one\ntwo\n");
}

#[test]
fn persons_changes_are_not_the_commands() {
    let commands = project();
    commands.run("rm run.sh");
    commands.sh("echo mine > src/a.rs; echo mine > own");
    commands.run("echo 1 > empty");
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(commands.it.place.get("src/a.rs"), "mine\n");
    assert_eq!(commands.it.place.get("own"), "mine\n");
    assert_eq!(commands.it.place.get("empty"), "");
}

#[test]
fn edit_during_command_belongs_to_the_edit() {
    let commands = project();
    let kept = commands.begin("c", 1);
    wait(commands.it.write("d", 1, "src/a.rs", "edited\n"));
    commands.sh("rm run.sh");
    assert_eq!(short(&wait(kept.after()).changes), ["run.sh removed, −1"]);
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(commands.it.place.get("src/a.rs"), "edited\n");
    assert!(commands.path().join("run.sh").exists());
    // If both changed a file, the edit is undone, and the rest is named.
    let kept = commands.begin("c", 2);
    commands.sh("echo command > empty");
    wait(commands.it.write("d", 2, "empty", "edited\n"));
    commands.sh("rm run.sh");
    wait(kept.after());
    let report = commands.undo();
    assert_eq!(report.refusals, []);
    assert_eq!(commands.it.place.get("empty"), "edited\n");
}

#[test]
fn background_command_owns_changes_until_next_call() {
    let commands = project();
    let background = commands.begin("c", 1);
    commands.sh("echo background > one");
    let next = commands.begin("c", 2);
    commands.sh("echo next > two");
    assert_eq!(short(&wait(next.after()).changes), ["two created, +1"]);
    commands.sh("echo background > three");
    assert_eq!(short(&wait(background.after()).changes), ["three created, +1"]);
    let report = commands.it.undo(&UndoRequest::new("c").with_turns(2..=2));
    assert_eq!(report.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["two"]);
    let report = commands.undo();
    assert_eq!(report.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["one", "three"]);
}

#[test]
fn cut_command_is_undone_without_later_changes() {
    let commands = project();
    let kept = commands.begin("c", 1);
    commands.sh("rm -r src; echo half > empty");
    // The process ends here: no further look happens, and its lock is free.
    drop(kept);
    let marker = marker(&commands);
    // It lived until now, and a person changes a file much later.
    let later = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options().write(true).open(marker).unwrap().set_modified(later).unwrap();
    let report = commands.undo();
    // The changes are after the last sign of life, so they may be a person's.
    let refused: Vec<_> = report.refusals.iter().map(|it| &*it.path).collect();
    assert_eq!(refused, ["empty"]);
    commands.sh("rm empty; touch empty");
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(commands.it.place.get("src/a.rs"), "one\ntwo\n");

    let kept = commands.begin("c", 2);
    commands.sh("rm -r src; echo half > empty");
    drop(kept);
    assert_eq!(commands.it.journal.roots(&UndoRequest::new("c")).unwrap().len(), 1);
    let before = commands.it.undo(&UndoRequest::new("c").with_dry_run());
    assert_eq!(before.refusals, []);
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(commands.it.place.get("empty"), "");
    assert_eq!(commands.it.place.get("src/deep/b.rs"), "b\n");
}

/// Returns the marker of the command that runs.
fn marker(commands: &Commands) -> PathBuf {
    let snapshots = commands.it.place.outer.path().join("changes/snapshots");
    let root = fs::read_dir(snapshots).unwrap().next().unwrap().unwrap().path();
    let mut paths = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    paths.find(|path| path.file_name().unwrap().as_bytes().starts_with(b"command-")).unwrap()
}
