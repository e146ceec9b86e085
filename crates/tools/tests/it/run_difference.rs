//! The whole difference of a conversation, which git takes.

use std::fs;
use std::process::Command;

use silcrow_tools::UndoRequest;

use crate::commands::{Commands, tree, wait};

fn patch(commands: &Commands, request: &UndoRequest) -> String {
    let difference = commands.it.journal.difference(&commands.it.place.root, request).unwrap();
    assert_eq!(difference.refusals, []);
    difference.files.iter().map(|file| &*file.patch).collect()
}

#[test]
fn git_applies_the_difference_of_edits_and_commands() {
    let commands = Commands::new();
    commands.put("a.rs", "one\ntwo\nthree").put("windows.txt", "one\r\ntwo\r\n").put("gone", "x\n");
    commands
        .put("with blank.txt", "1\n")
        .put("quo\"te", "q\n")
        .put("run", "#!\n")
        .put("same", "s\n");
    commands.sh("ln -s a.rs link");
    let other = commands.it.place.outer.path().join("other");
    let copy = |to: &std::path::Path| {
        assert!(
            Command::new("cp").arg("-a").arg(commands.path()).arg(to).status().unwrap().success()
        );
    };
    copy(&other);
    wait(commands.it.write("c", 1, "a.rs", "one\n2\nthree\nfour\n"));
    wait(commands.it.write("c", 2, "new/deep.txt", "new\n"));
    commands.run_in(
        "c",
        2,
        "sed -i s/two/2/ windows.txt; rm gone; chmod +x run; ln -sf run link; \
        echo 2 > 'with blank.txt'; echo w > 'quo\"te'; touch empty; rm same; ln -s run same",
    );
    let whole = patch(&commands, &UndoRequest::new("c"));
    fs::write(commands.it.place.outer.path().join("patch"), &whole).unwrap();
    let git = Command::new("git").args(["apply", "../patch"]).current_dir(&other).output().unwrap();
    assert!(git.status.success(), "{git:?}\n{whole}");
    assert_eq!(tree(&other), tree(&commands.path()), "{whole}");

    // The first turn alone, whose file a later one changes.
    wait(commands.it.write("c", 3, "a.rs", "other\n"));
    let first = patch(&commands, &UndoRequest::new("c").with_turns(1..=1));
    assert!(
        first.contains("-two\n-three\n\\ No newline at end of file\n+2\n+three\n+four\n"),
        "{first}"
    );
    // Undone changes are not different any more.
    assert_eq!(commands.undo().refusals, []);
    assert_eq!(patch(&commands, &UndoRequest::new("c")), "");
}

#[test]
fn secrets_and_binaries_are_only_named() {
    let commands = Commands::new();
    commands.put("id_rsa", "KEY\n").put("logo", [0, 159, 146]).put("a", "1\n");
    commands.run("echo OTHER > id_rsa; rm logo; echo 2 > a");
    commands.sh("echo 3 > a");
    let root = &commands.it.place.root;
    let difference = commands.it.journal.difference(root, &UndoRequest::new("c")).unwrap();
    let of = |path: &str| difference.files.iter().find(|file| file.delta.path == path).unwrap();
    assert!(of("a").has_changed_since && of("a").patch.ends_with("-1\n+3\n"));
    assert!(of("logo").patch.ends_with("Binary files a/logo and b/logo differ\n"));
    let secret = &of("id_rsa").patch;
    assert!(!secret.contains("KEY") && !secret.contains("OTHER"), "{secret}");
}
