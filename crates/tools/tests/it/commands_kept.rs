//! Files that are kept before commands, and exceptions: long files, files that git ignores, odd
//! names.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;

use silcrow_tools::FileOutcome;

use crate::commands::{project, tree};

#[test]
fn unkept_files_are_named_and_rest_restored() {
    let commands = project();
    commands.put("huge", vec![b'h'; 17 << 20]);
    commands.sh("truncate -s 40G sparse; mkfifo pipe; ln empty second");
    commands.run("rm huge sparse pipe x.log run.sh; rm -r build; echo more > empty");
    let report = commands.undo();
    assert_eq!(report.refusals, []);
    let named: Vec<_> = report.uncovered.iter().map(|it| &*it.path).collect();
    assert_eq!(named, ["build", "huge", "pipe", "sparse", "x.log"]);
    assert!(commands.path().join("run.sh").exists());
    // Two names of one file are still names of one file.
    let inode = |name: &str| fs::metadata(commands.path().join(name)).unwrap().ino();
    assert_eq!(inode("empty"), inode("second"));
    assert_eq!(commands.it.place.get("second"), "");
}

#[test]
fn changed_ignore_rules_change_no_files() {
    let commands = project();
    commands.run(": > .gitignore");
    assert_eq!(commands.undo().refusals, []);
    for kept in ["build/out", "x.log"] {
        assert!(commands.path().join(kept).exists(), "{kept}");
    }
    commands.run("echo '*.rs' >> .gitignore; echo changed > src/a.rs");
    assert_eq!(commands.it.place.get("src/a.rs"), "changed\n");
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(commands.it.place.get("src/a.rs"), "one\ntwo\n");
    assert_eq!(commands.it.place.get("src/deep/b.rs"), "b\n");
}

#[test]
fn names_that_are_not_text_come_back() {
    let commands = project();
    let name = OsStr::from_bytes(b"n\xff/\xfe");
    fs::create_dir(commands.path().join(OsStr::from_bytes(b"n\xff"))).unwrap();
    fs::write(commands.path().join(name), "odd").unwrap();
    let before = tree(&commands.path());
    commands.run("rm -r n*");
    let report = commands.undo();
    assert_eq!(report.refusals, []);
    assert_eq!(tree(&commands.path()), before);
    assert!(report.files.iter().all(|file| file.outcome == FileOutcome::Restored));
}

#[test]
fn nothing_is_restored_through_a_link() {
    let commands = project();
    let outside = commands.it.place.outer.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("a.rs"), "outside").unwrap();
    commands.run("rm src/a.rs");
    // A person, or a command that still runs, puts a link in the place of the folder.
    commands.sh("mv src away && ln -s ../outside src");
    let report = commands.undo();
    assert_eq!(fs::read_to_string(outside.join("a.rs")).unwrap(), "outside");
    assert_eq!(report.refusals.len(), 1, "{report:?}");
}

#[test]
fn kept_contents_match_the_files() {
    let commands = project();
    commands.run("true");
    for number in 0..5 {
        commands.run(&format!("echo {number} > src/a.rs"));
    }
    // Contents that no file has any more are not kept twice: the records have them.
    let snapshots = commands.it.place.outer.path().join("changes/snapshots");
    let contents = tree(&snapshots).into_iter().filter(|(path, seen)| {
        seen.starts_with("File") && path.iter().any(|name| name == "contents")
    });
    // a.rs, b.rs, run.sh, logo.bin, .gitignore and the empty file.
    assert_eq!(contents.count(), 6);
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(commands.it.place.get("src/a.rs"), "one\ntwo\n");
}
