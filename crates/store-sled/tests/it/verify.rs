//! Verifying ends, whatever page of the files is damaged.

use std::fs;
use std::path::Path;
use std::process::Command;

use silcrow_event::Event;
use silcrow_store::verify::Place;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledDurability, SledStore};

use crate::process::{command, said, say, store};

/// Each copy is verified by a process of its own, since what never ends cannot be stopped
/// otherwise. The limit is far beyond what it takes.
#[tokio::test]
async fn a_damaged_page_never_makes_it_endless() {
    let model = filled().await;
    let length = fs::metadata(model.path().join("data/db")).unwrap().len() as usize;
    let (mut whole, mut damaged, mut unread) = (0, 0, 0);
    for copy in 0..COPIES {
        let dir = tempfile::tempdir().unwrap();
        copy_store(model.path(), dir.path());
        let path = dir.path().join("data/db");
        let mut bytes = fs::read(&path).unwrap();
        let at = length / COPIES * copy;
        let end = (at + DAMAGE).min(length);
        bytes[at..end].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(&path, bytes).unwrap();

        let child = command("verify::tell", dir.path());
        let mut limited = Command::new("timeout");
        limited.args(["-s", "KILL", LIMIT]).arg(child.get_program()).args(child.get_args());
        for (name, value) in child.get_envs() {
            limited.env(name, value.unwrap());
        }
        let output = limited.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        let told = told.lines().find_map(said);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "damage at {at}: {:?}, {errors}", output.status);
        match told.unwrap() {
            "whole" => whole += 1,
            "unread" => unread += 1,
            _ => damaged += 1,
        }
        assert!(!errors.contains("/sled-0."), "damage at {at}: {errors}");
    }
    // The rest of the damage is where a later write has replaced what was there.
    assert!(unread >= 2, "{whole} whole, {damaged} damaged, {unread} unread");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn tell() {
    let store = match SledStore::open(store(), Options::default()).await {
        Ok(store) => store,
        Err(error) => {
            let kind = error.kind();
            let is_known = matches!(kind, ErrorKind::Damaged | ErrorKind::Unavailable);
            assert!(is_known, "{error}");
            return say("unopened");
        }
    };
    let report = store.verify().await.unwrap();
    let is_unread = |place: &Place| matches!(place, Place::Unread { .. });
    say(match &report.damage[..] {
        [] => "whole",
        damage if damage.iter().any(|one| is_unread(&one.place)) => "unread",
        _ => "damaged",
    });
}

/// A store with more pages than sled reads when it opens it.
async fn filled() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    // The last two times it is only opened, so that sled's snapshot covers all of it.
    for session in 0..5 {
        let options = Options { durability: SledDurability::Process };
        let store = SledStore::open(dir.path(), options).await.unwrap();
        if session > 2 {
            continue;
        }
        for log in 0..20 {
            let batch = (0..40).map(|n| Event::user(format!("{log} {n} ").repeat(60)).into());
            store.append(&format!("log {log}"), session * 40, batch.collect()).await.unwrap();
            store.put("s", &format!("k{log}"), session, vec![7; 900]).await.unwrap();
        }
    }
    dir
}

fn copy_store(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("data/blobs")).unwrap();
    for folder in ["", "data"] {
        for entry in fs::read_dir(from.join(folder)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                fs::copy(entry.path(), to.join(folder).join(entry.file_name())).unwrap();
            }
        }
    }
}

const COPIES: usize = 24;

/// In bytes.
const DAMAGE: usize = 600;

/// In seconds.
const LIMIT: &str = "120";
