//! Changes of files, undone.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;
use silcrow_tool::{CallContext, CancellationToken, Scope, Tool as _, ToolArgs};
use silcrow_tools::{
    ChangeJournal, FileOutcome, FileRead, FileWrite, Root, UndoReport, UndoRequest,
};

use crate::Place;

/// A root with a journal beside it.
pub(crate) struct Journaled {
    pub(crate) place: Place,
    pub(crate) journal: ChangeJournal,
}

impl Journaled {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        let journal = ChangeJournal::new(place.outer.path().join("changes"));
        Self { place, journal }
    }

    pub(crate) async fn try_write(
        &self,
        conversation: &str,
        turn: u32,
        file: &str,
        content: &str,
    ) -> Result<(), String> {
        let tool = FileWrite::new(&self.place.root).with_journal(&self.journal);
        let args = json!({"file": file, "content": content}).to_string();
        let context = CallContext::new(Scope::new(conversation).with_turn(turn), "a1");
        // A file that exists is read before it is replaced.
        let read = json!({"file": file}).to_string();
        drop(FileRead::new(&self.place.root).call(ToolArgs::new(&read), &context).await);
        let done = tool.call(ToolArgs::new(&args), &context).await;
        done.map(drop).map_err(|error| error.to_string())
    }

    pub(crate) async fn write(&self, conversation: &str, turn: u32, file: &str, content: &str) {
        self.try_write(conversation, turn, file, content).await.unwrap();
    }

    pub(crate) fn undo(&self, request: &UndoRequest) -> UndoReport {
        self.journal.undo(&self.place.root, request).unwrap()
    }

    /// Makes the newest record one that was not completed.
    pub(crate) fn cut_newest_record(&self) {
        let newest = self.records().pop().unwrap();
        let name = newest.file_name().unwrap().to_str().unwrap().replace("-done-", "-begun-");
        fs::rename(&newest, newest.with_file_name(name)).unwrap();
    }

    /// The records, the oldest first.
    pub(crate) fn records(&self) -> Vec<PathBuf> {
        let Ok(folder) = fs::read_dir(self.place.outer.path().join("changes")) else {
            return Vec::new();
        };
        let paths = folder.map(|entry| entry.unwrap().path());
        let mut records: Vec<_> = paths.filter(|path| is_record(path)).collect();
        records.sort_unstable();
        records
    }
}

/// Returns whether a file of a journal is a record. Other tests cover the conversations' knowledge
/// of files.
fn is_record(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name != "LOCK" && name != "snapshots" && !name.starts_with("known-")
}

/// The outcome of each file, and then the paths that were refused.
#[track_caller]
pub(crate) fn told(report: &UndoReport) -> Vec<String> {
    let files = report.files.iter();
    let files = files.map(|file| format!("{} {}", file.outcome.as_str(), file.path));
    let refused = report.refusals.iter();
    files
        .chain(refused.map(|refusal| format!("refused {}: {}", refusal.path, refusal.why)))
        .collect()
}

#[tokio::test]
async fn turn_and_conversation_are_undone() {
    let it = Journaled::new();
    it.place.put("a.txt", "old\n");
    fs::set_permissions(it.place.path().join("a.txt"), PermissionsExt::from_mode(0o1750)).unwrap();
    it.write("c", 1, "a.txt", "one\n").await;
    it.write("c", 2, "a.txt", "two\n").await;
    it.write("c", 2, "deep/new.txt", "new\n").await;
    it.write("c/2/a1", 1, "by-agent.txt", "x").await;
    it.write("other", 2, "b.txt", "other").await;

    let second = UndoRequest::new("c").with_turns(2..=2);
    let listed = ["restored a.txt", "removed by-agent.txt", "removed deep/new.txt"];
    assert_eq!(told(&it.undo(&second.clone().with_dry_run())), listed);
    assert_eq!(it.place.get("a.txt"), "two\n");
    assert_eq!(told(&it.undo(&second)), listed);
    assert_eq!(it.place.get("a.txt"), "one\n");
    assert!(!it.place.path().join("deep/new.txt").exists());
    assert_eq!(told(&it.undo(&second)), [""; 0]);

    assert_eq!(told(&it.undo(&UndoRequest::new("c"))), ["restored a.txt"]);
    assert_eq!(it.place.get("a.txt"), "old\n");
    let mode = fs::metadata(it.place.path().join("a.txt")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o1750);
    assert_eq!(it.place.get("b.txt"), "other");
}

