//! Commands in the background that exchange folders with links while the helpers look at them.
//!
//! The links lead out of the root, to bait that must stay as it is and where it is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, Instant};

use silcrow_sandbox::{ConfinedCommand, ConfinedProcess, SandboxOptions};

use super::{Place, finish, write};

const NAMES: [&str; 4] = [".envrc", ".gitconfig", ".git", ".vscode/settings.json"];

fn named(options: SandboxOptions) -> SandboxOptions {
    let options = options.with_protected("deep/folder/settings.toml").with_protected("deep/.git");
    NAMES.into_iter().fold(options, SandboxOptions::with_protected_name)
}

/// Exchanges the two names as fast as it can, until the file `stop` is there.
const EXCHANGE: &str = r#"
import ctypes, os
exchange = ctypes.CDLL(None, use_errno=True).renameat2
pairs = [(b"deep", b"link"), (b"a/b", b"a/link")]
open("started", "w").close()
while not os.path.exists("stop"):
    for _ in range(200):
        for one, other in pairs:
            exchange(-100, one, -100, other, 2)
"#;

/// Puts files with protected names into a folder.
fn bait(folder: &Path, content: &str) {
    for file in [
        ".envrc",
        ".gitconfig",
        ".git/config",
        ".vscode/settings.json",
        "folder/settings.toml",
        "folder/.gitconfig",
    ] {
        write(folder.join(file), content);
    }
}

/// Returns every file beneath a folder with its content.
fn all(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => left.push(entry.path()),
                false => found.push((
                    entry.path().display().to_string(),
                    fs::read_to_string(entry.path()).unwrap_or_default(),
                )),
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns the files of the root that have the content of the bait, links not followed.
fn stolen(root: &Path) -> Vec<String> {
    let all = all(root).into_iter();
    let is_link = |path: &str| fs::symlink_metadata(path).is_ok_and(|at| at.is_symlink());
    all.filter(|(path, text)| text.contains("BAIT") && !is_link(path)).map(|it| it.0).collect()
}

#[test]
fn folder_exchange_race_never_touches_outside() {
    for index in 0..2 {
        let (place, outside) = (Place::new(), Place::new());
        let root = place.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("deep/folder")).unwrap();
        // With these names nothing of the kernel keeps the background command from its work.
        bait(&outside.path(), "BAIT");
        symlink(outside.path(), root.join("link")).unwrap();
        symlink(outside.path(), root.join("a/link")).unwrap();
        let before = all(&outside.path());
        let names = |options| NAMES.into_iter().fold(options, SandboxOptions::with_protected_name);
        let sandbox = match index {
            0 => place.sandboxes_with(named).swap_remove(0),
            _ => place.sandboxes_with(names).swap_remove(1),
        };
        let command = ConfinedCommand::new(["python3", "-c", EXCHANGE]);
        let background: ConfinedProcess = sandbox.spawn(&command).unwrap();
        let deadline = Instant::now() + LONGEST;
        while !root.join("started").exists() {
            assert!(Instant::now() < deadline, "the background command did not start");
            std::thread::yield_now();
        }
        let mut done = 0;
        for round in 0..ROUNDS {
            // Files that are made here are found, and the bait must not be.
            let script = "mkdir -p a/b/new && echo x > a/b/new/.envrc";
            let process = sandbox.spawn(&ConfinedCommand::shell(script)).unwrap();
            match process.end.wait() {
                Ok(_) => done += 1,
                Err(error) => assert!(error.to_string().contains("try again"), "{error}"),
            }
            assert_eq!(all(&outside.path()), before, "round {round}");
        }
        fs::write(root.join("stop"), "").unwrap();
        finish(background);
        assert!(done > 0, "no command ran");
        assert_eq!(all(&outside.path()), before);
        assert_eq!(stolen(&root), Vec::<String>::new());
    }
}

/// The number of commands that run meanwhile.
const ROUNDS: usize = 60;
/// The time after which a background command should have started.
const LONGEST: Duration = Duration::from_secs(60);
