//! Protected paths: git's folder, settings and other paths that the caller names.

use std::fs;
use std::os::unix::fs::symlink;

use silcrow_sandbox::SandboxOptions;

use super::{Place, run, write};

const CHANGES: &[&str] = &[
    "echo x > .git/hooks/pre-commit",
    "echo x >> .git/config",
    "rm -rf .git",
    "mv .git other && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
    "ln .git/config alias && echo x >> alias",
    "ln -sf /bin/true .git/hooks/pre-commit",
    "mkdir .git/new",
    "git config user.name x",
    "chmod 777 .git/config",
    "cd .git && echo x >> config",
    "echo x >> /proc/self/cwd/.git/config",
    "mv sub moved; mkdir -p sub; echo x > sub/settings.toml; rm -rf sub; mv moved sub",
    "echo x > sub/settings.toml",
    "rm sub/settings.toml",
    "sed -i s/as/no/ .git/config",
];

fn protected(options: SandboxOptions) -> SandboxOptions {
    options.with_protected(".git").with_protected("sub/settings.toml")
}

#[test]
fn existing_protected_files_stay_unchanged() {
    let place = Place::new();
    let config = place.path().join(".git/config");
    let settings = place.path().join("sub/settings.toml");
    write(&config, "as it was");
    write(place.path().join(".git/hooks/README"), "");
    write(&settings, "as it was");
    for sandbox in place.sandboxes_with(protected) {
        let before = fs::metadata(&config).unwrap().permissions();
        for script in CHANGES {
            let done = run(&sandbox, script);
            let texts =
                [&config, &settings].map(|path| fs::read_to_string(path).unwrap_or_default());
            assert_eq!(texts, ["as it was", "as it was"], "{script}: {done:?}");
            let hooks = fs::read_dir(place.path().join(".git/hooks")).unwrap().count();
            assert_eq!(hooks, 1, "{script}: {done:?}");
            if sandbox.layers().namespaces {
                assert_eq!(fs::metadata(&config).unwrap().permissions(), before, "{script}");
            }
        }
        let done = run(&sandbox, "cat .git/config sub/settings.toml");
        assert_eq!(done.stdout, "as it wasas it was");
    }
}

#[test]
fn created_protected_path_is_set_aside() {
    let place = Place::new();
    for sandbox in place.sandboxes_with(protected) {
        let done = run(&sandbox, "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit; ls -a");
        assert!(!place.path().join(".git").exists(), "{done:?}");
        if sandbox.layers().namespaces {
            let aside = place.path().join(".git.set-aside-1");
            assert_eq!(done.outcome.set_aside, std::slice::from_ref(&aside));
            assert!(aside.join("hooks/pre-commit").exists());
            fs::remove_dir_all(aside).unwrap();
        } else {
            // Landlock lets nothing be made beside it.
            assert_eq!(done.outcome.set_aside.len(), 0);
            assert_ne!(run(&sandbox, "touch new").outcome.code, Some(0));
        }
    }
}

#[test]
fn nothing_outside_is_renamed() {
    let (place, other) = (Place::new(), Place::new());
    write(other.path().join("settings.toml"), "as it was");
    for sandbox in place.sandboxes_with(protected) {
        let script = format!("rm -rf sub; ln -s {} sub; ls", other.path().display());
        let done = run(&sandbox, &script);
        assert!(other.path().join("settings.toml").exists(), "{done:?}");
        assert!(!place.path().join("sub").is_symlink(), "{done:?}");
    }
}

#[test]
fn concurrent_user_changes_stay() {
    let place = Place::new();
    write(place.path().join("sub/settings.toml"), "old");
    for sandbox in place.sandboxes_with(protected) {
        let script = "read -r line < fifo; echo $line";
        run(&sandbox, "rm -f fifo");
        std::process::Command::new("mkfifo").arg(place.path().join("fifo")).status().unwrap();
        let process = sandbox.spawn(&silcrow_sandbox::ConfinedCommand::shell(script)).unwrap();
        // Opening it waits until the command reads.
        let pipe = fs::OpenOptions::new().write(true).open(place.path().join("fifo")).unwrap();
        write(place.path().join("sub/new"), "of a person");
        fs::rename(place.path().join("sub/new"), place.path().join("sub/settings.toml")).unwrap();
        std::io::Write::write_all(&mut &pipe, b"done\n").unwrap();
        let done = super::finish(process);
        assert_eq!((&*done.stdout, done.outcome.set_aside.len()), ("done\n", 0));
        let text = fs::read_to_string(place.path().join("sub/settings.toml")).unwrap();
        assert_eq!(text, "of a person");
    }
}

#[test]
fn a_link_in_its_place_cannot_be_replaced() {
    let (place, real) = (Place::new(), Place::new());
    write(real.path().join("config"), "as it was");
    symlink(real.path(), place.path().join(".git")).unwrap();
    for sandbox in place.sandboxes_with(protected) {
        let done = run(&sandbox, "rm .git; mkdir -p .git/hooks; echo x > .git/config");
        assert_eq!(fs::read_link(place.path().join(".git")).unwrap(), real.path(), "{done:?}");
        assert_eq!(fs::read_to_string(real.path().join("config")).unwrap(), "as it was");
    }
}

#[test]
fn siblings_of_protected_paths_are_writable() {
    let place = Place::new();
    write(place.path().join(".git/config"), "");
    write(place.path().join("src/main.rs"), "old");
    for sandbox in place.sandboxes_with(protected) {
        let script = "set -e; echo new > src/main.rs; mkdir src/deep; mv src/main.rs src/deep/; \
            mv src/deep/main.rs src/main.rs; rmdir src/deep; cat src/main.rs";
        let done = run(&sandbox, script);
        assert_eq!((&*done.stdout, done.outcome.code), ("new\n", Some(0)), "{done:?}");
    }
}