#[tokio::test]
async fn redo_reverts_undos_in_reverse_order() {
    let it = Journaled::new();
    it.write("c", 1, "a.txt", "one").await;
    it.write("c", 2, "a.txt", "two").await;
    it.undo(&UndoRequest::new("c").with_turns(2..=2));
    it.undo(&UndoRequest::new("c").with_turns(1..=1));
    assert!(!it.place.path().join("a.txt").exists());
    let redo = UndoRequest::redo("c");
    assert_eq!(told(&it.undo(&redo)), ["restored a.txt"]);
    assert_eq!(it.place.get("a.txt"), "one");
    it.undo(&redo);
    assert_eq!(it.place.get("a.txt"), "two");
    assert_eq!(told(&it.undo(&redo)), [""; 0]);
    it.undo(&UndoRequest::new("c"));
    assert!(!it.place.path().join("a.txt").exists());
}

#[tokio::test]
async fn changed_file_is_named_and_nothing_restored() {
    let it = Journaled::new();
    it.place.put("a.txt", "1\n2\n3\n").put("b.txt", "b\n");
    it.write("c", 1, "a.txt", "1\ntwo\n3\n").await;
    it.write("c", 1, "b.txt", "bb\n").await;
    it.place.put("a.txt", "1\ntwo\nthree\n");
    let report = it.undo(&UndoRequest::new("c"));
    assert_eq!(told(&report), ["refused a.txt: it has changed since"]);
    let diff = report.refusals[0].diff.as_deref().unwrap();
    assert_eq!(diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-two\n-three\n+2\n+3\n");
    assert_eq!(it.place.get("b.txt"), "bb\n");
    // The same bytes are the same file.
    it.place.put("a.txt", "1\ntwo\n3\n");
    assert_eq!(told(&it.undo(&UndoRequest::new("c"))), ["restored a.txt", "restored b.txt"]);
    // An undo is not undone over later changes.
    it.place.put("b.txt", "mine");
    assert_eq!(told(&it.undo(&UndoRequest::redo("c"))), ["refused b.txt: it has changed since"]);
    assert_eq!(it.place.get("a.txt"), "1\n2\n3\n");
}

#[tokio::test]
async fn undo_keeps_writes_of_other_conversations() {
    let it = Journaled::new();
    it.write("c", 1, "a.txt", "one").await;
    it.write("d", 1, "a.txt", "two").await;
    it.write("c", 2, "a.txt", "three").await;
    assert_eq!(told(&it.undo(&UndoRequest::new("c"))), ["refused a.txt: it has changed since"]);
    let last = UndoRequest::new("c").with_turns(2..=u32::MAX);
    assert_eq!(told(&it.undo(&last)), ["restored a.txt"]);
    assert_eq!(it.place.get("a.txt"), "two");
}

#[tokio::test]
async fn later_writes_settle_an_interrupted_undo() {
    let it = Journaled::new();
    it.place.put("a.txt", "old").put("b.txt", "old");
    it.write("c", 1, "a.txt", "one").await;
    it.write("c", 1, "b.txt", "one").await;
    it.undo(&UndoRequest::new("c"));
    it.cut_newest_record();
    it.place.put("b.txt", "one");
    // The undo restored `a.txt` and not `b.txt`.
    it.write("d", 1, "a.txt", "two").await;
    it.write("d", 1, "b.txt", "two").await;
    let report = it.undo(&UndoRequest::new("c"));
    assert_eq!(told(&report), ["restored a.txt", "refused b.txt: it has changed since"]);
    // It is named once.
    assert_eq!(told(&it.undo(&UndoRequest::new("c"))), [""; 0]);
    assert_eq!((it.place.get("a.txt"), it.place.get("b.txt")), ("two".into(), "two".into()));
}

#[tokio::test]
async fn undo_refuses_a_swapped_file() {
    let it = Journaled::new();
    it.place.put("a.txt", "old").put("dir/b.txt", "old").put("there/b.txt", "new");
    it.write("c", 1, "a.txt", "new").await;
    it.write("c", 2, "dir/b.txt", "new").await;
    let (path, outer) = (it.place.path(), it.place.outer.path());
    fs::remove_file(path.join("a.txt")).unwrap();
    symlink(outer.join("secret.txt"), path.join("a.txt")).unwrap();
    let report = it.undo(&UndoRequest::new("c").with_turns(1..=1));
    assert_eq!((report.files.len(), report.refusals.len()), (0, 1));
    fs::remove_dir_all(path.join("dir")).unwrap();
    for target in ["there", ".."] {
        symlink(target, path.join("dir")).unwrap();
        let report = it.undo(&UndoRequest::new("c").with_turns(2..=2));
        assert_eq!((report.files.len(), report.refusals.len()), (0, 1), "{target}");
        fs::remove_file(path.join("dir")).unwrap();
    }
    assert_eq!(it.place.get("there/b.txt"), "new");
    assert_eq!(fs::read_to_string(outer.join("secret.txt")).unwrap(), "SECRET");
}

#[tokio::test]
async fn unrecordable_changes_do_not_happen() {
    let it = Journaled::new();
    it.place.put("a.txt", "old");
    let changes = it.place.outer.path().join("changes");
    let elsewhere = it.place.outer.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, &changes).unwrap();
    let why = it.try_write("c", 1, "a.txt", "new").await.unwrap_err();
    assert!(why.starts_with("`a.txt` is as it was: its content could not be kept"), "{why}");
    assert!(!why.contains(it.place.outer.path().to_str().unwrap()), "{why}");
    fs::remove_file(&changes).unwrap();
    fs::write(&changes, "").unwrap();
    it.try_write("c", 1, "a.txt", "new").await.unwrap_err();
    assert_eq!(it.place.get("a.txt"), "old");
    assert_eq!(fs::read_dir(it.place.path()).unwrap().count(), 1);
    assert_eq!(fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[tokio::test]
async fn cancelled_call_does_not_await_the_journal() {
    let it = Journaled::new();
    it.write("c", 1, "a.txt", "old").await;
    let lock = File::open(it.place.outer.path().join("changes/LOCK")).unwrap();
    lock.lock().unwrap();
    let tool = FileWrite::new(&it.place.root).with_journal(&it.journal);
    let cancel = CancellationToken::new();
    let args = json!({"file": "a.txt", "content": "new"}).to_string();
    let context = CallContext::new(Scope::new("c").with_cancellation(cancel.clone()), "a1");
    let call = tool.call(ToolArgs::new(&args), &context);
    cancel.cancel();
    assert_eq!(call.await.unwrap_err().to_string(), "cancelled: `a.txt` is as it was");
    assert_eq!(it.place.get("a.txt"), "old");
    assert_eq!(fs::read_dir(it.place.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn only_owner_reads_kept_contents() {
    let it = Journaled::new();
    it.write("c", 1, "a.txt", "x").await;
    let folder = it.place.outer.path().join("changes");
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder.clone()), 0o700);
    assert!(fs::read_dir(folder).unwrap().all(|file| mode(file.unwrap().path()) == 0o600));
}

#[tokio::test]
async fn records_are_removed_with_inner_ones() {
    let it = Journaled::new();
    for id in ["c", "c/1/a", "c/1/a/2/b", "c/notes", "c1"] {
        it.write(id, 1, "a.txt", id).await;
    }
    assert!(it.journal.remove("c").unwrap());
    assert!(!it.journal.remove("c").unwrap());
    assert_eq!(it.records().len(), 2);
}

#[tokio::test]
async fn damage_is_named_and_nothing_is_restored() {
    let it = Journaled::new();
    it.place.put("a.txt", "old content");
    it.write("c", 1, "a.txt", "new").await;
    let record = it.records().remove(0);
    let whole = fs::read_to_string(&record).unwrap();
    fs::write(&record, whole.replace("old content", "odd content")).unwrap();
    let report = it.undo(&UndoRequest::new("c"));
    assert!(report.refusals[0].why.ends_with("is damaged"), "{report:?}");
    fs::write(&record, &whole[..whole.len() / 2]).unwrap();
    let report = it.undo(&UndoRequest::new("c"));
    assert!(report.refusals[0].why.contains("cannot be read"), "{report:?}");
    assert_eq!(it.place.get("a.txt"), "new");
    fs::write(&record, whole).unwrap();
    assert_eq!(it.undo(&UndoRequest::new("c")).files[0].outcome, FileOutcome::Restored);
}

#[tokio::test]
async fn undo_elsewhere_needs_the_moved_folder() {
    let it = Journaled::new();
    it.write("c", 1, "a.txt", "new").await;
    let copy = it.place.outer.path().join("copy");
    fs::create_dir(&copy).unwrap();
    fs::write(copy.join("a.txt"), "new").unwrap();
    let root = Root::open(&copy).unwrap();
    let request = UndoRequest::new("c");
    let report = it.journal.undo(&root, &request).unwrap();
    assert_eq!(report.refusals[0].root.as_deref(), Some(&*it.place.path().canonicalize().unwrap()));
    let moved = request.clone().with_moved_root();
    assert_eq!(told(&it.journal.undo(&root, &moved).unwrap()), ["removed a.txt"]);
    assert_eq!(it.place.get("a.txt"), "new");
    // An interrupted undo is finished where it began.
    it.cut_newest_record();
    assert_eq!(it.undo(&request).refusals.len(), 1);
    assert_eq!(told(&it.journal.undo(&root, &moved).unwrap()), ["removed a.txt"]);
}

#[tokio::test]
async fn concurrent_calls_are_recorded_in_order() {
    let it = Journaled::new();
    it.place.put("a.txt", "old");
    let contents: Vec<_> = (0..20).map(|number| number.to_string()).collect();
    let writes = contents.iter().map(|content| it.write("c", 1, "a.txt", content));
    futures_util::future::join_all(writes).await;
    assert_eq!(told(&it.undo(&UndoRequest::new("c"))), ["restored a.txt"]);
    assert_eq!(it.place.get("a.txt"), "old");
}
