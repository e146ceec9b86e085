//! Commands go past damage, name it, and fail at the end.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};
use tokio::runtime::Runtime;

use crate::follow::Follower;
use crate::killer::{Killer, MOMENTS, calls, copy, say};
use crate::support::Sandbox;

/// A sandbox with the conversations `c1`, of four events, the third of which is damaged, and `c2`.
struct Damaged {
    sandbox: Sandbox,
    model: String,
}

impl Damaged {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let script = sandbox.write("script", "§respond: yes\n§end");
        let model = format!("script:{script}");
        for (id, words) in [("c1", "first"), ("c1", "Where are whales?"), ("c2", "squids")] {
            let args = ["run", words, "--model", &model, sandbox.flag_of(id), id];
            sandbox.silcrow(&args).ends(0);
        }
        let damaged = Self { sandbox, model };
        damaged.flip(b"Where are whales?");
        damaged
    }

    fn segment(&self) -> PathBuf {
        let folder = self.sandbox.path("data/silcrow/log");
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names.remove(0)
    }

    /// Flips one bit in the segment, where it has the person's words.
    fn flip(&self, words: &[u8]) {
        let mut bytes = fs::read(self.segment()).unwrap();
        let at = bytes.windows(words.len()).position(|window| window == words).unwrap();
        bytes[at] ^= 1;
        fs::write(self.segment(), bytes).unwrap();
    }
}

const NAMED: &str = "the store is damaged: event 3 of conversation \"c1\"";

#[test]
fn verify_names_it() {
    let damaged = Damaged::new();
    let said = damaged.sandbox.silcrow(&["log", "--json", "verify"]);
    let damage = &said.ends(1).events()[0];
    assert_eq!((&damage["damaged"], &damage["conversation"]), (&"events".into(), &"c1".into()));
    assert_eq!((&damage["first"], &damage["last"]), (&3.into(), &3.into()));
    assert!(said.err.contains("the store is damaged at one place"), "{}", said.err);
}

#[test]
fn show_and_export_have_the_rest() {
    let Damaged { sandbox, .. } = Damaged::new();
    let shown = sandbox.silcrow(&["log", "--json", "show", "c1"]);
    let seqs: Vec<_> = shown.ends(1).events().iter().map(|event| event["seq"].clone()).collect();
    assert_eq!(seqs, [1, 2, 4]);
    assert!(shown.err.contains(NAMED) && shown.err.lines().count() == 1, "{}", shown.err);
    let other = sandbox.silcrow(&["log", "--json", "show", "c2"]);
    assert_eq!(other.ends(1).events().len(), 2);
    assert!(other.err.contains(NAMED) && other.err.lines().count() == 1, "{}", other.err);

    let exported = sandbox.silcrow(&["log", "--json", "export"]);
    // A header, the entries, and the accounts of two conversations and a user.
    assert_eq!(exported.ends(1).events().len(), 1 + 3 + 2 + 3);
    assert!(exported.err.contains(NAMED) && exported.err.lines().count() == 1, "{}", exported.err);
    assert_eq!(
        sandbox.silcrow(&["log", "--json", "export", "c2"]).ends(1).events().len(),
        1 + 2 + 1
    );
    for read in [&["log", "--json", "list"][..], &["log", "--json", "search", "squids"]] {
        let said = sandbox.silcrow(read);
        assert!(!said.ends(1).events().is_empty());
        assert!(said.err.contains(NAMED) && said.err.lines().count() == 1, "{}", said.err);
    }
}

