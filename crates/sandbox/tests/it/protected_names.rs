//! Files that programs run automatically: protected by their names, at any depth.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use silcrow_sandbox::{Sandbox, SandboxOptions};

use super::{Done, Place, run, say, write};

const NAMES: [&str; 5] = [".envrc", ".husky", ".vscode/settings.json", ".config/fish", ".git"];

fn named(options: SandboxOptions) -> SandboxOptions {
    NAMES.iter().fold(options, |options, name| options.with_protected_name(*name))
}

fn text(place: &Place, path: &str) -> String {
    fs::read_to_string(place.path().join(path)).unwrap_or_default()
}

/// Returns the entries that were set aside, relative to the root, and removes them.
fn set_aside(place: &Place, done: &Done) -> Vec<String> {
    let mut names = Vec::new();
    for path in &done.outcome.set_aside {
        names.push(path.strip_prefix(place.path()).unwrap().display().to_string());
        let is_folder = fs::symlink_metadata(path).unwrap().is_dir();
        if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
    names.sort_unstable();
    names
}

/// Each changes one of the files that exist, or its content.
const CHANGES: &[(&str, &str)] = &[
    (".envrc", "echo x > .envrc"),
    (".envrc", "rm .envrc; echo x > .envrc"),
    (".envrc", "echo x > new; mv new .envrc"),
    (".vscode/settings.json", "echo x >> .vscode/settings.json"),
    (".vscode/settings.json", "mv .vscode v; mkdir .vscode; echo x > .vscode/settings.json"),
    (".vscode/settings.json", "mv .vscode v; mkdir w; echo x > w/settings.json; ln -s w .vscode"),
    (".husky/pre-commit", "echo x > .husky/pre-commit"),
    (".husky/pre-commit", "rm -rf .husky; mkdir .husky; echo x > .husky/pre-commit"),
    (".husky/pre-commit", "python3 -c 'import os; os.truncate(\".husky/pre-commit\", 1)'"),
];

const EXISTING: [&str; 3] = [".envrc", ".vscode/settings.json", ".husky/pre-commit"];

#[test]
fn protected_names_at_root_stay_unchanged() {
    for index in 0..2 {
        for (file, script) in CHANGES {
            let place = Place::new();
            EXISTING.iter().for_each(|path| write(place.path().join(path), "as it was"));
            let sandbox = place.sandboxes_with(named).swap_remove(index);
            let done = run(&sandbox, script);
            let found = text(&place, file);
            let is_gone = found.is_empty() && !done.outcome.set_aside.is_empty();
            assert!(found == "as it was" || is_gone, "{script}: {found:?}, {done:?}");
            // The moved entry is still there.
            let moved = text(&place, &file.replace(".vscode", "v"));
            assert!(!is_gone || moved == "as it was", "{script}: {done:?}");
            assert!(done.outcome.changed.is_empty(), "{script}: {done:?}");
        }
    }
}

#[test]
fn deeper_protected_names_stay_or_are_reported() {
    for index in 0..2 {
        for (file, script) in CHANGES {
            let place = Place::new();
            for path in EXISTING {
                write(place.path().join("a/b").join(path), "as it was");
            }
            let sandbox = place.sandboxes_with(named).swap_remove(index);
            let done = run(&sandbox, &format!("cd a/b; {script}"));
            let found = text(&place, &format!("a/b/{file}"));
            let outcome = &done.outcome;
            let (path, _) = NAMES
                .iter()
                .map(|name| (place.path().join("a/b").join(name), name))
                .find(|(_, name)| file.starts_with(*name))
                .unwrap();
            if sandbox.layers().namespaces {
                let is_gone = found.is_empty() && !outcome.set_aside.is_empty();
                assert!(found == "as it was" || is_gone, "{script}: {found:?}, {done:?}");
            } else {
                let is_said = !outcome.set_aside.is_empty() || outcome.changed == [path];
                assert!(found == "as it was" || is_said, "{script}: {found:?}, {done:?}");
            }
        }
    }
}

#[test]
fn new_protected_names_are_set_aside_everywhere() {
    let place = Place::new();
    fs::create_dir_all(place.path().join("a/.vscode")).unwrap();
    write(place.path().join("harmless/settings.json"), "x");
    write(place.path().join("old"), "x");
    for (script, expected) in [
        ("echo x > a/.envrc", "a/.envrc"),
        ("echo x > .EnvRC", ".EnvRC"),
        ("mkdir -p n/e/w/.husky && echo x > n/e/w/.husky/pre-commit", "n/e/w/.husky"),
        ("echo x > a/.vscode/settings.json", "a/.vscode/settings.json"),
        (
            "echo x > a/.vscode/notes.json; ln -s /bin/true a/.vscode/settings.json",
            "a/.vscode/settings.json",
        ),
        ("ln -s harmless .vscode", ".vscode"),
        ("mkdir -p a/.config/fish", "a/.config/fish"),
        ("ln old a/.envrc", "a/.envrc"),
        ("mkdir a/new; git init -q a/new || mkdir a/new/.git", "a/new/.git"),
        ("(sleep 0.1; echo x > a/.envrc) & setsid sh -c 'echo x > a/.envrc'; wait", "a/.envrc"),
    ] {
        for sandbox in place.sandboxes_with(named) {
            let done = run(&sandbox, script);
            assert_eq!(
                set_aside(&place, &done),
                [format!("{expected}.set-aside-1")],
                "{script}: {done:?}"
            );
            assert!(fs::symlink_metadata(place.path().join(expected)).is_err(), "{script}");
            assert!(!done.outcome.is_partly_checked);
        }
    }
}

#[test]
fn everything_else_is_left_alone() {
    let place = Place::new();
    write(place.path().join("a/.envrc"), "as it was");
    write(place.path().join("a/.husky/pre-commit"), "as it was");
    symlink("a/.envrc", place.path().join("link")).unwrap();
    for sandbox in place.sandboxes_with(named) {
        let script = "set -e; cat a/.envrc; mkdir a/new; echo x > a/new/settings.json; \
            mv a moved; cat moved/.envrc; echo x > moved/b; mv moved a; rm -r a/new a/b; \
            mkdir .vscode; echo x > .vscode/notes.json; rm -r .vscode; echo x > .envrc-example; \
            mv a b; mkdir a; ";
        let done = run(&sandbox, script);
        assert_eq!(done.outcome.code, Some(0), "{done:?}");
        assert_eq!((set_aside(&place, &done), &done.outcome.changed), (Vec::new(), &Vec::new()));
        assert_eq!(text(&place, "b/.envrc"), "as it was");
        fs::remove_dir(place.path().join("a")).unwrap();
        fs::rename(place.path().join("b"), place.path().join("a")).unwrap();
    }
}

#[test]
fn unreadable_folder_is_reported_as_unchecked() {
    if rustix::process::geteuid().is_root() {
        say("root reads every folder, and this is not tested");
        return;
    }
    let place = Place::new();
    for sandbox in place.sandboxes_with(named) {
        let done = run(&sandbox, "mkdir -p sub && echo x > sub/.envrc; chmod 0 sub");
        assert!(done.outcome.is_partly_checked, "{done:?}");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(place.path().join("sub"), open).unwrap();
        fs::remove_dir_all(place.path().join("sub")).unwrap();
    }
}

#[test]
fn unconfined_commands_set_nothing_aside() {
    let place = Place::new();
    let sandbox = Sandbox::unconfined(named(place.options())).unwrap();
    let done = run(&sandbox, "echo x > .envrc");
    assert_eq!((&*text(&place, ".envrc"), done.outcome.set_aside), ("x\n", Vec::<PathBuf>::new()));
}

#[test]
fn non_utf8_names_are_handled() {
    let place = Place::new();
    for sandbox in place.sandboxes_with(named) {
        // The first finds new entries, and the second old ones.
        let done =
            run(&sandbox, "mkdir -p a/$(printf '\\377'); echo x > a/$(printf '\\377')/.envrc");
        let aside = done.outcome.set_aside.first().unwrap();
        assert!(aside.ends_with("a/\u{fffd}/.envrc.set-aside-1"), "{done:?}");
        let there = std::ffi::OsStr::from_bytes(b"a/\xff/.envrc");
        fs::write(place.path().join(there), "was").unwrap();
        let done = run(&sandbox, "for f in a/*/.envrc; do echo longer > \"$f\"; done; echo done");
        assert_eq!(done.stdout, "done\n", "{done:?}");
        assert!(done.outcome.changed[0].ends_with("a/\u{fffd}/.envrc"), "{done:?}");
        fs::remove_dir_all(place.path().join("a")).unwrap();
    }
}
