//! Protected names among very many others, and while a command runs.

use std::fs;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use silcrow_sandbox::{ConfinedCommand, ConfinedProcess, SandboxOptions};

use super::{Place, run, write};

fn named(options: SandboxOptions) -> SandboxOptions {
    options.with_protected_name(".envrc").with_protected_name("*.code-workspace")
}

/// Far more names than the limit of any look, nearer to the root than the searched one.
#[test]
fn many_names_never_hide_a_new_one() {
    let place = Place::new();
    let root = place.path();
    for folder in 0..201 {
        let folder = root.join(format!("node_modules/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("first"), "").unwrap();
        for name in 1..1000 {
            fs::hard_link(folder.join("first"), folder.join(name.to_string())).unwrap();
        }
    }
    fs::create_dir_all(root.join("a/b/c/d")).unwrap();
    for sandbox in place.sandboxes_with(named) {
        let script =
            "echo x > a/b/c/d/.envrc; echo x > node_modules/7/.envrc; echo x > a/x.code-workspace";
        let outcome = run(&sandbox, script).outcome;
        let mut aside: Vec<_> =
            outcome.set_aside.iter().map(|path| path.strip_prefix(&root).unwrap()).collect();
        aside.sort_unstable();
        let expected = [
            "a/b/c/d/.envrc.set-aside-1",
            "a/x.code-workspace.set-aside-1",
            "node_modules/7/.envrc.set-aside-1",
        ];
        assert_eq!(aside, expected.map(std::path::Path::new));
        assert!(!outcome.is_partly_checked);
        outcome.set_aside.iter().for_each(|path| fs::remove_file(path).unwrap());
    }
}

#[test]
fn continuing_command_keeps_no_new_protected_name() {
    let place = Place::new();
    write(place.path().join("a/b/old"), "");
    for sandbox in place.sandboxes_with(named) {
        let script = "for round in 1 2; do echo x > a/b/.envrc; \
            while [ -e a/b/.envrc ]; do sleep 0.01; done; done; read -r line < fifo";
        let fifo = place.path().join("fifo");
        std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        let command = ConfinedCommand::shell(script).with_look_every(Duration::from_millis(20));
        let ConfinedProcess { end, guard, stdout, stderr } = sandbox.spawn(&command).unwrap();
        let (sender, notes) = mpsc::channel();
        let waiter =
            thread::spawn(move || end.wait_noting(|changes| sender.send(changes).unwrap()));
        let aside = |number| place.path().join(format!("a/b/.envrc.set-aside-{number}"));
        for number in [1, 2] {
            assert_eq!(notes.recv().unwrap().set_aside, [aside(number)]);
        }
        // It still runs.
        fs::write(&fifo, "end\n").unwrap();
        let outcome = waiter.join().unwrap().unwrap();
        assert_eq!((outcome.code, outcome.set_aside.len()), (Some(0), 0));
        drop((guard, stdout, stderr));
        for path in [aside(1), aside(2), fifo] {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn deep_change_is_reported_once_during_command() {
    let place = Place::new();
    let file = place.path().join("a/b/.envrc");
    write(&file, "as it was");
    let without = super::WITHOUT_NAMESPACES;
    let options = named(place.options()).with_layers(without);
    let sandbox = silcrow_sandbox::Sandbox::new(options).unwrap();
    let script = "echo longer than it was > a/b/.envrc; exec sleep 900";
    let command = ConfinedCommand::shell(script).with_look_every(Duration::from_millis(20));
    let ConfinedProcess { end, guard, .. } = sandbox.spawn(&command).unwrap();
    let (sender, notes) = mpsc::channel();
    let waiter = thread::spawn(move || end.wait_noting(|changes| sender.send(changes).unwrap()));
    assert_eq!(notes.recv().unwrap().changed, [file]);
    guard.stop();
    assert_eq!(waiter.join().unwrap().unwrap().changed.len(), 0);
}

/// A second name for a file that is still in its place is new, and a move with the folder is not.
#[test]
fn hard_links_to_protected_files_are_set_aside() {
    let place = Place::new();
    write(place.path().join("a/.envrc"), "as it was");
    write(place.path().join("b/x"), "");
    for sandbox in place.sandboxes_with(named) {
        let outcome = run(&sandbox, "ln a/.envrc b/.envrc; mv a moved; mv moved a").outcome;
        for path in &outcome.set_aside {
            assert_eq!(*path, place.path().join("b/.envrc.set-aside-1"));
            fs::remove_file(path).unwrap();
        }
        assert!(!place.path().join("b/.envrc").exists());
        assert_eq!(fs::read_to_string(place.path().join("a/.envrc")).unwrap(), "as it was");
    }
}
