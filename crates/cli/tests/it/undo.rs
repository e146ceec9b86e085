//! Changes of files that are taken back, by real processes.

use std::collections::BTreeMap;
use std::fs;

use crate::killer::{Killer, MOMENTS, calls, copy, say};
use crate::support::{Sandbox, file};

/// A model that reads `a.txt`, and writes it twice and `dir/b.txt`, in three turns.
const SCRIPT: &str = "\
§call: {\"name\": \"file_read\", \"args\": {\"file\": \"a.txt\"}}
§execute
%%
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"a.txt\", \"content\": \"one\\n\"}}
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"dir/b.txt\", \"content\": \"new\\n\"}}
§execute
%%
§call: {\"name\": \"file_write\", \"args\": {\"file\": \"a.txt\", \"content\": \"two\\n\"}}
§execute
%%
§respond: done
§end";

struct Written {
    sandbox: Sandbox,
    model: String,
}

impl Written {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("root/a.txt", "old\n");
        let model = format!("script:{}", sandbox.write("script", SCRIPT));
        Self { sandbox, model }
    }

    fn run<'a>(&'a self, conversation: &'a str) -> [&'a str; 8] {
        let allow = ["--allow", "file_write", self.sandbox.flag_of(conversation), conversation];
        ["run", "go", "--model", &self.model, allow[0], allow[1], allow[2], allow[3]]
    }

    /// The contents of the files.
    fn files(&self) -> BTreeMap<&'static str, String> {
        let content = |name| Some((name, fs::read_to_string(self.sandbox.root().join(name)).ok()?));
        ["a.txt", "dir/b.txt"].into_iter().filter_map(content).collect()
    }

    fn put(&self, files: &BTreeMap<&str, String>) {
        let _ = fs::remove_dir_all(self.sandbox.root().join("dir"));
        fs::create_dir(self.sandbox.root().join("dir")).unwrap();
        for (name, content) in files {
            self.sandbox.write(&format!("root/{name}"), content);
        }
    }
}

fn before() -> BTreeMap<&'static str, String> {
    [("a.txt", "old\n".to_owned())].into()
}

fn after() -> BTreeMap<&'static str, String> {
    [("a.txt", "two\n".to_owned()), ("dir/b.txt", "new\n".to_owned())].into()
}

#[test]
fn undo_and_redo_restore_the_run_changes() {
    let it = Written::new();
    let silcrow = |args: &[&str]| it.sandbox.silcrow(args);
    silcrow(&it.run("c1")).ends(0);
    assert_eq!(it.files(), after());
    let said = silcrow(&["undo", "c1", "--dry-run"]);
    assert_eq!(said.ends(0).out, "would be restored: a.txt\nwould be removed: dir/b.txt\n");
    assert_eq!(it.files(), after());
    assert_eq!(silcrow(&["undo", "c1", "--turn", "3"]).ends(0).out, "restored a.txt\n");
    assert_eq!(file(&it.sandbox.path("root/a.txt")), "one\n");
    // This works from another folder, too: the journal has the places of the files.
    let said = silcrow(&["undo", "c1", "--json"]);
    assert_eq!(
        said.ends(0).out,
        "{\"file\":\"a.txt\",\"outcome\":\"restored\"}\n\
         {\"file\":\"dir/b.txt\",\"outcome\":\"removed\"}\n"
    );
    assert_eq!(it.files(), before());
    let said = silcrow(&["undo", "c1"]);
    assert_eq!((said.ends(0).out.as_str(), said.err.as_str()), ("", NOTHING));
    silcrow(&["undo", "c1", "--redo"]).ends(0);
    silcrow(&["undo", "c1", "--redo"]).ends(0);
    assert_eq!(it.files(), after());
    assert_eq!(silcrow(&["undo", "c1", "--redo"]).ends(0).err, NOTHING);
}

const NOTHING: &str = "silcrow: there is nothing to take back\n";

