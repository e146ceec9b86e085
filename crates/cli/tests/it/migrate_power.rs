//! A migration in the middle of which the machine loses its power.

use std::process::Stdio;

use crate::disk::{Cut, Disk};
use crate::killer::{calls, chance, say};
use crate::migrate::{folder, old_store};
use crate::recorder::{Record, Recorder};
use crate::support::Sandbox;

/// Whatever the disk has of it, the store is the old one or the new one, and another migration
/// completes it.
#[test]
fn a_migration_that_is_cut_short_can_be_repeated() {
    let sandbox = Sandbox::new();
    let wanted = old_store(&sandbox);
    let (recorder, mut chance) = (Recorder::new(), chance());
    let mut disk = Disk::read(&folder(&sandbox));
    let mut command = sandbox.command(&["log", "--json", "migrate"]);
    recorder.watch(&mut command, &folder(&sandbox));
    // The checks are made in another run of the machine.
    recorder.boot(&mut command, 1);
    assert!(command.stdin(Stdio::null()).stdout(Stdio::piped()).output().unwrap().status.success());
    let records = recorder.take(&folder(&sandbox));

    let mut chosen = calls(50).peekable();
    let (mut is_done, mut old, mut new) = (false, 0, 0);
    for (record, moment) in records.iter().zip(1..) {
        disk.push(record);
        is_done |= matches!(record, Record::Said(_));
        // Most of what happens is that the new store is built: the last moments are the moves.
        let is_among_the_last = moment + 40 > records.len() as u64 && moment % 8 == 0;
        if chosen.next_if_eq(&moment).is_none() && !is_among_the_last {
            continue;
        }
        for cut in [Cut::Lost, Cut::Torn] {
            chance.below(2);
            let left = tempfile::tempdir().unwrap();
            disk.cut(left.path(), cut, &chance);
            let what = format!("{cut:?} after {moment}, {record:?}");
            let place = left.path().to_str().unwrap();
            let said = sandbox.silcrow(&["log", "--json", "export", "--store", place]);
            if said.code == Some(0) {
                assert_eq!(said.out, wanted, "{what}");
                new += 1;
            } else {
                let is_old = said.code == Some(2) && said.err.contains("`silcrow log migrate ");
                assert!(is_old && !is_done, "{what}: {}", said.err);
                old += 1;
            }
            let said = sandbox.silcrow(&["log", "--json", "migrate", place]);
            assert_eq!(said.code, Some(0), "{what}: {}", said.err);
            let said = sandbox.silcrow(&["log", "--json", "export", "--store", place]);
            assert_eq!((said.code, &*said.out), (Some(0), wanted), "{what}: {}", said.err);
            for name in ["migrating", "reading"] {
                assert!(!left.path().join(name).exists(), "{what}: {name}");
            }
            assert!(left.path().join("store-sled/data/db").exists(), "{what}");
        }
    }
    assert!(is_done && disk.is(&folder(&sandbox)), "the record has a gap");
    say(&format!("{} power cuts: {old} left the old store, {new} the new one", old + new));
    assert!(old > 1 && new > 1, "{old} {new}");
}
