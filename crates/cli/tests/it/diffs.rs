//! Changes of runs in files: shown while they work, as a whole, and taken back with commands.

use std::fs;
use std::process::Command;

use crate::support::{Sandbox, file};

/// A model that edits a file and runs a command.
const SCRIPT: &str = "\
§call: {\"name\": \"file_edit\", \"args\": {\"file\": \"a.txt\", \"edits\": [{\"old\": \"two\", \"new\": \"2\"}]}}
§execute
%%
§call: {\"name\": \"shell\", \"args\": {\"command\": \"rm -rf dir; echo more >> a.txt; mkdir n; echo n > n/n\"}}
§execute
%%
§respond: done
§end";

struct Changed {
    sandbox: Sandbox,
    model: String,
}

impl Changed {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("root/a.txt", "one\ntwo\n");
        fs::create_dir(sandbox.root().join("dir")).unwrap();
        sandbox.write("root/dir/b.txt", "b\n");
        let model = format!("script:{}", sandbox.write("script", SCRIPT));
        Self { sandbox, model }
    }

    /// Runs the model, and returns the output beside the answer.
    fn run(&self, conversation: &str, flags: &[&str]) -> String {
        let allow = ["--allow", "file_edit", "--allow", "shell", "--new", conversation];
        let args = [&["run", "go", "--model", &self.model][..], &allow, flags].concat();
        self.sandbox.silcrow(&args).ends(0).err.clone()
    }
}

#[test]
fn piped_changes_are_short_unless_requested() {
    for (flags, expected) in [
        (
            &[][..],
            &[
                "  a.txt +1 −1\n",
                "  a.txt +1 −0\n",
                "  dir/b.txt removed, −1\n",
                "  n/n created, +1\n",
            ][..],
        ),
        (&["--diff", "full"], &["  a.txt +1 −1\n  1   one\n  2 - two\n  2 + 2\n"]),
    ] {
        let it = Changed::new();
        let said = it.run("c1", flags);
        for line in expected {
            assert!(said.contains(line), "{flags:?}: {line}\n{said}");
        }
    }
    for flags in [&["--diff", "off"][..], &["--quiet"]] {
        let it = Changed::new();
        let said = it.run("c1", flags);
        assert!(!said.contains("  a.txt +1"), "{flags:?}: {said}");
    }
}

#[test]
fn changes_appear_in_events_but_not_logs() {
    let it = Changed::new();
    let allow = ["--allow", "file_edit", "--allow", "shell", "--new", "c1", "--json"];
    let args = [&["run", "go", "--model", &it.model][..], &allow].concat();
    let said = it.sandbox.silcrow(&args);
    let changes: Vec<_> =
        said.ends(0).out.lines().filter(|line| line.starts_with("{\"type\":\"changes\"")).collect();
    assert_eq!(changes.len(), 2, "{}", said.out);
    assert!(
        changes[0].contains(r#""hunks":"@@ -1,2 +1,2 @@\n one\n-two\n+2\n""#),
        "{}",
        changes[0]
    );
    let log = it.sandbox.silcrow(&["log", "show", "c1", "--json"]);
    assert!(!log.ends(0).out.contains("\"changes\""));
}

#[test]
fn diff_is_an_undoable_patch() {
    let it = Changed::new();
    let other = it.sandbox.path("other");
    let copied = Command::new("cp").arg("-a").arg(it.sandbox.root()).arg(&other).status().unwrap();
    assert!(copied.success());
    it.run("c1", &[]);
    let patch = it.sandbox.silcrow(&["diff", "c1"]);
    let patch = it.sandbox.write("patch", &patch.ends(0).out);
    let applied = Command::new("git").args(["apply", &patch]).current_dir(&other).status().unwrap();
    assert!(applied.success());
    for (path, content) in [("a.txt", "one\n2\nmore\n"), ("n/n", "n\n")] {
        assert_eq!(file(&other.join(path)), content);
        assert_eq!(file(&it.sandbox.root().join(path)), content);
    }
    assert!(!other.join("dir/b.txt").exists());
    let stat = "a.txt +2 −1\ndir/b.txt removed, −1\nn/n created, +1\n3 files changed, +3 −2\n";
    assert_eq!(it.sandbox.silcrow(&["diff", "c1", "--stat", "--last"]).ends(0).out, stat);
    // The command was in the second turn.
    let second = it.sandbox.silcrow(&["diff", "c1", "--turn", "2"]);
    assert!(second.ends(0).out.contains("@@ -1,2 +1,3 @@\n one\n 2\n+more\n"), "{}", second.out);

    let undone = it.sandbox.silcrow(&["undo", "c1"]);
    let lines = "restored a.txt\nrestored dir\nrestored dir/b.txt\nremoved n\nremoved n/n\n";
    assert_eq!(undone.ends(0).out, lines);
    assert_eq!(file(&it.sandbox.root().join("a.txt")), "one\ntwo\n");
    assert_eq!(file(&it.sandbox.root().join("dir/b.txt")), "b\n");
    assert!(!it.sandbox.root().join("n").exists());
    let none = it.sandbox.silcrow(&["diff", "c1"]);
    assert_eq!(none.ends(0).err, "silcrow: no call has changed a file that is kept\n");

    // The model reads of it with its next request.
    let log = it.sandbox.silcrow(&["log", "show", "c1", "--json"]);
    let notice = "[The person took changes of files back: restored a.txt, restored dir, restored \
                  dir/b.txt, removed n, removed n/n.";
    assert!(log.ends(0).out.contains(notice), "{}", log.out);
}
