//! Whatever a command puts in the place of a path of its sandbox, the next command is not affected.

use std::fs;
use std::os::unix::fs::symlink;

use silcrow_sandbox::SandboxOptions;

use super::{Place, run, write};

#[test]
fn symlink_replacing_readable_path_is_not_followed() {
    let (place, outside) = (Place::new(), Place::new());
    write(outside.path().join("key"), "CANARY");
    let with = |options: SandboxOptions| options.with_readable(place.path().join("tools/bin"));
    for sandbox in place.sandboxes_with(with) {
        fs::create_dir_all(place.path().join("tools/bin")).unwrap();
        let outside = outside.path();
        run(&sandbox, &format!("rmdir tools/bin && ln -s {} tools/bin", outside.display()));
        assert!(place.path().join("tools/bin").is_symlink());
        let done = run(&sandbox, &format!("cat tools/bin/key; cat {}/key", outside.display()));
        assert!(!done.stdout.contains("CANARY"), "{done:?}");
        fs::remove_file(place.path().join("tools/bin")).unwrap();
    }
}

#[test]
fn symlink_replacing_writable_path_is_not_followed() {
    let (place, outside) = (Place::new(), Place::new());
    for index in 0..2 {
        fs::create_dir_all(place.path().join("out")).unwrap();
        let with = |options: SandboxOptions| options.with_writable(place.path().join("out"));
        let sandbox = place.sandboxes_with(with).swap_remove(index);
        fs::remove_dir(place.path().join("out")).unwrap();
        symlink(outside.path(), place.path().join("out")).unwrap();
        let process = sandbox.spawn(&silcrow_sandbox::ConfinedCommand::shell("echo x > out/x"));
        let error = process.unwrap().end.wait().unwrap_err();
        assert!(error.to_string().starts_with("the sandbox cannot"), "{error}");
        assert!(!outside.path().join("x").exists());
        fs::remove_file(place.path().join("out")).unwrap();
    }
}

#[test]
fn a_hidden_folder_cannot_be_moved_into_view() {
    let place = Place::new();
    write(place.path().join("data/deep/store/key"), "CANARY");
    let with = |options: SandboxOptions| options.with_hidden("data/deep/store");
    for sandbox in place.sandboxes_with(with) {
        for script in ["mv data moved", "mv data/deep moved", "mkdir -p b; mv data/deep b", "ls"] {
            run(&sandbox, script);
            let done = run(&sandbox, "cat */store/key */*/store/key; grep -r CANARY .");
            assert!(!done.stdout.contains("CANARY"), "{script}: {done:?}");
        }
        assert!(place.path().join("data/deep/store/key").exists());
    }
}

#[test]
fn hidden_files_cannot_be_hard_linked() {
    let place = Place::new();
    let key = place.path().join("data/store/key");
    write(&key, "CANARY");
    let with = |options: SandboxOptions| options.with_hidden("data/store");
    for sandbox in place.sandboxes_with(with) {
        let script = "ln data/store/key hard; ln data/store/key data/hard; cp -al data copy; \
            mkdir sub; ln data/store/key sub/hard; ln -L data/store/key $TMPDIR/hard; \
            python3 -c 'import os; os.link(\"data/store/key\", \"other\")'; rm -rf sub copy";
        let done = run(&sandbox, script);
        let links = std::os::unix::fs::MetadataExt::nlink(&fs::metadata(&key).unwrap());
        assert_eq!(links, 1, "{done:?}");
        assert_eq!(fs::read_to_string(&key).unwrap(), "CANARY");
    }
}
