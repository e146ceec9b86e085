//! A machine that loses its power at any moment.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use silcrow_store_log::{LogStore, Options};
use tempfile::TempDir;

use crate::chance::Chance;
use crate::disk::{Cut, Disk};
use crate::process::{command, rounds, said, say, say_tried, store};
use crate::recorder::{Record, Recorder};
use crate::work::{self, Told};

/// Data that was acknowledged before a power cut is there after it, the rest is there whole or not
/// at all, and nothing is reported as damaged. Some of the stores that are written to have lived
/// through power cuts themselves, and some machines do not say which start this is.
#[test]
fn nothing_acknowledged_is_lost_to_a_power_cut() {
    let recorder = Recorder::new();
    let wanted = rounds("SILCROW_POWER_CUTS", 8);
    let mut chance = Chance::new(silcrow_testkit::run_seed());
    let (mut cuts, mut events, mut sessions) = (0, 0, 0);
    let mut begun = (tempfile::tempdir().unwrap(), Told::default());
    // If all processes ended soon, there is little to lose, so there are further sessions then.
    while cuts < wanted || events <= 50 * cuts {
        let most = 4 + wanted;
        assert!(sessions < most, "{events} events were verified after {cuts} cuts: too few");
        let (folder, mut told) = begun;
        let mut disk = Disk::read(folder.path());
        let says_start = chance.below(3) > 0;
        let start = |part: u64| says_start.then_some(2 * sessions + part);
        let records = session(&recorder, folder.path(), &mut chance, start(1));
        let moments = moments(&records, &mut chance);
        begun = (tempfile::tempdir().unwrap(), Told::default());
        for (moment, record) in records.iter().enumerate() {
            disk.apply(record);
            if let Record::Said(lines) = record {
                lines.lines().for_each(|line| told.push(line));
            }
            if !moments.contains(&moment) {
                continue;
            }
            for cut in [Cut::Lost, Cut::Torn] {
                chance.below(2);
                let left = leave(&disk, cut, &chance);
                events += check(&recorder, left.path(), &told, start(2)).unwrap_or_else(|words| {
                    let kept = leave(&disk, cut, &chance).keep();
                    panic!("session {sessions}, cut {cuts}, {cut:?}, left {kept:?}: {words}")
                });
                // Every third session begins with nothing.
                if sessions % 3 < 2 && moments.last() == Some(&moment) {
                    begun = (leave(&disk, cut, &chance), told.clone());
                }
            }
            cuts += 1;
        }
        assert!(disk.is(folder.path()), "the record of what was written has a gap");
        sessions += 1;
    }
    say_tried(&format!("{cuts} cuts of each kind, {sessions} sessions, {events} events verified"));
}

/// The work of processes that open the store in `folder`, one after the other, write a while and
/// end in some way, all after one start of the machine.
fn session(
    recorder: &Recorder,
    folder: &Path,
    chance: &mut Chance,
    start: Option<u64>,
) -> Vec<Record> {
    for _ in 0..3 {
        let mut child = command("power::write", folder);
        child.env(LIMIT, (10 + chance.below(50)).to_string());
        recorder.watch(&mut child, folder);
        begin(recorder, &mut child, start);
        match chance.below(4) {
            0 => recorder.at_call(&mut child, 1 + chance.below(200), "before"),
            1 => recorder.at_call(&mut child, 1 + chance.below(60), "after"),
            2 => recorder.fail_sync(&mut child, 1 + chance.below(30)),
            _ => {}
        }
        child.stderr(Stdio::null()).output().unwrap();
    }
    recorder.take(folder)
}

/// Says the number of the start of the machine, or that the machine does not say it.
fn begin(recorder: &Recorder, child: &mut Command, start: Option<u64>) {
    match start {
        Some(number) => recorder.boot(child, number),
        None => recorder.boot_without_number(child),
    }
}

/// After which records the power is cut: half of them right after an acknowledgement, when nothing
/// that comes later can help.
fn moments(records: &[Record], chance: &mut Chance) -> Vec<usize> {
    let said = |(at, record)| matches!(record, &Record::Said(_)).then_some(at);
    let said: Vec<_> = records.iter().enumerate().filter_map(said).collect();
    let mut moments: Vec<_> = (0..6)
        .map(|number| match number % 2 {
            0 if !said.is_empty() => said[chance.below(said.len() as u64) as usize],
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

/// Checks a store after the next start of the machine.
fn check(recorder: &Recorder, dir: &Path, told: &Told, start: Option<u64>) -> Result<u64, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), &told.lines).unwrap();
    let mut child = command("power::read", dir);
    begin(recorder, &mut child, start);
    let output = child.env(TOLD, file.path()).stderr(Stdio::piped()).output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout);
    let total = words.lines().find_map(said).and_then(|said| said.parse().ok());
    total.ok_or_else(|| format!("{words}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The process that writes. After an error it opens the store again, as a person would.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by another test, in a process of its own"]
async fn write() {
    for _ in 0..3 {
        let Ok(store) = LogStore::open(store(), Options::default()).await else { continue };
        let store = Arc::new(store);
        let wrote = tokio::spawn(work::write(Arc::clone(&store), 0, rounds(LIMIT, 0))).await;
        if wrote.is_ok() {
            break;
        }
    }
}

/// The process that reads, then writes and reads again.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn read() {
    let mut told = Told::default();
    fs::read_to_string(std::env::var(TOLD).unwrap())
        .unwrap()
        .lines()
        .for_each(|line| told.push(line));
    let total = work::check(&store(), &told).await;
    let opened = Arc::new(LogStore::open(store(), Options::default()).await.unwrap());
    work::write_silently(opened, 0, 6).await;
    work::check(&store(), &told).await;
    say(&total.to_string());
}

const LIMIT: &str = "SILCROW_TEST_LIMIT";
const TOLD: &str = "SILCROW_TEST_TOLD";
