//! A migration on a disk that is full, or that fails.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::killer::{calls, copy, say};
use crate::old_store;
use crate::recorder::{Record, Recorder};
use crate::support::{Sandbox, command_output};

/// However little room there is, the store is the old one or the new one, and the message says what
/// is missing. Once there is room, another migration completes it.
#[test]
fn a_migration_on_a_full_disk_can_be_repeated() {
    if std::env::var_os(WITHOUT).is_some() {
        return say(&format!("nothing: {WITHOUT} is set"));
    }
    let disk = tempfile::tempdir().unwrap();
    let mut shell = Command::new("unshare");
    let mount = "mount -t tmpfs -o size=8m none \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(disk.path());
    shell.arg(std::env::current_exe().unwrap());
    shell.args(["migrate_full::migrate", "--exact", "--ignored", "--nocapture"]);
    let output = shell.env(DISK, disk.path()).stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let Some((_, tried)) = shown.split_once(DONE).filter(|_| output.status.success()) else {
        let err = String::from_utf8_lossy(&output.stderr);
        panic!("{shown}{err}\nwhere no file system can be made, {WITHOUT}=1 leaves this out");
    };
    say(tried.lines().next().unwrap_or_default());
}

/// The other process, which sees a file system of 8 MiB.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn migrate() {
    let disk = std::env::var_os(DISK).expect("this is run by another test");
    let (folder, ballast) = (Path::new(&disk).join("store"), Path::new(&disk).join("ballast"));
    let place = folder.to_str().unwrap();
    let sandbox = Sandbox::new();
    let export = || sandbox.silcrow(&["log", "--json", "export", "--store", place]);
    let (mut full, mut done) = (0, 0);
    // In pages: from none to what is enough.
    for room in [0, 1, 64, 256, 376, 380, 384, 388, 392, 400, 416, 448, 512, 600] {
        let _ = fs::remove_dir_all(&folder);
        old_store::install("whole", &folder);
        let mut file = File::create(&ballast).unwrap();
        while file.write_all(&[1; PAGE as usize]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(room * PAGE)).unwrap();
        drop(file);
        let said = sandbox.silcrow(&["log", "--json", "migrate", place]);
        if said.code == Some(0) {
            done += 1;
        } else {
            full += 1;
            let is_named = ["is full", "No space left"].iter().any(|why| said.err.contains(why));
            assert!(is_named && said.code == Some(1), "{room}: {}", said.err);
            assert!(!said.err.contains("panicked"), "{room}: {}", said.err);
            let said = export();
            assert!(said.ends(2).err.contains("`silcrow log migrate "), "{room}: {}", said.err);
        }
        fs::remove_file(&ballast).unwrap();
        sandbox.silcrow(&["log", "--json", "migrate", place]).ends(0);
        assert_eq!(export().ends(0).out, old_store::EXPORT, "{room}");
        assert!(folder.join("store-sled/data/db").exists(), "{room}");
    }
    assert!(full >= 4 && done > 0, "{full} {done}");
    say(&format!("{full} full disks, and {done} that were nearly full"));
}

/// The same if any call fails that opens or changes a file, once or from then on: a disk that is
/// broken (EIO) or gets full (ENOSPC) meanwhile.
#[test]
fn a_migration_whose_disk_fails_can_be_repeated() {
    let sandbox = Sandbox::new();
    let (folder, original) = (sandbox.path("data/silcrow"), sandbox.path("original"));
    old_store::install("whole", &original);
    fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let recorder = Recorder::new();
    let (mut failed, mut done) = (0, 0);
    for fate in ["5", "28", "5+", "28+"] {
        for at in calls(50) {
            let _ = fs::remove_dir_all(&folder);
            copy(&original, &folder);
            let mut command = sandbox.command(&["log", "--json", "migrate"]);
            recorder.watch(&mut command, &folder);
            recorder.at_call(&mut command, at, fate);
            let said = command_output(command.stdin(Stdio::null()).output().unwrap());
            let reached = recorder.take(&folder).into_iter().find_map(|record| match record {
                Record::Reached(name) => Some(name),
                _ => None,
            });
            let Some(name) = reached else { break };
            let what = format!("{fate} at {at}, {name}: {}", said.err);
            assert!(!said.err.contains("panicked") && !said.err.contains("Os {"), "{what}");
            match said.code {
                Some(0) => done += 1,
                Some(1) => failed += 1,
                code => panic!("{code:?}: {what}"),
            }
            let export = || sandbox.silcrow(&["log", "--json", "export"]);
            let shown = export();
            match shown.code {
                Some(0) => assert_eq!(shown.out, old_store::EXPORT, "{what}"),
                _ => {
                    let is_old = shown.ends(2).err.contains("`silcrow log migrate ");
                    assert!(is_old && said.code == Some(1), "{what}: {}", shown.err);
                }
            }
            sandbox.silcrow(&["log", "--json", "migrate"]).ends(0);
            assert_eq!(export().ends(0).out, old_store::EXPORT, "{what}");
            for left in ["migrating", "reading"] {
                assert!(!folder.join(left).exists(), "{what}: {left} is left");
            }
            assert!(folder.join("store-sled/data/db").exists(), "{what}");
        }
    }
    say(&format!("{} calls that fail, {failed} of which the command reports", failed + done));
    assert!(failed >= 3, "{failed} {done}");
}

/// The length of a page, in bytes.
const PAGE: u64 = 4_096;

const DISK: &str = "SILCROW_TEST_DISK";
/// What [`say`] writes first.
const DONE: &str = "@ tried ";

/// Set where no file system can be made, such as in some containers.
const WITHOUT: &str = "SILCROW_WITHOUT_TMPFS";
