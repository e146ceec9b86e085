//! A store of an earlier version, and what the command makes of it.

use std::fs;
use std::path::PathBuf;

use silcrow_event::{Entry, Event};
use silcrow_store::{Store, transfer};
use silcrow_store_log::LogStore;
use silcrow_store_sled::{Options, SledStore};
use tokio::runtime::Runtime;

use crate::approve::at_terminal;
use crate::killer::{Killer, calls, copy, say};
use crate::support::Sandbox;

/// Makes a store of an earlier version in the sandbox's place for it, and returns its export.
pub(crate) fn old_store(sandbox: &Sandbox) -> String {
    Runtime::new().unwrap().block_on(async {
        let store = SledStore::open(folder(sandbox), Options::default()).await.unwrap();
        let entry = |number: usize, user: &str| Entry {
            timestamp: Some((1.5e9 + number as f64).to_string().parse().unwrap()),
            user: Some(user.to_owned()),
            ..Event::user(format!("{number} ").repeat(number)).into()
        };
        for (id, count, user) in [("c1", 3, "ann"), ("c2", 100, "bob"), ("c1/1/a", 1, "ann")] {
            let batch = (1..=count).map(|number| entry(number, user)).collect();
            store.append(id, 0, batch).await.unwrap();
        }
        store.append("c1", 3, vec![entry(4, "ann")]).await.unwrap();
        for (space, key, versions) in [("relic/notes", "k", 3), ("granted/c1", "g", 1)] {
            for version in 0..versions {
                let value = format!("value {version}").into_bytes();
                store.put(space, key, version, value).await.unwrap();
            }
        }
        store.put("relic/notes", "raw", 0, vec![0, 255]).await.unwrap();
        exported(&store).await
    })
}

async fn exported(store: &dyn Store) -> String {
    let mut out = Vec::new();
    let report = transfer::export(store, None, &mut out).await.unwrap();
    assert_eq!(report.damage, []);
    String::from_utf8(out).unwrap()
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
        &["log"],
        &["log", "c1"],
        &["log", "c1", "--follow"],
        &["log", "compact"],
        &["log", "delete", "c1"],
        &["run", "x", "--conversation", "c1"],
    ];
    let command = format!("`silcrow log migrate {}`", folder(&sandbox).display());
    for args in commands {
        let said = sandbox.silcrow(args);
        assert!(said.ends(2).err.contains(&command), "{args:?}: {}", said.err);
    }

    let said = sandbox.silcrow(&["log", "migrate"]);
    let done = &said.ends(0).events()[0];
    assert_eq!((&done["conversations"], &done["events"]), (&3.into(), &105.into()));
    assert_eq!((&done["values"], &done["lower_versions"]), (&3.into(), &0.into()));
    assert_eq!(sandbox.silcrow(&["log", "export"]).ends(0).out, wanted);
    assert_eq!(fs::read_to_string(&spill).unwrap(), "long");
    let kept = PathBuf::from(done["kept"].as_str().unwrap());
    Runtime::new().unwrap().block_on(async {
        let old = SledStore::open(kept, Options::default()).await.unwrap();
        assert_eq!(exported(&old).await, wanted);
        let new = LogStore::open(folder(&sandbox), silcrow_store_log::Options::default()).await;
        let kept = new.unwrap().get("relic/notes", "k").await.unwrap().unwrap();
        assert_eq!((kept.version, &*kept.value), (3, &b"value 2"[..]));
    });

    let again = sandbox.silcrow(&["log", "migrate"]);
    assert_eq!(again.ends(0).events()[0].get("kept"), None);
    sandbox.silcrow(&["run", "x", "--conversation", "c1", "--user", "ann"]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "c2"]).ends(0).events().len(), 100);
}

#[test]
fn a_store_without_anything_is_migrated() {
    let sandbox = Sandbox::new();
    Runtime::new().unwrap().block_on(async {
        SledStore::open(folder(&sandbox), Options::default()).await.unwrap();
    });
    let elsewhere = sandbox.path("elsewhere");
    fs::rename(folder(&sandbox), &elsewhere).unwrap();
    let place = elsewhere.to_str().unwrap();
    sandbox.silcrow(&["log", "migrate", place]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--store", place]).ends(0).out, "");
    sandbox.silcrow(&["run", "x", "--store", place]).ends(0);
    assert_eq!(sandbox.silcrow(&["log", "--store", place]).ends(0).events().len(), 1);
}

#[test]
fn a_store_that_is_in_use_is_not_migrated() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    Runtime::new().unwrap().block_on(async {
        let old = SledStore::open(folder(&sandbox), Options::default()).await.unwrap();
        let said = sandbox.silcrow(&["log", "migrate"]);
        let user = format!("in use by process {}", std::process::id());
        assert!(said.ends(1).err.contains(&user), "{}", said.err);
        assert_eq!(exported(&old).await, wanted);
    });
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
    for at in calls(12) {
        let _ = fs::remove_dir_all(folder(&sandbox));
        copy(&original, &folder(&sandbox));
        let is_done = killer.ends_by_itself(&["log", "migrate"], at);
        let said = sandbox.silcrow(&["log", "export"]);
        match said.code {
            Some(0) => {
                assert_eq!(said.out, wanted, "{at}");
                new += 1;
            }
            _ => assert!(said.ends(2).err.contains("`silcrow log migrate "), "{at}: {}", said.err),
        }
        if is_done {
            break;
        }
        kills += 1;
        sandbox.silcrow(&["log", "migrate"]).ends(0);
        assert_eq!(sandbox.silcrow(&["log", "export"]).ends(0).out, wanted, "{at}");
        assert!(!folder(&sandbox).join("migrating").exists(), "{at}");
        assert!(folder(&sandbox).join("store-sled/data/db").exists(), "{at}");
    }
    say(&format!("{kills} kills, {new} of them left the new store"));
    assert!(kills > 6 && new > 0, "{kills} {new}");
}

#[test]
fn a_run_at_a_terminal_offers_it_and_does_it_after_a_yes() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    let run = sandbox.command(&["run", "What is here?", "--conversation", "new"]);
    let (shown, code) = at_terminal(&run, &["n\n"]);
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("`silcrow log migrate "), "{shown}");
    let (shown, code) = at_terminal(&run, &["y\n"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("migrated 3 conversations with 105 events, and 3 values"), "{shown}");
    let exported = sandbox.silcrow(&["log", "export"]).ends(0).out.clone();
    assert!(wanted.lines().all(|line| exported.contains(line)));
}
