//! A process killed at any moment.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use silcrow_store_sled::{Options, SledDurability, SledStore};

use crate::chance::Chance;
use crate::process::{command, said, say, store};
use crate::work::{self, Told, rounds};

/// What was acknowledged before a kill is there after it; the rest is there whole or not at all.
#[test]
fn nothing_acknowledged_is_lost_to_a_kill() {
    let kills = rounds("SILCROW_KILLS", 100);
    let mut chance = Chance::new(rounds("SILCROW_SEED", 1));
    let mut dir = tempfile::tempdir().unwrap();
    let mut told = Told::default();
    let (mut total, mut early) = (0, 0);
    for kill in 0..kills {
        // A store that was killed over and over, and again a new one.
        if kill % 20 == 0 {
            dir = tempfile::tempdir().unwrap();
            told = Told::default();
        }
        early += u64::from(!is_open_when_killed(dir.path(), &mut told, &mut chance));
        total +=
            work::verify(dir.path(), told).unwrap_or_else(|words| panic!("kill {kill}: {words}"));
    }
    say(&format!("{kills} kills, {early} before it was open, {total} events verified"));
    assert!(early > 0 && early < kills, "{early} of {kills} kills were while opening");
    assert!(total / kills > 20, "{total} events after {kills} kills: the processes hardly ran");
}

fn is_open_when_killed(dir: &Path, told: &mut Told, chance: &mut Chance) -> bool {
    let mut child = command("kill::append", dir).spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    // Every third while it opens the store, or makes it.
    let longest = if chance.below(3) == 0 { 30_000 } else { 300_000 };
    let after = chance.below(longest);
    let killer = thread::spawn(move || {
        // The one place where time itself is tested: a kill at some moment.
        thread::sleep(Duration::from_micros(after));
        child.kill().unwrap();
        child.wait().unwrap();
    });
    let mut is_open = false;
    for line in out.lines().map_while(Result::ok) {
        is_open |= said(&line).is_some();
        told.push(&line);
    }
    killer.join().unwrap();
    is_open
}

/// The other process: appends until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by another test, in a process of its own"]
async fn append() {
    // A kill shows nothing of power cuts, so the syncs are left out and more is tried.
    let options = Options { durability: SledDurability::Process };
    let store = Arc::new(SledStore::open(store(), options).await.unwrap());
    say("open");
    work::write(store, u64::MAX).await;
}