/// Every command that reads a store with a missing, empty or cut segment says so, because nothing
/// else shows the loss.
#[test]
fn every_reading_command_names_lost_events() {
    let sandbox = Sandbox::new();
    let call = "§call: {\"name\":\"file_write\",\"args\":{\"file\":\"a.txt\",\"content\":\"a\"}}\n§execute";
    let script = sandbox.write("script", &format!("{call}\n%%\n§respond: yes\n§end"));
    let model = format!("script:{script}");
    for id in ["c1", "c2"] {
        let args = ["run", "whales", "--model", &model, "--allow", "file_write", "--new", id];
        sandbox.silcrow(&args).ends(0);
        fs::remove_file(sandbox.root().join("a.txt")).unwrap();
    }
    let damaged = Damaged { sandbox, model };
    let sandbox = &damaged.sandbox;
    let whole = fs::read(damaged.segment()).unwrap();
    let answer = sandbox.write("answer", "§respond: yes\n§end");
    let answers = format!("script:{answer}");
    let reads: &[&[&str]] = &[
        &["log"],
        &["log", "list", "--all"],
        &["log", "show", "c1"],
        &["log", "--json", "c1"],
        &["log", "export"],
        &["log", "export", "c1"],
        &["log", "export", "c1", "--format", "md"],
        &["log", "export", "c1", "--format", "html"],
        &["log", "export", "c1", "--format", "otlp-json"],
        &["log", "search", "whales"],
        &["log", "diff", "c1", "c2"],
        &["log", "report", "c1"],
        &["log", "verify"],
        &["undo", "c1", "--dry-run"],
        &["profile"],
        &["context", "c1"],
        &["replay", "c1", "--model", &answers],
        &["run", "more", "--model", &answers, "--conversation", "c1"],
        &["run", "more", "--model", &answers, "--new", "c3"],
        &["tool", "file_list", "{\"path\":\".\"}"],
        &["stop", "c1"],
    ];
    let original = sandbox.path("original");
    copy(&sandbox.path("data/silcrow"), &original);
    // The file has more room than is written.
    let written = whole.iter().rposition(|&byte| byte != 0).unwrap();
    for left in [None, Some(0), Some(200), Some(written / 2)] {
        for read in reads {
            // Some of them write, but the first of them still names the missing entries.
            fs::remove_dir_all(sandbox.path("data/silcrow")).unwrap();
            copy(&original, &sandbox.path("data/silcrow"));
            match left {
                None => fs::remove_file(damaged.segment()).unwrap(),
                Some(length) => fs::write(damaged.segment(), &whole[..length]).unwrap(),
            }
            let said = sandbox.silcrow(read);
            let err = &said.err;
            assert_eq!(said.code, Some(1), "{read:?} with {left:?}: {err}");
            let lines: Vec<_> = err.lines().filter(|line| line.contains(" damaged")).collect();
            assert_eq!(lines.len(), 1, "{read:?} with {left:?}: {err}");
            assert!(lines[0].contains("`silcrow log "), "{read:?} with {left:?}: {err}");
        }
    }
    // In a mended store nothing is said again.
    sandbox.silcrow(&["log", "mend"]).ends(0);
    sandbox.silcrow(&["log"]).ends(0);
}

#[test]
fn run_in_intact_conversation_reports_damage() {
    let Damaged { sandbox, model } = Damaged::new();
    let run = ["run", "more", "--model", &model, "--conversation", "c2"];
    let said = sandbox.silcrow(&run);
    assert!(said.ends(1).out.contains("yes"), "{}", said.out);
    assert!(said.err.contains(NAMED), "{}", said.err);
    assert_eq!(sandbox.silcrow(&["log", "--json", "c2"]).ends(1).events().len(), 4);
}

#[test]
fn damaged_conversation_can_be_deleted() {
    let Damaged { sandbox, model } = Damaged::new();
    sandbox.silcrow(&["log", "--json", "delete", "--yes", "c2"]).ends(1);
    let said = sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]);
    assert!(said.ends(1).err.contains(NAMED), "{}", said.err);
    assert_eq!(said.events()[0]["events"], 4);
    assert_eq!(sandbox.silcrow(&["log", "--json"]).ends(0).out, "");
    let run = ["run", "more", "--model", &model, "--conversation", "c2"];
    let said = sandbox.silcrow(&run);
    assert!(!said.err.contains("event 3"), "{}", said.err);
}

#[test]
fn mended_store_is_intact() {
    let Damaged { sandbox, model } = Damaged::new();
    let said = sandbox.silcrow(&["log", "--json", "mend"]);
    let lines = said.ends(0).events();
    assert_eq!((&lines[0]["damaged"], &lines[0]["first"]), (&"events".into(), &3.into()));
    let last = lines.last().unwrap();
    assert_eq!(last["mended"], 1);
    assert!(fs::read_dir(last["kept"].as_str().unwrap()).unwrap().count() > 0);

    let verified = sandbox.silcrow(&["log", "--json", "verify"]).ends(0).events();
    assert_eq!((&verified[0]["lost"], &verified[0]["first"]), (&"events".into(), &3.into()));
    assert_eq!(sandbox.silcrow(&["log", "--json", "show", "c1"]).ends(0).events().len(), 3);
    let run = ["run", "more", "--model", &model, "--conversation", "c1"];
    sandbox.silcrow(&run).ends(0);
    assert_eq!(
        sandbox.silcrow(&["log", "--json", "mend"]).ends(0).events().last().unwrap()["mended"],
        0
    );
}

