//! Git's work for a command that may change the data of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_sandbox::{ConfinedCommand, ProcessOutcome, Sandbox, SandboxLayers, SandboxOptions};
use tempfile::TempDir;

use super::{Done, HELPER, WITHOUT_NAMESPACES, finish, git, say, write};

/// A repository with a branch, a linked working tree and a submodule.
pub(crate) struct TestRepository {
    pub(crate) place: TempDir,
}

impl TestRepository {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let own = Self { place };
        let (main, other) = (own.path("main"), own.path("other"));
        write(other.join("o"), "o\n");
        git(&other, &["init", "-q"]);
        git(&other, &["add", "."]);
        git(&other, &["commit", "-qm", "other"]);
        write(main.join("a"), "a\n");
        write(main.join("sub/b"), "b\n");
        git(&main, &["init", "-q"]);
        git(&main, &["submodule", "--quiet", "add", "../other", "module"]);
        git(&main, &["add", "."]);
        git(&main, &["commit", "-qm", "first"]);
        git(&main, &["switch", "-q", "-c", "topic"]);
        write(main.join("topic"), "topic\n");
        git(&main, &["add", "."]);
        git(&main, &["commit", "-qm", "topic"]);
        git(&main, &["switch", "-q", "main"]);
        write(main.join("a"), "more\n");
        git(&main, &["commit", "-qam", "second"]);
        git(&main, &["remote", "add", "origin", "../other"]);
        git(&main, &["update-ref", "refs/remotes/origin/far", "HEAD"]);
        git(&main, &["worktree", "add", "-q", "../side"]);
        own
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(name)
    }
}

/// Returns the options of a root as the command has them.
pub(crate) fn options(root: &Path) -> SandboxOptions {
    let options = SandboxOptions::new(root).with_helper(HELPER).with_repository();
    options.with_protected(".git").with_protected_name(".git").with_protected_name(".envrc")
}

/// Returns the sandboxes of a root: with namespaces if they work, and without.
pub(crate) fn sandboxes(root: &Path) -> Vec<Sandbox> {
    let all = [SandboxLayers::ALL, WITHOUT_NAMESPACES];
    let all = all.map(|layers| Sandbox::new(options(root).with_layers(layers)).unwrap());
    if !all[0].layers().namespaces {
        say("namespaces do not work on this machine, and are not tested");
    }
    all.into()
}

pub(crate) fn with_git(script: &str) -> ConfinedCommand {
    let command = ConfinedCommand::shell(script).with_git();
    let names = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"];
    let command = names.into_iter().fold(command, |it, name| it.with_variable(name, "Ann"));
    let mails = ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"];
    mails.into_iter().fold(command, |it, name| it.with_variable(name, "ann@example.org"))
}

pub(crate) fn run_with_git(sandbox: &Sandbox, script: &str) -> Done {
    finish(sandbox.spawn(&with_git(script)).unwrap())
}

/// Returns whether a command did nothing that had to be put right.
fn is_clean(outcome: &ProcessOutcome) -> bool {
    let ProcessOutcome { code, set_aside, changed, restored, .. } = outcome;
    *code == Some(0) && set_aside.is_empty() && changed.is_empty() && restored.is_empty()
}

