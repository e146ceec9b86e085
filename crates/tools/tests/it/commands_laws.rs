//! Whatever processes do to a tree, in whatever order with the tools for files: after an undo it is
//! as it was, byte for byte, with its folders, links and permissions.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;
use silcrow_tools::UndoRequest;

use crate::commands::{Commands, tree, wait};

const PLACES: [&str; 8] = ["a", "b", "d", "d/a", "d/e", "d/e/f", "g", "g/h"];

/// Something that changes files. Commands that fail change nothing.
#[derive(Clone, Debug)]
enum Step {
    Command(String),
    Write { file: &'static str, content: String },
}

fn place() -> impl Strategy<Value = &'static str> {
    prop::sample::select(PLACES.to_vec())
}

fn command() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        place().prop_map(|at| format!("rm -rf {at}")),
        (place(), 0..9_u8).prop_map(|(at, n)| format!("echo {n} > {at}")),
        place().prop_map(|at| format!("echo more >> {at}")),
        place().prop_map(|at| format!(": > {at}")),
        (place(), place()).prop_map(|(from, to)| format!("mv -T {from} {to}")),
        (place(), place()).prop_map(|(from, to)| format!("cp -rT {from} {to}")),
        (place(), place()).prop_map(|(to, at)| format!("ln -sfn {to} {at}")),
        place().prop_map(|at| format!("mkdir -p {at}")),
        place().prop_map(|at| format!("rmdir {at}")),
        (place(), prop::sample::select(vec!["755", "600", "640", "1777"]))
            .prop_map(|(at, mode)| format!("test ! -L {at} && chmod {mode} {at}")),
        place().prop_map(|at| format!("truncate -s 1 {at}")),
    ];
    prop::collection::vec(one, 1..4).prop_map(|all| all.join("; "))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => command().prop_map(Step::Command),
        1 => (place(), 0..9_u8).prop_map(|(file, n)| Step::Write { file, content: format!("w{n}\n") }),
    ]
}

/// An entry that exists before: a file with its permissions, a folder or a link.
fn entry() -> impl Strategy<Value = (&'static str, u8, u32)> {
    (place(), 0..4_u8, prop::sample::select(vec![0o644, 0o755, 0o600]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_undo_brings_every_tree_back(
        entries in prop::collection::vec(entry(), 0..8),
        steps in prop::collection::vec(step(), 1..7),
    ) {
        let commands = Commands::new();
        for (place, kind, mode) in entries {
            let path = commands.path().join(place);
            // Entries that do not fit into the tree so far are left out.
            let made = match kind {
                0 => fs::create_dir_all(&path),
                1 => symlink("d/a", &path),
                _ => fs::create_dir_all(path.parent().unwrap())
                    .and_then(|()| fs::write(&path, format!("{place}\n"))),
            };
            if made.is_ok() && kind > 1 {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        let mut states = vec![tree(&commands.path())];
        for (turn, step) in (1..).zip(&steps) {
            match step {
                Step::Command(command) => {
                    commands.run_in("c", turn, &format!("({command}) 2> /dev/null; true"));
                }
                // It fails if a folder is in the way.
                Step::Write { file, content } => {
                    drop(wait(commands.it.try_write("c", turn, file, content)));
                    // A tool's undo leaves the folders that it made.
                    commands.run_in("c", turn, "true");
                }
            }
            states.push(tree(&commands.path()));
        }
        // Turn by turn, and back again.
        let last = u32::try_from(steps.len()).unwrap();
        for turn in (1..=last).rev() {
            let request = UndoRequest::new("c").with_turns(turn..=turn);
            let report = commands.it.undo(&request);
            prop_assert_eq!(&report.refusals, &[], "turn {} of {:?}", turn, &steps);
            let left = tree(&commands.path());
            let made = matches!(steps[turn as usize - 1], Step::Write { .. });
            let expected = &states[turn as usize - 1];
            // Folders that a tool made stay.
            let same = expected.iter().all(|(path, seen)| left.get(path) == Some(seen))
                && left.iter().all(|(path, seen)| {
                    expected.contains_key(path) || (made && seen.starts_with("Folder"))
                });
            prop_assert!(same, "turn {} of {:?}: {:?} is not {:?}", turn, &steps, left, expected);
            if made && left != *expected {
                return Ok(());
            }
        }
        let report = commands.it.undo(&UndoRequest::redo("c"));
        prop_assert_eq!(&report.refusals, &[]);
    }
}
