//! Commands that may change the data of a repository, and try to leave something that runs later.
//!
//! After each of them a person works in every folder of the repository, without a sandbox. A program of
//! the command that runs then leaves a mark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use silcrow_sandbox::{ConfinedCommand, Sandbox};

use super::git_data::{TestRepository, run_with_git, sandboxes, with_git};
use super::{Done, finish, git, write};

/// Makes `alt`, a git folder whose settings and hooks run the program `$E`.
const ALT: &str = r#"
E=$PWD/evil
alt() { rm -rf alt; cp -r .git alt; rm -rf alt/worktrees alt/modules; poison alt; }
poison() { rm -f $1/commondir; mkdir -p $1/hooks $1/objects $1/refs; settings > $1/config; cp evil $1/hooks/pre-commit; [ -e $1/HEAD ] || echo ref: refs/heads/main > $1/HEAD; }
settings() { printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = %s\n\tpager = %s\n[diff]\n\texternal = %s\n[filter "evil"]\n\tclean = %s\n' $E $E $E $E; }
"#;

const ATTACKS: &[&str] = &[
    // Hooks.
    "cp evil .git/hooks/pre-commit; cp evil .git/hooks/post-checkout; chmod +x .git/hooks/*",
    "mv .git/hooks .git/old; mkdir .git/hooks; cp evil .git/hooks/pre-commit",
    "rm -rf .git/hooks; mkdir hk; cp evil hk/pre-commit; ln -s ../hk .git/hooks",
    "mkdir .git/hooks/pre-commit.put-back; cp evil .git/hooks/pre-commit",
    "ln evil .git/hooks/pre-commit; ln -s $E .git/hooks/post-commit",
    // Settings.
    "git config core.fsmonitor $E; git config alias.status \"!$E\"",
    "settings >> .git/config",
    "settings > .git/config.lock; mv -f .git/config.lock .git/config",
    "settings > .git/new; mv -f .git/new .git/config; ln -f .git/new .git/config",
    "ln .git/config other; settings >> other",
    "settings > s; rm -f .git/config; ln -s ../s .git/config; ln s .git/config",
    "chmod 777 .git/config; truncate -s 0 .git/config; settings > .git/config",
    "settings > .git/config.worktree; git config extensions.worktreeConfig true",
    "settings >> .git/included",
    "rm .git/included; settings > .git/included; settings > .git/missing",
    "mkdir -p .git/own-hooks; cp evil .git/own-hooks/pre-commit",
    "mv .git/deep .git/d2; mkdir .git/deep; settings > .git/deep/included",
    // Pointers.
    "alt; echo $PWD/alt > .git/commondir",
    "alt; mv .git old; mv alt .git",
    "alt; mv .git .git2; ln -s alt .git; rm -rf .git; ln -s alt .git",
    "alt; rm -rf .git; echo gitdir: $PWD/alt > .git",
    "alt; python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b\".git\", -100, b\"alt\", 2)'",
    "alt; mkdir other; mv .git other; mv alt .git; mv other/.git other/kept",
    "alt; mkdir -p p; echo gitdir: $PWD/alt > p/.git; mkdir q; cp -r alt q/.git; ln -s alt sub/.git",
    // Attributes, objects and old places of addresses.
    "echo '* filter=evil diff=evil' > .git/info/attributes",
    "mv .git/info .git/i2; mkdir .git/info; echo '* filter=evil' > .git/info/attributes",
    "rm -rf .git/info; mkdir i; echo '* filter=evil' > i/attributes; ln -s ../i .git/info",
    "alt; echo $PWD/alt/objects > .git/objects/info/alternates",
    "alt; mv .git/objects/info .git/objects/i2; mkdir .git/objects/info; echo $PWD/alt/objects > \
     .git/objects/info/alternates",
    "mkdir -p .git/remotes .git/branches; echo \"URL: ext::$E\" > .git/remotes/origin",
    // Linked working trees.
    "alt; echo $PWD/alt > .git/worktrees/side/commondir; echo /etc > .git/worktrees/side/gitdir",
    "alt; rm .git/worktrees/side/commondir; poison .git/worktrees/side",
    "settings > .git/worktrees/side/config.worktree; git config extensions.worktreeConfig true",
    "alt; mv .git/worktrees wt; ln -s ../wt .git/worktrees; echo $PWD/alt > wt/side/commondir; \
     echo $PWD/alt > wt/inside/commondir",
    "alt; mv .git/worktrees/side wt; ln -s ../../wt .git/worktrees/side; echo $PWD/alt > wt/commondir",
    "alt; echo $PWD/alt > .git/worktrees/inside/commondir",
    "alt; rm .git/worktrees/inside/commondir; poison .git/worktrees/inside",
    "alt; rm -rf .git/worktrees/inside; cp -r alt .git/worktrees/inside",
    "alt; mv .git/worktrees/inside wt; ln -s ../../wt .git/worktrees/inside; echo $PWD/alt > wt/commondir",
    "settings > .git/worktrees/inside/config.worktree",
    "alt; git worktree add -q t; echo $PWD/alt > .git/worktrees/t/commondir",
    "alt; git worktree add -q t; echo gitdir: ../alt > t/.git",
    "git worktree add -q t; rm .git/worktrees/t/commondir; poison .git/worktrees/t",
    "mkdir -p .git/worktrees/new p; poison .git/worktrees/new; echo gitdir: $PWD/.git/worktrees/new > p/.git",
    "mkdir -p .git/worktrees/new p; poison .git/worktrees/new; echo $PWD/p/.git > \
     .git/worktrees/new/gitdir; echo gitdir: $PWD/.git/worktrees/new > p/.git",
    // Submodules.
    "settings > .git/modules/module/config; cp evil .git/modules/module/hooks/pre-commit",
    "mv .git/modules/module m; ln -s ../../m .git/modules/module; settings > m/config",
    "mv .git/modules m; ln -s ../m .git/modules; settings > m/module/config",
    "alt; rm -rf .git/modules; mkdir .git/modules; cp -r alt .git/modules/module",
    "alt; echo $PWD/alt > .git/modules/module/commondir; echo gitdir: ../alt > module/.git",
    "alt; mkdir -p p; cp -r alt .git/modules/new; echo gitdir: ../.git/modules/new > p/.git",
    // A rebase that is continued later.
    "git rebase -q -x false HEAD~1; echo \"exec $E\" > .git/rebase-merge/git-rebase-todo",
    "git rebase -q -x false HEAD~1; mv .git/rebase-merge r; ln -s ../r .git/rebase-merge; \
     echo \"x $E\" > r/git-rebase-todo",
    "git rebase -q -x false HEAD~1; echo \"x $E\" > l; ln -sf ../../l .git/rebase-merge/git-rebase-todo",
];

/// The later attempts of a command that may not change data.
const LATER: &str = "alt; for f in other s new f l hk/pre-commit; do [ -f $f ] && settings > $f; \
    done; for d in wt old r m i alt .git2 other/kept; do [ -d $d ] && poison $d; \
    [ -d $d/module ] && poison $d/module; [ -d $d ] && echo \"x $E\" > $d/git-rebase-todo; \
    for n in side inside; do [ -d $d/$n ] && echo $PWD/alt > $d/$n/commondir; done; done; \
    [ -f f ] && echo $PWD/alt > f; true";

struct Attacked {
    repository: TestRepository,
    saved: PathBuf,
    mark: PathBuf,
}

impl Attacked {
    fn new() -> Self {
        let repository = TestRepository::new();
        let main = repository.path("main");
        let mark = repository.path("mark");
        write(main.join("evil"), &format!("#!/bin/sh\necho ran >> {}\n", mark.display()));
        Command::new("chmod").arg("+x").arg(main.join("evil")).status().unwrap();
        git(&main, &["add", "evil"]);
        git(&main, &["commit", "-qm", "evil"]);
        git(&main, &["worktree", "add", "-q", "inside"]);
        write(main.join(".git/included"), "[x]\n\ty = z\n");
        write(main.join(".git/deep/included"), "[x]\n\ty = z\n");
        for (key, value) in [
            ("include.path", "included"),
            ("include.path", "missing"),
            ("include.path", "deep/included"),
        ] {
            git(&main, &["config", "--add", key, value]);
        }
        let saved = repository.path("saved");
        fs::create_dir(&saved).unwrap();
        let own = Self { repository, saved, mark };
        own.copy(&own.repository.path(""), &own.saved);
        own
    }

    /// Makes everything as it was.
    fn reset(&self) {
        for name in ["main", "side"] {
            fs::remove_dir_all(self.repository.path(name)).unwrap();
        }
        self.copy(&self.saved, &self.repository.path(""));
    }

    fn copy(&self, from: &Path, to: &Path) {
        let [main, side] = ["main", "side"].map(|name| from.join(name));
        let done = Command::new("cp").arg("-a").args([&main, &side]).arg(to).status().unwrap();
        assert!(done.success());
    }

    /// Works like a person in each folder, and returns whether a program of the command ran.
    fn is_hurt(&self) -> bool {
        let main = self.repository.path("main");
        let inside = ["", "sub", "module", "inside", "t", "p", "q"].map(|name| main.join(name));
        let side = self.repository.path("side");
        let there = inside.iter().chain([&side]).filter(|folder| folder.exists());
        for folder in there {
            for words in [
                &["rebase", "--continue"][..],
                &["add", "-A"],
                &["diff", "HEAD"],
                &["commit", "--allow-empty", "-qm", "mine"],
            ] {
                if self.mark.exists() {
                    return true;
                }
                let mut command = Command::new("git");
                command.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(words);
                command.env("GIT_EDITOR", "true").env("GIT_CEILING_DIRECTORIES", &main);
                command.current_dir(folder).stdin(Stdio::null());
                // A folder may be gone, and git may fail there.
                let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            }
        }
        self.mark.exists()
    }
}

/// Returns the sandbox of a root with namespaces, or the one without.
fn sandbox(root: &Path, index: usize) -> Sandbox {
    sandboxes(root).swap_remove(index)
}

fn attack(attacked: &Attacked, script: &str, sandbox: &Sandbox) -> Done {
    attacked.reset();
    let done = run_with_git(sandbox, &format!("{ALT}{script}"));
    let later = ConfinedCommand::shell(format!("{ALT}{LATER}"));
    finish(sandbox.spawn(&later).unwrap());
    done
}

fn nothing_runs_later(index: usize, part: usize) {
    let attacked = Attacked::new();
    let sandbox = sandbox(&attacked.repository.path("main"), index);
    for script in ATTACKS.iter().skip(part).step_by(PARTS) {
        let done = attack(&attacked, script, &sandbox);
        assert!(!attacked.is_hurt(), "{index} {script}: {done:?}");
    }
}

/// The number of tests that share the attacks, because each attack takes a while.
const PARTS: usize = 4;

#[test]
fn with_namespaces_nothing_runs_later() {
    nothing_runs_later(0, 0);
}

#[test]
fn with_namespaces_nothing_else_runs_later() {
    nothing_runs_later(0, 1);
}

#[test]
fn with_namespaces_nothing_more_runs_later() {
    nothing_runs_later(0, 2);
}

#[test]
fn with_namespaces_nothing_at_all_runs_later() {
    nothing_runs_later(0, 3);
}

#[test]
fn with_landlock_only_nothing_runs_later() {
    nothing_runs_later(1, 0);
}

#[test]
fn with_landlock_only_nothing_else_runs_later() {
    nothing_runs_later(1, 1);
}

#[test]
fn with_landlock_only_nothing_more_runs_later() {
    nothing_runs_later(1, 2);
}

#[test]
fn with_landlock_only_nothing_at_all_runs_later() {
    nothing_runs_later(1, 3);
}

#[test]
fn the_attacks_would_work() {
    let attacked = Attacked::new();
    // Without a sandbox most of them do, or the tests above would show nothing.
    let tried: Vec<_> = ATTACKS.iter().skip(1).step_by(5).collect();
    let mut failed = Vec::new();
    for script in &tried {
        attacked.reset();
        let root = attacked.repository.path("main");
        for script in [**script, LATER] {
            let script = format!("{ALT}{script}");
            let mut command = Command::new("sh");
            command.args(["-c", &script]).current_dir(&root).stdin(Stdio::null());
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        }
        if !attacked.is_hurt() {
            failed.push(script);
        }
        let _ = fs::remove_file(&attacked.mark);
    }
    assert!(failed.len() * 4 <= tried.len(), "{failed:#?}");
}

#[test]
fn busy_command_leaves_no_hooks() {
    for index in 0..2 {
        let attacked = Attacked::new();
        let root = attacked.repository.path("main");
        let sandbox = sandbox(&root, index);
        let script = format!(
            "{ALT}trap '' TERM; alt; touch started; while :; do cp evil .git/hooks/pre-commit; \
             settings > .git/config; echo $PWD/alt > .git/commondir; echo $PWD/alt > \
             .git/worktrees/inside/commondir; done 2>/dev/null"
        );
        let command = with_git(&script).with_grace(Duration::from_millis(100));
        let command = command.with_look_every(Duration::from_millis(20));
        let process = sandbox.spawn(&command).unwrap();
        while !root.join("started").exists() {
            std::thread::yield_now();
        }
        // Others who work meanwhile record nothing that would be put back later.
        let other = with_git("git commit -q --allow-empty -m meanwhile; sleep 1");
        let other = sandbox.spawn(&other).unwrap();
        process.guard.stop();
        let done = finish(process);
        if let Err(error) = other.end.wait() {
            let words = error.to_string();
            assert!(words.contains("try again") || words.contains("stop it first"), "{words}");
        }
        assert!(!attacked.is_hurt(), "{index}: {done:?}");
        git(&root, &["fsck"]);
    }
}