/// Things that people do in a repository, each after the others.
const USUAL: &[&str] = &[
    "echo x > new && git add new && git commit -qm new && git log -1 --format=%s | grep new",
    "echo y >> new && git commit -q --amend -am amended && git log -1 --format=%s | grep amended",
    "echo z >> a && git stash -q && git stash pop -q && git checkout -q -- a",
    "echo z >> a && git stash push -qm kept && git stash drop -q",
    "git switch -q far && git switch -q main && git checkout -q -b near origin/far && git switch -q main",
    "git checkout -q -b branch && git switch -q main && git branch -D branch",
    "git switch -q topic && git switch -q -",
    "git merge -q -m merged topic && git log -1 --format=%s | grep merged",
    "git reset -q --hard HEAD~1 && git rebase -q topic && git log --format=%s | grep topic",
    "git rebase -q -x 'test -f a' HEAD~2",
    "git tag -a -m one v1 && git tag v2 && git tag -d v2",
    "git reset -q --soft HEAD~1 && git commit -qm again && git reset -q HEAD~1 && git add -A && \
     git commit -qm again",
    "git notes add -m note && git notes show | grep note",
    "git cherry-pick --allow-empty HEAD~1 >/dev/null; git cherry-pick --abort 2>/dev/null; git revert --no-edit HEAD >/dev/null",
    "git gc -q && git fsck 2>/dev/null && git reflog >/dev/null && git repack -qad && git prune",
    "git commit-graph write --reachable 2>/dev/null; git pack-refs --all",
    "git mv a c && git commit -qm moved && git rm -q c && git commit -qm removed",
    "git clean -fdq && git status --short",
    "git worktree add -q -b tree trees/one && cd trees/one && git status --short && echo t > t && \
     git add t && git commit -qm t && git log -1 --format=%s | grep t",
    "git worktree list | grep trees/one && git worktree remove trees/one && git worktree prune",
    "git update-index --refresh; git bisect start HEAD HEAD~2 >/dev/null; git bisect reset >/dev/null",
    "cd sub && echo more > more && git add . && git commit -qm sub",
    "cd module && git commit -q --allow-empty -m module && git log -1 --format=%s | grep module",
];

#[test]
fn usual_work_is_done() {
    for index in 0..2 {
        let repository = TestRepository::new();
        let root = repository.path("main");
        let sandbox = sandboxes(&root).swap_remove(index);
        for script in USUAL {
            let done = run_with_git(&sandbox, script);
            assert!(is_clean(&done.outcome), "{}: {script}: {done:?}", sandbox.level());
        }
        // A person works on with it.
        git(&root, &["fsck"]);
        git(&root, &["commit", "-q", "--allow-empty", "-m", "last"]);
    }
}

#[test]
fn worktree_subfolder_and_submodule_can_commit() {
    for (root, committed) in
        [("side", "side"), ("main/sub", "main/sub"), ("main/module", "main/module")]
    {
        for index in 0..2 {
            let repository = TestRepository::new();
            let root = repository.path(root);
            let sandbox = sandboxes(&root).swap_remove(index);
            let script = "echo x > new && git add new && git commit -qm made && git stash list && \
                git checkout -q -b own && git commit -q --allow-empty -m two";
            let done = run_with_git(&sandbox, script);
            assert!(is_clean(&done.outcome), "{}: {done:?}", root.display());
            let log = git(repository.path(committed), &["log", "--format=%s", "-2"]);
            assert_eq!(log, "two\nmade\n");
        }
    }
}

#[test]
fn git_data_is_unchanged_without_the_grant() {
    for index in 0..2 {
        let repository = TestRepository::new();
        for root in ["main", "side", "main/sub"] {
            let root = repository.path(root);
            let sandbox = sandboxes(&root).swap_remove(index);
            let before = git(&root, &["rev-parse", "HEAD"]);
            let script = "git commit -q --allow-empty -m no; git branch no; git stash; true";
            let command = ConfinedCommand::shell(script);
            for command in [command.clone(), command.with_git().read_only()] {
                finish(sandbox.spawn(&command).unwrap());
                assert_eq!(git(&root, &["rev-parse", "HEAD"]), before);
                assert_eq!(git(&root, &["branch", "--list", "no"]), "");
            }
        }
    }
}

#[test]
fn user_hooks_run_confined() {
    let repository = TestRepository::new();
    let root = repository.path("main");
    let outside = repository.path("outside");
    let hook = root.join(".git/hooks/post-commit");
    write(&hook, &format!("#!/bin/sh\necho ran > ran\necho x > {}\n", outside.display()));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, mode).unwrap();
    for sandbox in sandboxes(&root) {
        let done = run_with_git(&sandbox, "git commit -q --allow-empty -m x");
        assert_eq!(fs::read_to_string(root.join("ran")).unwrap_or_default(), "ran\n", "{done:?}");
        assert!(!outside.exists());
        fs::remove_file(root.join("ran")).unwrap();
    }
}