#[test]
fn undo_reverts_only_the_last_run() {
    let it = Written::new();
    it.sandbox.silcrow(&it.run("c1")).ends(0);
    it.sandbox.silcrow(&["run", "hello", "--conversation", "c1"]).ends(0);
    assert_eq!(it.sandbox.silcrow(&["undo", "c1"]).ends(0).err, NOTHING);
    it.sandbox.silcrow(&["undo", "c1", "--turn", "3"]).ends(0);
    assert_eq!(file(&it.sandbox.path("root/a.txt")), "one\n");
}

#[test]
fn undo_includes_changes_of_called_agents() {
    let it = Written::new();
    let person = it.sandbox.write("person", &caller_of("chief"));
    let chief = it.sandbox.write("chief", &caller_of("writer"));
    let manifest = format!(
        "[agents.writer]\ndescription = \"x\"\nmodel = \"{}\"\ntools = [\"file_read\", \"file_write\"]\n\
         [agents.chief]\ndescription = \"x\"\nmodel = \"script:{chief}\"\nagents = [\"writer\"]\n",
        it.model,
    );
    let manifest = it.sandbox.write("silcrow.toml", &manifest);
    it.sandbox.trust(&manifest);
    let model = format!("script:{person}");
    let [begin @ .., conversation] = it.run("c1");
    let mut args = begin.to_vec();
    args[3] = &model;
    args.extend([conversation, "--manifest", &manifest]);
    it.sandbox.silcrow(&args).ends(0);
    assert_eq!(it.files(), after());
    // The turn is a turn of the person's conversation; the agents have no separate turns to undo.
    assert_eq!(
        it.sandbox.silcrow(&["undo", "c1", "--turn", "1", "--dry-run"]).ends(0).out,
        "would be restored: a.txt\nwould be removed: dir/b.txt\n"
    );
    it.sandbox.silcrow(&["undo", "c1"]).ends(0);
    assert_eq!(it.files(), before());
    it.sandbox.silcrow(&["undo", "c1", "--redo"]).ends(0);
    assert_eq!(it.files(), after());
}

/// A model that calls an agent and is done.
fn caller_of(agent: &str) -> String {
    let call = format!("§call: {{\"name\": \"{agent}\", \"args\": {{\"task\": \"write\"}}}}");
    format!("{call}\n§execute\n%%\n§respond: done\n§end")
}

#[test]
fn undo_names_later_changes_with_a_diff() {
    let it = Written::new();
    it.sandbox.silcrow(&it.run("c1")).ends(0);
    it.sandbox.write("root/a.txt", "two\nthree\u{1b}[2J\n");
    let said = it.sandbox.silcrow(&["undo", "c1"]);
    assert_eq!(said.ends(1).out, "");
    let lines: Vec<_> = said.err.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "silcrow: a.txt: it has changed since",
            "--- a/a.txt",
            "+++ b/a.txt",
            "@@ -1,2 +1 @@",
            "-two"
        ]
    );
    assert!(!said.err.contains('\u{1b}'), "{}", said.err);
    assert!(said.err.ends_with("\nsilcrow: nothing was taken back; see what is named above\n"));
    assert!(it.sandbox.root().join("dir/b.txt").exists());
    let said = it.sandbox.silcrow(&["undo", "c1", "--json"]);
    assert_eq!(said.ends(1).events()[0]["outcome"], "refused");
}

#[test]
fn undo_rejects_impossible_arguments() {
    let it = Written::new();
    it.sandbox.silcrow(&["undo", "c1"]).ends(2);
    it.sandbox.silcrow(&it.run("c1")).ends(0);
    assert!(it.sandbox.silcrow(&["undo", "c2"]).ends(2).err.contains("unknown conversation `c2`"));
    it.sandbox.silcrow(&["undo", "c1", "--turn", "1", "--redo"]).ends(2);
    it.sandbox.silcrow(&["undo", "c1", "--store", "memory"]).ends(2);
    // Another folder in the place of the tools' folder is not mistaken for it.
    let (root, aside) = (it.sandbox.root(), it.sandbox.path("aside"));
    fs::rename(&root, &aside).unwrap();
    fs::create_dir(&root).unwrap();
    assert!(it.sandbox.silcrow(&["undo", "c1"]).ends(1).err.contains("give --root DIR"));
    it.sandbox.silcrow(&["undo", "c1", "--root", "../aside"]).ends(0);
    assert_eq!(file(&aside.join("a.txt")), "old\n");
}

