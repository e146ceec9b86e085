//! Files: a command's access by reading and writing, whatever program it tries.

use std::fs;
use std::os::unix::fs::symlink;

use super::{Place, run, write};

/// Commands that must change nothing outside the root. `$OUT` is a folder outside, with `file`.
const WRITES: &[&str] = &[
    "echo x > $OUT/new",
    "echo x >> $OUT/file",
    ": > $OUT/file",
    "truncate -s 0 $OUT/file",
    "python3 -c 'import os; os.truncate(\"'$OUT'/file\", 0)'",
    "rm $OUT/file",
    "mv $OUT/file moved",
    "ln $OUT/file link && echo x > link",
    "ln -s $OUT away && echo x > away/new",
    "mkdir $OUT/new",
    "mkfifo $OUT/new",
    "touch own && mv own $OUT/new",
    "touch own && ln own $OUT/new",
    "cd $OUT && echo x > new",
    "echo x > /proc/self/cwd/../$(basename $OUT)/new",
    "cp /bin/true $OUT/new",
    "dd if=/dev/zero of=$OUT/file bs=1 count=1",
    "sed -i s/a/b/ $OUT/file",
    "tar -cf $OUT/new .",
    "exec 7>$OUT/new; echo x >&7",
    "python3 -c 'import os; os.rename(\"'$OUT'/file\", \"'$OUT'/new\")'",
];

#[test]
fn nothing_outside_the_root_is_written() {
    let (place, outside) = (Place::new(), Place::new());
    symlink(outside.path(), place.path().join("link-out")).unwrap();
    for sandbox in place.sandboxes() {
        for script in WRITES.iter().chain(&["echo x > link-out/new"]) {
            write(outside.path().join("file"), "as it was");
            let script = format!("OUT={}; {script}", outside.path().display());
            let done = run(&sandbox, &script);
            let names = fs::read_dir(outside.path()).unwrap().count();
            let text = fs::read_to_string(outside.path().join("file"));
            assert_eq!((names, &*text.unwrap_or_default()), (1, "as it was"), "{script}: {done:?}");
        }
    }
}

#[test]
fn the_root_and_the_temporary_folder_are_written() {
    let place = Place::new();
    for sandbox in place.sandboxes() {
        let script = "set -e; mkdir -p a/b; echo text > a/b/c; mv a/b/c d; rm -r a; ln -s d e; \
            cat e; rm d e; echo tmp > $TMPDIR/f; cat $TMPDIR/f; mktemp >/dev/null; cd /; \
            echo null > /dev/null";
        let done = run(&sandbox, script);
        assert_eq!((&*done.stdout, done.outcome.code), ("text\ntmp\n", Some(0)), "{done:?}");
    }
}

#[test]
fn secrets_outside_the_root_are_not_read() {
    let (place, home) = (Place::new(), Place::new());
    let secret = home.path().join(".ssh/id_ed25519");
    write(&secret, "CANARY");
    symlink(&secret, place.path().join("link")).unwrap();
    let own = std::process::id();
    for sandbox in place.sandboxes() {
        for script in [
            format!("cat {}", secret.display()),
            "cat link".to_owned(),
            format!("cp {} copy; cat copy", secret.display()),
            format!("ls -R {}", home.path().display()),
            format!("ln {} hard; cat hard", secret.display()),
            "cat /etc/shadow | grep -q root: && echo CANARY".to_owned(),
            "ls ~/.ssh ~/.aws / && echo CANARY".to_owned(),
            "cat /proc/*/environ | tr '\\0' '\\n' | grep ^SILCROW_CANARY".to_owned(),
            format!(
                "head -c1 /proc/{own}/environ && echo CANARY; readlink /proc/{own}/fd/1 && echo CANARY"
            ),
        ] {
            let done = run(&sandbox, &script);
            let seen = done.stdout.contains("CANARY") || done.stdout.contains("id_ed25519");
            assert!(!seen, "{script}: {done:?}");
        }
    }
}

#[test]
fn hidden_path_inside_root_is_unreadable() {
    let place = Place::new();
    write(place.path().join("private/key"), "CANARY");
    write(place.path().join("sub/.env"), "CANARY");
    write(place.path().join("sub/open"), "open");
    let with = |options: silcrow_sandbox::SandboxOptions| {
        options.with_hidden(place.path().join("private")).with_hidden(place.path().join("sub/.env"))
    };
    for sandbox in place.sandboxes_with(with) {
        let script = "cat private/key; cat sub/.env; grep -r CANARY . ; cat sub/open; ls; \
            mv sub other; cat other/.env; mv other sub";
        let done = run(&sandbox, script);
        assert!(!done.stdout.contains("CANARY"), "{done:?}");
        assert!(done.stdout.contains("open"), "{done:?}");
        assert_eq!(fs::read_to_string(place.path().join("private/key")).unwrap(), "CANARY");
    }
}

#[test]
fn symlink_does_not_expose_hidden_path() {
    let (place, real) = (Place::new(), Place::new());
    write(real.path().join("tool/secret"), "CANARY");
    write(real.path().join("tool/open"), "open");
    write(real.path().join("elsewhere"), "CANARY");
    symlink(real.path().join("tool"), real.path().join("alias")).unwrap();
    symlink(real.path().join("elsewhere"), real.path().join("tool/link")).unwrap();
    let with = |options: silcrow_sandbox::SandboxOptions| {
        let real = real.path();
        let options =
            options.with_readable(real.join("alias")).with_readable(real.join("elsewhere"));
        options.with_hidden(real.join("alias/secret")).with_hidden(real.join("alias/link"))
    };
    for sandbox in place.sandboxes_with(with) {
        let folder = real.path();
        let folder = folder.display();
        let script = format!("cd {folder}; cat tool/open; cat */secret */link elsewhere");
        assert_eq!(run(&sandbox, &script).stdout, "open");
    }
}

#[test]
fn paths_of_the_caller_are_readable_and_writable() {
    let (place, read, written) = (Place::new(), Place::new(), Place::new());
    write(read.path().join("file"), "to read");
    let with = |options: silcrow_sandbox::SandboxOptions| {
        options.with_readable(read.path()).with_writable(written.path())
    };
    for sandbox in place.sandboxes_with(with) {
        let (read, written) = (read.path(), written.path());
        let (read, written) = (read.display(), written.display());
        let done =
            run(&sandbox, &format!("cat {read}/file; echo x > {read}/file; echo y > {written}/y"));
        assert!(done.stdout.contains("to read"), "{done:?}");
        assert_eq!(fs::read_to_string(format!("{read}/file")).unwrap(), "to read");
        assert_eq!(fs::read_to_string(format!("{written}/y")).unwrap(), "y\n");
    }
}
