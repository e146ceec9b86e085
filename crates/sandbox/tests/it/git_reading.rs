//! The repository around the root, which commands may read.

use std::fs;
use std::path::Path;

use silcrow_sandbox::{ConfinedCommand, Sandbox, SandboxLayers, SandboxOptions};
use tempfile::TempDir;

use super::{HELPER, WITHOUT_NAMESPACES, finish, git, write};

/// A repository with a linked working tree, a submodule and secrets, beside other files.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let main = place.path().join("main");
    write(place.path().join("beside"), "BESIDE");
    write(place.path().join("other/a"), "OTHER");
    write(main.join("sub/a"), "a\n");
    write(main.join("b"), "b\n");
    git(place.path().join("other"), &["init", "-q"]);
    git(place.path().join("other"), &["add", "."]);
    git(place.path().join("other"), &["commit", "-qm", "other"]);
    git(&main, &["init", "-q"]);
    git(&main, &["submodule", "--quiet", "add", "../other", "module"]);
    git(&main, &["add", "."]);
    git(&main, &["commit", "-qm", "first"]);
    git(&main, &["worktree", "add", "-q", "../side"]);
    write(main.join(".env"), "SECRET");
    write(main.join("deep/.env"), "SECRET");
    place
}

fn is_secret(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".env")
}

fn sandboxes(root: &Path) -> Vec<Sandbox> {
    let layers = [SandboxLayers::ALL, WITHOUT_NAMESPACES];
    let options = |layers| {
        SandboxOptions::new(root)
            .with_helper(HELPER)
            .with_protected(".git")
            .with_protected_name(".git")
            .with_secret_names(is_secret)
            .with_layers(layers)
    };
    layers.map(|layers| Sandbox::new(options(layers).with_repository()).unwrap()).into()
}

fn both(script: &str) -> [ConfinedCommand; 2] {
    let command = ConfinedCommand::shell(script);
    [command.clone(), command.read_only()]
}

#[test]
fn git_reads_in_subfolder_worktree_and_submodule() {
    let place = place();
    for (root, branch) in [("main/sub", "main"), ("side", "side"), ("main/module", "main")] {
        let root = place.path().join(root);
        let script = "git status --short --branch && git log --format=%s && git diff HEAD && \
            git ls-files && cat a sub/a 2>/dev/null";
        for sandbox in sandboxes(&root) {
            for command in both(script) {
                let done = finish(sandbox.spawn(&command).unwrap());
                let at = format!("{} {}: {done:?}", root.display(), sandbox.level());
                assert!(done.stdout.contains(&format!("## {branch}")), "{at}");
                assert!(done.stdout.contains("first\n") || done.stdout.contains("other\n"), "{at}");
                assert_eq!(done.stderr, "", "{at}");
            }
        }
    }
}

#[test]
fn rest_of_repository_is_readable_except_secrets() {
    let place = place();
    let root = place.path().join("main/sub");
    for sandbox in sandboxes(&root) {
        let script = "cat ../b; cat ../.env ../deep/.env ../../beside ../../side/b; \
            echo x > ../new; echo x >> ../b; echo x > ../.git/hooks/x; true";
        for command in both(script) {
            let done = finish(sandbox.spawn(&command).unwrap());
            assert_eq!(done.stdout, "b\n", "{done:?}");
            assert_eq!(done.outcome.hidden.len(), 2, "{done:?}");
        }
        assert!(!place.path().join("main/new").exists());
        assert!(!place.path().join("main/.git/hooks/x").exists());
        assert_eq!(fs::read_to_string(place.path().join("main/b")).unwrap(), "b\n");
    }
}

#[test]
fn gitdir_pointer_opens_no_other_repository() {
    let place = place();
    let hostile = place.path().join("hostile");
    let other = place.path().join("other");
    for target in [other.join(".git"), place.path().join("main/.git/worktrees/side"), other] {
        write(hostile.join(".git"), &format!("gitdir: {}\n", target.display()));
        for sandbox in sandboxes(&hostile) {
            let script = format!("ls {0}; cat {0}/HEAD; git log", target.display());
            let done = finish(sandbox.spawn(&ConfinedCommand::shell(script)).unwrap());
            assert_eq!(done.stdout, "", "{done:?}");
        }
    }
}