#[test]
fn undo_data_is_hidden_and_deleted_with_conversation() {
    let it = Written::new();
    let records = || {
        let names = fs::read_dir(it.sandbox.path("data/silcrow/changes")).unwrap();
        names.filter(|entry| entry.as_ref().unwrap().file_name() != "LOCK").count()
    };
    it.sandbox.silcrow(&it.run("c1")).ends(0);
    it.sandbox.silcrow(&it.run("c2")).ends(0);
    it.sandbox.silcrow(&["undo", "c2"]).ends(0);
    assert_eq!(records(), 9);
    it.sandbox.silcrow(&["log", "--json", "delete", "--yes", "c2"]).ends(0);
    assert_eq!(records(), 4);
    it.sandbox.silcrow(&["undo", "c1"]).ends(0);
    assert_eq!(it.files(), before());
    it.sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]).ends(0);
    assert_eq!(records(), 0);
}

/// If a run is killed at any system call, an undo brings the exact bytes back.
#[test]
fn undo_reverts_changes_of_a_killed_run() {
    let it = Written::new();
    let killer = Killer::new(&it.sandbox);
    let (mut kills, mut taken_back) = (0, 0);
    for (at, moment) in calls(8).flat_map(|at| MOMENTS.map(|moment| (at, moment))) {
        let _ = fs::remove_dir_all(it.sandbox.path("data"));
        it.put(&before());
        let is_done = killer.ends_by_itself(&it.run("c1"), moment, at);
        kills += u32::from(!is_done);
        let changed = it.files() != before();
        let said = it.sandbox.silcrow(&["undo", "c1"]);
        // Before its first event there is neither a conversation nor a change.
        match said.code {
            Some(2) => assert!(!changed, "{at}: {}", said.err),
            _ => drop(said.ends(0)),
        }
        assert_eq!(it.files(), before(), "{at}");
        taken_back += u32::from(changed);
        if is_done {
            break;
        }
    }
    say(&format!("{kills} kills"));
    assert!(kills >= 3 && taken_back >= 3, "{kills}, {taken_back}");
}

/// If an undo is killed at any system call, the same command completes it, and it can be taken
/// back.
#[test]
fn next_undo_completes_a_killed_one() {
    let it = Written::new();
    let killer = Killer::new(&it.sandbox);
    let (folder, original) = (it.sandbox.path("data/silcrow"), it.sandbox.path("original"));
    let (undo, redo) = (["undo", "c1", "--json"], ["undo", "c1", "--redo"]);
    it.sandbox.silcrow(&it.run("c1")).ends(0);
    let mut kills = 0;
    for (command, start, end, back) in
        [(undo, after(), before(), redo), (redo, before(), after(), undo)]
    {
        assert_eq!(it.files(), start);
        let _ = fs::remove_dir_all(&original);
        copy(&folder, &original);
        for (at, moment) in calls(4).flat_map(|at| MOMENTS.map(|moment| (at, moment))) {
            fs::remove_dir_all(&folder).unwrap();
            copy(&original, &folder);
            it.put(&start);
            let is_done = killer.ends_by_itself(&command, moment, at);
            it.sandbox.silcrow(&command).ends(0);
            assert_eq!(it.files(), end, "{command:?} {moment} {at}");
            it.sandbox.silcrow(&back).ends(0);
            assert_eq!(it.files(), start, "{command:?} {moment} {at}");
            if is_done {
                break;
            }
            kills += 1;
        }
        it.sandbox.silcrow(&command).ends(0);
    }
    say(&format!("{kills} kills"));
    assert!(kills >= 6, "{kills}");
}
