//! Files with secret names, and the commands that see them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxOptions};

use super::{Place, finish, run, write};

fn is_secret(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(".env") || name.ends_with(".pem") || path.iter().any(|part| part == ".ssh")
}

fn with(options: SandboxOptions) -> SandboxOptions {
    options.with_secret_names(is_secret)
}

/// A folder with secrets at the root, deep, in a separate folder, and at the end of a link.
fn place() -> Place {
    let place = Place::new();
    for path in [".env", ".env.local", "a/b/c/d/key.pem", "a/.ssh/config", "a/.ssh/id"] {
        write(place.path().join(path), "CANARY");
    }
    for path in ["open", "a/open", "a/b/c/d/open"] {
        write(place.path().join(path), "open\n");
    }
    symlink("../.env", place.path().join("a/link")).unwrap();
    symlink("/etc", place.path().join("a/etc.pem")).unwrap();
    place
}

/// Ways to read hidden files without their names.
const SPELLINGS: &[&str] = &[
    "grep -rs CAN .",
    "cat .e*v .env* */link a/.ssh/* a/b/c/d/*",
    "cat $(echo .env)",
    "find . -type f -exec cat {} +",
    "printf '.env\\0a/b/c/d/key.pem\\0' | xargs -0 cat",
    "wc -c --files0-from=.env",
    "tar -cf - . | cat",
    "python3 -c 'print(open(\".e\" + \"nv\").read())'",
    "cd a && cat ../.env ./b/c/d/key.pem",
    "cat /proc/self/cwd/.env",
    "cp .env copy; cat copy",
    "ln .env hard; cat hard; rm -f hard",
    "mv .env other; cat other; mv other .env",
    "mv a x; cat x/b/c/d/key.pem; mv x a",
    "exec 3<.env; cat <&3",
    "diff .env /dev/null; cmp -l .env open",
    "git diff --no-index /dev/null .env",
];

#[test]
fn no_spelling_shows_a_secret() {
    let place = place();
    for sandbox in place.sandboxes_with(with) {
        for script in SPELLINGS {
            for command in
                [ConfinedCommand::shell(*script), ConfinedCommand::shell(*script).read_only()]
            {
                let done = finish(sandbox.spawn(&command).unwrap());
                let seen = [&done.stdout, &done.stderr].iter().any(|text| text.contains("CANARY"));
                assert!(!seen, "{script}: {done:?}");
                assert_eq!(
                    fs::read_to_string(place.path().join(".env")).unwrap(),
                    "CANARY",
                    "{script}"
                );
            }
        }
        let done = run(&sandbox, "cat open a/open a/b/c/d/open");
        assert_eq!(done.stdout, "open\nopen\nopen\n", "{done:?}");
        assert_eq!(done.outcome.hidden.len(), 4, "{done:?}");
        assert!(!done.outcome.is_partly_hidden);
    }
}

#[test]
fn a_hidden_file_is_not_overwritten() {
    let place = place();
    for sandbox in place.sandboxes_with(with) {
        run(&sandbox, "echo x > .env; echo x >> .env; rm -f .env; cp open .env; truncate -s0 .env");
        assert_eq!(fs::read_to_string(place.path().join(".env")).unwrap(), "CANARY");
    }
}

#[test]
fn command_sees_only_granted_secrets() {
    let place = place();
    let root = place.path();
    let shown = |sandbox: &Sandbox, command: ConfinedCommand| {
        let done = finish(sandbox.spawn(&command).unwrap());
        (done.stdout, done.outcome.hidden.len())
    };
    let all = "cat .env; cat .env.local; cat a/.ssh/config; cat a/.ssh/id";
    for sandbox in place.sandboxes_with(with) {
        let command = |paths: &[&str]| {
            let paths = paths.iter().map(|path| root.join(path)).collect();
            ConfinedCommand::shell(all).with_secrets(paths)
        };
        assert_eq!(shown(&sandbox, command(&[])).0, "");
        assert_eq!(shown(&sandbox, command(&[".env"])).0, "CANARY");
        assert_eq!(shown(&sandbox, command(&[".env", "a/.ssh/id"]).read_only()).0, "CANARYCANARY");
        assert_eq!(shown(&sandbox, command(&["a/.ssh"])).0, "CANARYCANARY");
        let (text, hidden) = shown(&sandbox, ConfinedCommand::shell(all).with_all_secrets());
        assert_eq!((&*text, hidden), ("CANARYCANARYCANARYCANARY", 0));
    }
}

#[test]
fn packages_and_git_are_passed_over() {
    let place = place();
    for path in ["node_modules/x/a.pem", "v/site-packages/b.pem", ".git/refs/c.pem"] {
        write(place.path().join(path), "open");
    }
    for sandbox in place.sandboxes_with(with) {
        let script = "cat node_modules/x/a.pem v/site-packages/b.pem .git/refs/c.pem";
        assert_eq!(run(&sandbox, script).stdout, "openopenopen");
    }
}

#[test]
fn rules_for_too_many_neighbours_are_not_made() {
    let place = place();
    for number in 0..20_001 {
        fs::File::create(place.path().join(format!("a/{number}"))).unwrap();
    }
    let [with_mounts, with_rules] = &place.sandboxes_with(with)[..] else { panic!() };
    assert!(with_mounts.can_enforce_read_only() || !with_mounts.layers().namespaces);
    assert!(!with_rules.can_enforce_read_only());
}

#[test]
fn too_deep_folders_are_reported() {
    let place = place();
    let deep = "d/".repeat(70);
    fs::create_dir_all(place.path().join(&deep)).unwrap();
    write(place.path().join(deep).join(".env"), "CANARY");
    for sandbox in place.sandboxes_with(with) {
        assert!(!sandbox.can_enforce_read_only());
        let error = sandbox.spawn(&ConfinedCommand::shell("ls").read_only()).unwrap_err();
        assert!(error.to_string().contains("too many files"), "{error}");
        assert!(run(&sandbox, "true").outcome.is_partly_hidden);
    }
}

/// The name of a folder cannot keep commands from running.
#[test]
fn secret_under_non_utf8_folder_is_reported() {
    let place = place();
    let folder = place.path().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).unwrap();
    write(folder.join(".env"), "CANARY");
    for sandbox in place.sandboxes_with(with) {
        assert!(!sandbox.can_enforce_read_only());
        let done = run(&sandbox, "echo ran");
        assert_eq!(done.stdout, "ran\n");
        assert!(done.outcome.is_partly_hidden);
    }
}
