//! A store of an earlier version, and what the command makes of it.

use std::fs;
use std::path::PathBuf;

use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};
use silcrow_store_sled::SledReader;
use tokio::runtime::Runtime;

use crate::approve::at_terminal;
use crate::killer::{Killer, MOMENTS, calls, copy, say};
use crate::old_store;
use crate::support::Sandbox;

/// Puts a store of an earlier version in the sandbox's place for it, and returns its export.
pub(crate) fn old_store(sandbox: &Sandbox) -> &'static str {
    old_store::install("whole", &folder(sandbox));
    old_store::EXPORT
}

pub(crate) fn folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("data/silcrow")
}

#[test]
fn everything_is_in_the_new_store_and_the_old_files_are_kept() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    let spill = folder(&sandbox).join("spills/c1/1-a");
    fs::create_dir_all(spill.parent().unwrap()).unwrap();
    fs::write(&spill, "long").unwrap();

    let commands: [&[&str]; 6] = [
        &["log", "--json"],
        &["log", "--json", "c1"],
        &["log", "--json", "c1", "--follow"],
        &["log", "--json", "compact"],
        &["log", "--json", "delete", "--yes", "c1"],
        &["run", "x", "--new", "c1"],
    ];
    let command = format!("`silcrow log migrate {}`", folder(&sandbox).display());
    for args in commands {
        let said = sandbox.silcrow(args);
        assert!(said.ends(2).err.contains(&command), "{args:?}: {}", said.err);
    }

    let said = sandbox.silcrow(&["log", "--json", "migrate"]);
    let done = &said.ends(0).events()[0];
    assert_eq!((&done["conversations"], &done["events"]), (&4.into(), &118.into()));
    assert_eq!((&done["values"], &done["lower_versions"]), (&9.into(), &0.into()));
    assert_eq!(sandbox.silcrow(&["log", "--json", "export"]).ends(0).out, wanted);
    assert_eq!(fs::read_to_string(&spill).unwrap(), "long");
    Runtime::new().unwrap().block_on(async {
        let new = LogStore::open(folder(&sandbox), Options::default()).await.unwrap();
        let value = new.get("relic/notes", "k").await.unwrap().unwrap();
        assert_eq!((value.version, &*value.value), (3, &b"value 2"[..]));
    });

    // The old files are a complete store of the earlier version.
    let kept = done["kept"].as_str().unwrap();
    sandbox.silcrow(&["log", "--json", "migrate", kept]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--json", "export", "--store", kept]).ends(0).out, wanted);

    let again = sandbox.silcrow(&["log", "--json", "migrate"]);
    assert_eq!(again.ends(0).events()[0].get("kept"), None);
    sandbox.silcrow(&["run", "x", "--conversation", "c1", "--user", "ann"]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--json", "c2"]).ends(0).events().len(), 100);
}

#[test]
fn a_store_without_anything_is_migrated() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.path("elsewhere");
    old_store::install("empty", &elsewhere);
    let place = elsewhere.to_str().unwrap();
    sandbox.silcrow(&["log", "--json", "migrate", place]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--json", "--store", place]).ends(0).out, "");
    sandbox.silcrow(&["run", "x", "--store", place]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--json", "--store", place]).ends(0).events().len(), 1);
}

#[test]
fn a_store_that_is_in_use_is_not_migrated() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    let old = SledReader::open(folder(&sandbox)).unwrap();
    let said = sandbox.silcrow(&["log", "--json", "migrate"]);
    let user = format!("in use by process {}", std::process::id());
    assert!(said.ends(1).err.contains(&user), "{}", said.err);
    drop(old);
    sandbox.silcrow(&["log", "--json", "migrate"]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--json", "export"]).ends(0).out, wanted);
}

/// A damaged event, a damaged value and a damaged summary cost what is damaged, and what follows in
/// the conversation.
#[test]
fn what_is_whole_of_a_damaged_store_is_migrated_and_the_rest_is_named() {
    let sandbox = Sandbox::new();
    old_store::install("damaged", &folder(&sandbox));
    let said = sandbox.silcrow(&["log", "--json", "migrate"]);
    let done = &said.ends(1).events()[0];
    assert_eq!((&done["conversations"], &done["events"]), (&3.into(), &10.into()));
    assert_eq!(done["values"], 1);
    let wanted = format!(
        "silcrow: the old store is damaged: the summary of conversation \"summary\", event 5 of \
         conversation \"event\", the value \"damaged\" in \"relic/notes\"; the rest was copied, \
         except for what follows a damaged event in its conversation; {} has the old files\n",
        done["kept"].as_str().unwrap()
    );
    assert_eq!(said.err, wanted);
    for (id, events) in [("event", 4), ("whole", 3), ("summary", 3)] {
        assert_eq!(sandbox.silcrow(&["log", "--json", id]).ends(0).events().len(), events, "{id}");
    }
    sandbox.silcrow(&["log", "--json", "verify"]).ends(0);
    sandbox.silcrow(&["run", "x", "--conversation", "event"]).ends(0);
}

/// Whatever call of the system a migration is killed at, the store is the old one or the new one,
/// and another migration completes it.
#[test]
fn a_killed_migration_can_be_repeated() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    let original = sandbox.path("original");
    fs::rename(folder(&sandbox), &original).unwrap();
    let killer = Killer::new(&sandbox);
    let (mut kills, mut new) = (0, 0);
    for moment in MOMENTS {
        for at in calls(40) {
            let _ = fs::remove_dir_all(folder(&sandbox));
            copy(&original, &folder(&sandbox));
            let is_done = killer.ends_by_itself(&["log", "--json", "migrate"], moment, at);
            let said = sandbox.silcrow(&["log", "--json", "export"]);
            match said.code {
                Some(0) => {
                    assert_eq!(said.out, wanted, "{moment} {at}");
                    new += 1;
                }
                _ => assert!(
                    said.ends(2).err.contains("`silcrow log migrate "),
                    "{moment} {at}: {}",
                    said.err
                ),
            }
            if is_done {
                break;
            }
            kills += 1;
            sandbox.silcrow(&["log", "--json", "migrate"]).ends(0);
            assert_eq!(
                sandbox.silcrow(&["log", "--json", "export"]).ends(0).out,
                wanted,
                "{moment} {at}"
            );
            for left in ["migrating", "reading"] {
                assert!(!folder(&sandbox).join(left).exists(), "{moment} {at}: {left}");
            }
            assert!(folder(&sandbox).join("store-sled/data/db").exists(), "{moment} {at}");
        }
    }
    say(&format!("{kills} kills, {new} of them left the new store"));
    assert!(kills > 3, "{kills} {new}");
}

#[test]
fn a_run_at_a_terminal_offers_it_and_does_it_after_a_yes() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    let run = sandbox.command(&["run", "What is here?", "--new", "new"]);
    let (shown, code) = at_terminal(&run, &["n\n"]);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("`silcrow log migrate "), "{shown}");
    let (shown, code) = at_terminal(&run, &["y\n"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("migrated 4 conversations with 118 events, and 9 values"), "{shown}");
    let exported = sandbox.silcrow(&["log", "--json", "export"]).ends(0).out.clone();
    assert!(wanted.lines().all(|line| exported.contains(line)));
}
