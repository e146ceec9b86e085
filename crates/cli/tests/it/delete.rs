//! The deletion of a conversation with everything that belongs to it.

use std::fs;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};
use tokio::runtime::Runtime;

use crate::killer::{Killer, MOMENTS, calls, copy, say};
use crate::support::Sandbox;

/// If a deletion is killed at any system call, another one completes it.
#[test]
fn killed_deletion_can_be_repeated() {
    let sandbox = Sandbox::new();
    let (folder, original) = (sandbox.path("data/silcrow"), sandbox.path("original"));
    Runtime::new().unwrap().block_on(async {
        let store = LogStore::open(&folder, Options::default()).await.unwrap();
        for id in ["c1", "c1/1/a", "c1/1/a/2/b", "c1/notes", "c10/1/a"] {
            store.append(id, 0, vec![Event::user(id).into()]).await.unwrap();
        }
        for space in ["started/c1", "started/c1/1/a", "started/c1/3/c", "relic/c1"] {
            store.put(space, "k", 0, b"v".to_vec()).await.unwrap();
        }
    });
    for name in ["c1", "c1%2f1%2fa", "c1%2f1%2fa%2f2%2fb", "c1%2fnotes", "c10%2f1%2fa"] {
        fs::create_dir_all(folder.join("spills").join(name)).unwrap();
        fs::write(folder.join("spills").join(name).join("1-x"), "long").unwrap();
    }
    fs::create_dir(folder.join("changes")).unwrap();
    for (number, name) in ["c1", "c1%2f1%2fa", "c1%2fnotes"].into_iter().enumerate() {
        fs::write(folder.join(format!("changes/{number:016x}-done-{name}")), "record").unwrap();
    }
    fs::rename(&folder, &original).unwrap();

    let killer = Killer::new(&sandbox);
    let mut kills = 0;
    for moment in MOMENTS {
        for at in calls(6) {
            let _ = fs::remove_dir_all(&folder);
            copy(&original, &folder);
            let is_done =
                killer.ends_by_itself(&["log", "--json", "delete", "--yes", "c1"], moment, at);
            if !is_done {
                kills += 1;
                // If it was killed after its last change, nothing is left to delete.
                let said = sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]);
                assert!([Some(0), Some(2)].contains(&said.code), "{moment} {at}: {}", said.err);
            }
            let list = sandbox.silcrow(&["log", "--json", "list", "--all"]).ends(0).events();
            let mut ids: Vec<_> =
                list.iter().map(|one| one["conversation"].as_str().unwrap()).collect();
            ids.sort_unstable();
            assert_eq!(ids, ["c1/notes", "c10/1/a"], "{moment} {at}");
            let export = sandbox.silcrow(&["log", "--json", "export"]).ends(0).events();
            let spaces: Vec<_> = export.iter().filter_map(|line| line["space"].as_str()).collect();
            assert_eq!(spaces, ["relic/c1"], "{moment} {at}");
            let spills = fs::read_dir(folder.join("spills")).unwrap();
            let mut spills: Vec<_> = spills.map(|folder| folder.unwrap().file_name()).collect();
            spills.sort_unstable();
            assert_eq!(spills, ["c1%2fnotes", "c10%2f1%2fa"], "{moment} {at}");
            let changes = fs::read_dir(folder.join("changes")).unwrap();
            let changes = changes.map(|entry| entry.unwrap().file_name());
            assert_eq!(changes.filter(|name| name != "LOCK").count(), 1, "{moment} {at}");
            if is_done {
                break;
            }
        }
    }
    say(&format!("{kills} kills"));
    assert!(kills >= 3, "{kills}");
}
