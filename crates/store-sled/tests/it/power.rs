//! A machine that loses its power at any moment.

use std::path::Path;
use std::sync::Arc;

use silcrow_store_sled::{Options, SledStore};
use tempfile::TempDir;

use crate::chance::Chance;
use crate::disk::{Cut, Disk};
use crate::process::{command, say, store};
use crate::recorder::{Record, Recorder};
use crate::work::{self, Told, rounds};

/// What was acknowledged before a power cut is there after it; the rest is there whole or not at
/// all. Some of the stores that are written to have lived through a power cut themselves.
#[test]
fn nothing_acknowledged_is_lost_to_a_power_cut() {
    let recorder = Recorder::new();
    let wanted = rounds("SILCROW_POWER_CUTS", 60);
    let mut chance = Chance::new(rounds("SILCROW_SEED", 1));
    let (mut cuts, mut events, mut sessions) = (0, 0, 0);
    let mut begun = (tempfile::tempdir().unwrap(), Told::default());
    while cuts < wanted {
        let (folder, mut told) = begun;
        let mut disk = Disk::read(folder.path());
        let records = session(&recorder, folder.path(), &mut chance);
        let moments = moments(&records, &mut chance);
        begun = (tempfile::tempdir().unwrap(), Told::default());
        for (moment, record) in records.iter().enumerate() {
            disk.push(record);
            if let Record::Said(lines) = record {
                lines.lines().for_each(|line| told.push(line));
            }
            if !moments.contains(&moment) {
                continue;
            }
            for cut in [Cut::Lost, Cut::Torn] {
                chance.below(2);
                let left = leave(&disk, cut, &chance);
                events += work::verify(left.path(), told).unwrap_or_else(|words| {
                    let kept = leave(&disk, cut, &chance).keep();
                    panic!("cut {cuts}, {cut:?}, left {kept:?}, {told:?}: {words}")
                });
                // Every third session begins with nothing.
                if sessions % 3 < 2 && moments.last() == Some(&moment) {
                    begun = (leave(&disk, cut, &chance), told);
                }
            }
            cuts += 1;
        }
        assert!(disk.is(folder.path()), "the record of what was written has a gap");
        sessions += 1;
    }
    say(&format!("{cuts} cuts of each kind, {sessions} sessions, {events} events verified"));
    assert!(events / cuts > 100, "{events} events were verified after {cuts} cuts: too few");
}

/// What a process does that opens the store in `folder`, writes a while and ends, in one way or
/// the other.
fn session(recorder: &Recorder, folder: &Path, chance: &mut Chance) -> Vec<Record> {
    let mut child = command("power::write", folder);
    child.env(LIMIT, (20 + chance.below(120)).to_string());
    child.env(ABRUPT, chance.below(2).to_string());
    recorder.watch(&mut child, folder);
    assert!(child.output().unwrap().status.success(), "the writers failed");
    recorder.take(folder)
}

/// After which records the power is cut: half of them right after an acknowledgement, when nothing
/// that comes later can help.
fn moments(records: &[Record], chance: &mut Chance) -> Vec<usize> {
    let said = |(at, record)| matches!(record, &Record::Said(_)).then_some(at);
    let said: Vec<_> = records.iter().enumerate().filter_map(said).collect();
    let mut moments: Vec<_> = (0..5)
        .map(|number| match number % 2 {
            0 => said[chance.below(said.len() as u64) as usize],
            _ => chance.below(records.len() as u64) as usize,
        })
        .collect();
    moments.sort_unstable();
    moments.dedup();
    moments
}

fn leave(disk: &Disk, cut: Cut, chance: &Chance) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    disk.cut(folder.path(), cut, chance);
    folder
}

/// The other process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by another test, in a process of its own"]
async fn write() {
    let store = Arc::new(SledStore::open(store(), Options::default()).await.unwrap());
    work::write(Arc::clone(&store), rounds(LIMIT, 0)).await;
    if rounds(ABRUPT, 0) == 1 {
        std::process::exit(0);
    }
    drop(store);
}

const LIMIT: &str = "SILCROW_TEST_LIMIT";
const ABRUPT: &str = "SILCROW_TEST_ABRUPT";