#[test]
fn follower_names_damage_and_prints_the_rest() {
    let Damaged { sandbox, model } = Damaged::new();
    let mut follower = Follower::start(&sandbox, &["log", "--json", "c1", "--follow"]);
    let shown = sandbox.silcrow(&["log", "--json", "c1"]).ends(1).out.clone();
    assert_eq!(follower.lines(3), shown);
    let run = ["run", "more", "--model", &model, "--conversation", "c2"];
    sandbox.silcrow(&run).ends(1);
    let (out, err, code) = follower.stop();
    assert_eq!((&*out, code), ("", Some(130)));
    assert!(err.contains("damaged: event 3 of conversation \"c1\""), "{err}");
}

/// In a mended store more events may be lost in a row than a follower reads at once.
#[test]
fn follower_names_damage_after_lost_events() {
    let damaged = Damaged::new();
    let sandbox = &damaged.sandbox;
    Runtime::new().unwrap().block_on(async {
        let folder = sandbox.path("data/silcrow");
        let store = LogStore::open(folder, Options::default()).await.unwrap();
        let batch = (1..=200).map(|n| Event::user(format!("event {n} of c3")).into());
        store.append("c3", 0, batch.collect()).await.unwrap();
    });
    (2..=150).for_each(|n| damaged.flip(format!("event {n} of c3").as_bytes()));
    sandbox.silcrow(&["log", "--json", "mend"]).ends(0);
    damaged.flip(b"event 180 of c3");

    let shown = sandbox.silcrow(&["log", "--json", "c3"]).ends(1).out.clone();
    let mut follower = Follower::start(sandbox, &["log", "--json", "c3", "--follow"]);
    assert_eq!(follower.lines(50), shown);
    let (out, err, code) = follower.stop();
    assert_eq!((&*out, code), ("", Some(130)));
    assert!(err.contains("damaged: event 180 of conversation \"c3\""), "{err}");
}

/// If a mend is killed at any system call, another one completes it, whole entries stay, and an
/// older value does not come back.
#[test]
fn killed_mend_can_be_repeated() {
    let damaged = Damaged::new();
    let sandbox = &damaged.sandbox;
    let (folder, original) = (sandbox.path("data/silcrow"), sandbox.path("original"));
    Runtime::new().unwrap().block_on(async {
        let store = LogStore::open(&folder, Options::default()).await.unwrap();
        store.put("relic/notes", "k", 0, b"the first value".to_vec()).await.unwrap();
        store.put("relic/notes", "k", 1, b"the second value".to_vec()).await.unwrap();
    });
    damaged.flip(b"the second value");
    copy(&folder, &original);
    sandbox.silcrow(&["log", "--json", "mend"]).ends(0);
    // A mended conversation is one that was changed last.
    let export = || {
        let out = sandbox.silcrow(&["log", "--json", "export"]).out;
        let mut lines: Vec<_> = out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let whole = export();
    let lost = sandbox.silcrow(&["log", "--json", "verify"]).ends(0).out.clone();

    let killer = Killer::new(sandbox);
    let mut kills = 0;
    for moment in MOMENTS {
        for at in calls(12) {
            fs::remove_dir_all(&folder).unwrap();
            copy(&original, &folder);
            let is_done = killer.ends_by_itself(&["log", "--json", "mend"], moment, at);
            assert_eq!(export(), whole, "{moment} {at}");
            if is_done {
                break;
            }
            kills += 1;
            let verified = sandbox.silcrow(&["log", "--json", "verify"]).events();
            let is_named = |line: &Value| line["conversation"] == "c1" && line["first"] == 3;
            assert!(verified.iter().any(is_named), "{moment} {at}: {verified:?}");
            sandbox.silcrow(&["log", "--json", "mend"]).ends(0);
            assert_eq!(export(), whole, "{moment} {at}");
            assert_eq!(
                sandbox.silcrow(&["log", "--json", "verify"]).ends(0).out,
                lost,
                "{moment} {at}"
            );
        }
    }
    say(&format!("{kills} kills"));
    assert!(kills >= 3, "{kills}");
}

/// The first bytes of a segment say nothing that anybody would miss.
#[test]
fn bytes_that_nobody_knows_are_named_too() {
    let damaged = Damaged::new();
    let mut bytes = fs::read(damaged.segment()).unwrap();
    bytes[..24].fill(0xff);
    fs::write(damaged.segment(), bytes).unwrap();
    let said = damaged.sandbox.silcrow(&["log", "--json", "verify"]);
    let lines = said.ends(1).events();
    let kinds: Vec<_> = lines.iter().filter_map(|line| line["damaged"].as_str()).collect();
    assert_eq!(kinds, ["bytes", "events"], "{}", said.out);
    assert!(lines[0]["file"].is_string() && lines[0]["end"].is_u64());
}
