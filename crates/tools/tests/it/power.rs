//! A change that a tool has reported outlasts a power cut.
//!
//! Another process uses the tools while `tracer.c` records each of its calls of the system. A file
//! system keeps the content of a file once the file was synced, and a name in a folder once the folder
//! was synced, and neither is certain before that.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::json;
use silcrow_tool::{CallContext, Scope, Spill as _, Tool, ToolArgs};
use silcrow_tools::{
    ChangeJournal, FileEdit, FileRead, FileReplace, FileWrite, Root, Spills, UndoRequest,
};

/// The part of a folder of files that would be lost in a power cut.
#[derive(Default)]
struct Unsynced {
    /// By folder, the names that were added or taken out.
    names: BTreeMap<PathBuf, BTreeSet<OsString>>,
    contents: BTreeSet<PathBuf>,
}

impl Unsynced {
    /// Takes a line of the tracer into account.
    fn push(&mut self, line: &str) {
        let (op, rest) = line.split_once(' ').unwrap();
        let path = PathBuf::from(rest);
        match op {
            "create" => self.named(&path),
            "remove" => {
                self.named(&path);
                self.names.remove(&path);
                self.contents.remove(&path);
            }
            "write" => drop(self.contents.insert(path)),
            "sync" => {
                self.contents.remove(&path);
                self.names.remove(&path);
            }
            "rename" => {
                let (from, to) = rest.split_once('\t').unwrap();
                self.named(Path::new(from));
                self.named(Path::new(to));
                self.contents.remove(Path::new(to));
                if self.contents.remove(Path::new(from)) {
                    self.contents.insert(to.into());
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, path: &Path) {
        let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap());
        self.names.entry(folder.to_owned()).or_default().insert(name.to_owned());
    }

    /// Returns the part of a file or of its path that would be lost.
    fn lost_at(&self, path: &Path) -> Vec<String> {
        let content = self.contents.contains(path).then(|| "its content".to_owned());
        let is_unsynced = |at: &&Path| {
            let name = at.file_name().unwrap_or_default();
            at.parent()
                .and_then(|folder| self.names.get(folder))
                .is_some_and(|names| names.contains(name))
        };
        let names =
            path.ancestors().filter(is_unsynced).map(|at| format!("the name {}", at.display()));
        let inside = self.names.get(path).map(|names| format!("{names:?} in it"));
        content.into_iter().chain(names).chain(inside).collect()
    }
}

#[test]
fn reported_changes_survive_a_power_cut() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    fs::create_dir(place.join("root")).unwrap();
    let tracer = place.join("tracer");
    let source = place.join("tracer.c");
    fs::write(&source, include_str!("tracer.c")).unwrap();
    let compiled = Command::new("cc").arg("-O1").arg("-o").args([&tracer, &source]).status();
    assert!(compiled.expect("Rust programs are linked with cc").success());
    let trace = place.join("trace");
    let traced = Command::new(&tracer)
        .arg(&trace)
        .arg(env::current_exe().unwrap())
        .args(["power::changes", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(PLACE, &place)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&traced.stdout);
    assert!(traced.status.success(), "{}: {said}", traced.status);

    let mut unsynced = Unsynced::default();
    let mut done = 0;
    for line in fs::read_to_string(trace).unwrap().lines() {
        if let Some((_, said)) = line.split_once("@ ") {
            let (what, path) = said.split_once(' ').unwrap();
            assert_eq!(unsynced.lost_at(&place.join(path)), [""; 0], "{what} {path}");
            done += 1;
        } else if ["create ", "remove ", "rename ", "write ", "sync "]
            .iter()
            .any(|op| line.starts_with(op))
        {
            unsynced.push(line);
        }
    }
    assert_eq!(done, 16, "{said}");
}

const PLACE: &str = "SILCROW_TEST_POWER";

/// The other process, which reports after each call what is done.
#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn changes() {
    let place = PathBuf::from(env::var_os(PLACE).unwrap());
    let say = |line: &str| {
        use std::io::Write as _;
        std::io::stdout().write_all(format!("@ {line}\n").as_bytes()).unwrap();
    };
    let root = Root::open(place.join("root")).unwrap();
    let journal = ChangeJournal::new(place.join("store/deep/changes"));
    let context = CallContext::new(Scope::new("c").with_turn(1), "a1");
    let call = async |tool: &dyn Tool, args: serde_json::Value| {
        tool.call(ToolArgs::new(&args.to_string()), &context).await.unwrap()
    };
    let write = FileWrite::new(&root).with_journal(&journal);
    let edit = FileEdit::new(&root).with_journal(&journal);
    let replace = FileReplace::new(&root).with_journal(&journal);
    let read = FileRead::new(&root);

    call(&write, json!({"file": "a.txt", "content": "one\n"})).await;
    say("created root/a.txt");
    call(&write, json!({"file": "b/c/d.txt", "content": "one\n"})).await;
    say("created root/b/c/d.txt");
    call(&write, json!({"file": "b/c/e.txt", "content": "one\n"})).await;
    say("created root/b/c/e.txt");
    call(&read, json!({"file": "a.txt"})).await;
    call(&write, json!({"file": "a.txt", "content": "two\n"})).await;
    say("replaced root/a.txt");
    call(&edit, json!({"file": "a.txt", "edits": [{"old": "two", "new": "three"}]})).await;
    say("edited root/a.txt");
    call(&replace, json!({"find": "one", "replace": "four", "files": ["b"]})).await;
    say("replaced root/b/c/d.txt");
    say("replaced root/b/c/e.txt");

    let undone = journal.undo(&root, &UndoRequest::new("c")).unwrap();
    assert_eq!((undone.files.len(), undone.refusals.len()), (3, 0));
    for path in ["root/a.txt", "root/b/c/d.txt", "root/b/c/e.txt"] {
        assert!(!place.join(path).exists());
        say(&format!("removed {path}"));
    }
    // A folder that is gone since is made again.
    fs::remove_dir_all(place.join("root/b")).unwrap();
    let redone = journal.undo(&root, &UndoRequest::redo("c")).unwrap();
    assert_eq!((redone.files.len(), redone.refusals.len()), (3, 0));
    for path in ["root/a.txt", "root/b/c/d.txt", "root/b/c/e.txt"] {
        say(&format!("restored {path}"));
    }

    let spills = Spills::new(place.join("store/deep/spills"));
    let kept = spills.keep_bytes(&context, "txt", b"a long output").await.unwrap();
    say(&format!("kept {}", Path::new(&kept).strip_prefix(&place).unwrap().display()));
    assert!(spills.remove("c").unwrap());
    let folder = Path::new(&kept).parent().unwrap().strip_prefix(&place).unwrap();
    say(&format!("removed {}", folder.display()));
    assert!(journal.remove("c").unwrap());
    say("removed store/deep/changes");
}
