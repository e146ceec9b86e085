//! The files in the root that tools touch only with a person's own yes, and those they never touch.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::json;
use silcrow_tool::{CallContext, Preview, Scope, Spill as _, Tool as _, ToolArgs};
use silcrow_tools::{FileRead, FileWrite, Root, Spills};

use crate::{Place, call, content, preview_of, why, writer_that_read};

/// Paths that are not written without an approval of their risk, and the error messages about them.
pub(crate) const PROTECTED: &[(&str, &str)] = &[
    // In git's own folders, however they are spelled and reached.
    (".git/config", "git"),
    ("./.git/./config", "git"),
    (".git//config", "git"),
    (".git/hooks/pre-commit", "git"),
    (".git/new/folder/file", "git"),
    (".git/HEAD", "git"),
    (".git", "git"),
    (".GIT/config", "git"),
    (".Git", "git"),
    ("docs/../.git/config", "git"),
    ("docs/../sub/../.git/config", "git"),
    ("sub/.git/config", "git"),
    ("sub/.git/hooks/post-checkout", "git"),
    ("new/.git/config", "git"),
    ("new/deep/.giT/hooks/x", "git"),
    // A worktree's or a submodule's is a file.
    ("module/.git", "git"),
    // Through links.
    ("link-git/config", "git"),
    ("link-hooks/pre-commit", "git"),
    ("link-sub/.git/config", "git"),
    ("docs/up/.git/config", "git"),
    ("docs/notes.md", "is a link to `.git/config`"),
    ("docs/chain.md", "is a link to `.git/config`"),
    ("elsewhere/config", "git"),
    ("elsewhere/hooks/new", "git"),
    ("linked/.git", "git"),
    // Without its name.
    ("bare/config", "git"),
    ("bare/hooks/post-update", "git"),
    ("worktree/config.worktree", "git"),
    // The place of hooks according to a repository.
    ("hooked/.husky/pre-commit", "git"),
    ("hooked/.HUSKY/pre-commit", "git"),
    ("hooked/link-husky/pre-commit", "git"),
    ("hooking/git/hooks/pre-commit", "git"),
    ("hooking/GIT/hooks/new/x", "git"),
    // The last file that git needs to take a folder for a repository.
    ("almost/HEAD", "git"),
    ("almost/head", "git"),
    ("half/refs/x", "git"),
    ("half/refs/heads/main", "git"),
    ("half/commondir", "git"),
    // The names from the caller.
    ("silcrow.toml", "the manifest of this run"),
    ("link-manifest", "is a link to `silcrow.toml`"),
    ("conf/later.toml", "a manifest that is missing"),
    ("conf/LATER.toml", "a manifest that is missing"),
    ("store/db", "the store of conversations"),
    ("store", "the store of conversations"),
    ("store/spills/c/7-a1", "the store of conversations"),
    ("store/new/x", "the store of conversations"),
    ("link-store/db", "the store of conversations"),
    ("later-store/db", "a store that is missing"),
    ("later-data/store/db", "a store whose folder is missing"),
    ("later-data/new/../Store", "a store whose folder is missing"),
    // Start files of a home.
    ("home/.bashrc", "home folder"),
    ("home/.BASHRC", "home folder"),
    ("home/.profile", "home folder"),
    ("home/.zshenv", "home folder"),
    ("home/.ssh/authorized_keys", "home folder"),
    ("home/.ssh", "home folder"),
    ("home/.config/fish/config.fish", "home folder"),
    ("home/.config/systemd/user/x.service", "home folder"),
    ("home/.gitconfig", "home folder"),
    ("home/.local/bin/ls", "home folder"),
    ("home/dotfiles/zshrc", "home folder"),
    ("link-home/.bashrc", "home folder"),
    // Files that shells, editors and tools run, in any folder.
    (".bashrc", "shells, editors or tools"),
    ("home/project/.bashrc", "shells, editors or tools"),
    (".husky/pre-commit", "shells, editors or tools"),
    ("hooked/docs/.husky/pre-commit", "shells, editors or tools"),
    ("sub/.envrc", "shells, editors or tools"),
    (".vscode/tasks.json", "shells, editors or tools"),
    (".VSCODE/Tasks.json", "shells, editors or tools"),
    ("new/.idea/workspace.xml", "shells, editors or tools"),
    ("link-sub/.cargo/config.toml", "shells, editors or tools"),
    (".npmrc", "shells, editors or tools"),
    (".mcp.json", "shells, editors or tools"),
    (".github/workflows/ci.yml", "shells, editors or tools"),
    ("AGENTS.md", "shells, editors or tools"),
    ("sub/x.code-workspace", "shells, editors or tools"),
];

/// Paths that look like those, and are written.
const FREE: &[&str] = &[
    ".gitignore",
    ".github/CODEOWNERS",
    ".git2/config",
    "git/config",
    "hooks/pre-commit",
    "sub/notes.md",
    "module/a.txt",
    "bare2/HEAD",
    "bare2/refs/x",
    "half/notes.md",
    "later-data/stores/db",
    "later-data/a.txt",
    "conf/silcrow.toml",
    "docs/silcrow.toml",
    "home/notes.md",
    "home/.config/app/settings.toml",
    "home/dotfiles/vimrc",
    "stores/db",
    "hooking/git/readme.md",
    "Makefile",
    ".vscode/notes.json",
];

pub(crate) fn place() -> Place {
    let mut place = Place::new();
    for git in [".git", "sub/.git", "elsewhere", "bare"] {
        place.put(&format!("{git}/HEAD"), "ref: refs/heads/main");
        place.put(&format!("{git}/config"), "[core]").put(&format!("{git}/objects/x"), "");
        place.put(&format!("{git}/refs/x"), "").put(&format!("{git}/hooks/x.sample"), "");
    }
    place
        .put("worktree/HEAD", "x")
        .put("worktree/commondir", "..")
        .put("almost/objects/x", "")
        .put("almost/refs/x", "")
        .put("half/HEAD", "ref: refs/heads/main")
        .put("half/objects/x", "")
        .put("module/.git", "gitdir: ../.git/modules/module")
        .put("docs/a.md", "x")
        .put("linked/a.md", "x")
        .put("hooked/.git/config", "[core]\n\thooksPath = .husky\n")
        .put("hooked/.husky/pre-push", "")
        .put("hooking/.git/config", "[core]\n\thooksPath = ./git/hooks\n")
        .put("conf/other.toml", "x")
        .put("silcrow.toml", "manifest")
        .put("store/db", "conversations")
        .put("store/spills/c/7-a1", "kept")
        .put("home/.bashrc", "alias")
        .put("home/dotfiles/zshrc", "alias");
    place
        .link("../.git/config", "docs/notes.md")
        .link("notes.md", "docs/chain.md")
        .link("..", "docs/up")
        .link(".git", "link-git")
        .link("sub/.git/hooks", "link-hooks")
        .link("sub", "link-sub")
        .link("../elsewhere", "linked/.git")
        .link(".husky", "hooked/link-husky")
        .link("silcrow.toml", "link-manifest")
        .link("store", "link-store")
        .link("home", "link-home")
        .link("dotfiles/zshrc", "home/.zshrc");
    let path = place.path();
    place.root = Root::open(&path)
        .unwrap()
        .with_protected(path.join("silcrow.toml"), "the manifest of this run")
        .with_protected(path.join("conf/later.toml"), "a manifest that is missing")
        .with_private(path.join("store"), "the store of conversations")
        .with_private(path.join("later-store"), "a store that is missing")
        .with_private(path.join("later-data/store"), "a store whose folder is missing")
        .with_home(path.join("home"));
    place
}

/// All files in the root with their texts.
pub(crate) fn all(place: &Place) -> BTreeMap<PathBuf, Option<String>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![place.path()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
            all.insert(entry.path(), fs::read_to_string(entry.path()).ok());
        }
    }
    all
}

pub(crate) async fn preview(place: &Place, file: &str, content: &str) -> Result<Preview, String> {
    let args = json!({"file": file, "content": content}).to_string();
    let tool = writer_that_read(&place.root, file).await;
    preview_of(&tool, &args).await.map_err(|why| why.to_string())
}

#[tokio::test]
async fn no_path_writes_protected_files() {
    let place = place();
    let before = all(&place);
    assert!(PROTECTED.len() >= 50);
    let host = place.path().display().to_string();
    for &(path, expected) in PROTECTED {
        for path in [path, &format!("{host}/{path}"), &format!("{}{path}", "./".repeat(500))] {
            let why = why(place.write(path, "written").await);
            assert!(why.contains(expected), "{path}: {why}");
            match preview(&place, path, "written").await {
                // The person reads the reason, and nothing was approved yet.
                Ok(preview) => assert_eq!(risk(&why), preview.risk.as_deref(), "{path}"),
                Err(refused) => {
                    let other = ["is a folder", "is a link"].map(|other| refused.contains(other));
                    assert!(refused == why || other.contains(&true), "{refused}");
                }
            }
            assert!(all(&place) == before, "{path} changed something");
        }
    }
    for path in FREE {
        place.write(path, "written").await.unwrap_or_else(|why| panic!("{path}: {why}"));
        assert_eq!(place.get(path), "written");
    }
}

/// Returns the risk that an error says was not approved.
fn risk(why: &str) -> Option<&str> {
    Some(why.split_once(" needs a person's own approval, which is missing: ")?.1)
}

#[tokio::test]
async fn error_names_the_protected_path() {
    let place = place();
    for (path, expected) in [
        (
            "docs/up/.git/config",
            "`docs/up/.git/config` needs a person's own approval, which is missing: it belongs to \
             git, whose files name commands that git runs",
        ),
        (
            "silcrow.toml",
            "`silcrow.toml` needs a person's own approval, which is missing: it is the manifest of \
             this run",
        ),
        (
            "home/.bashrc",
            "`home/.bashrc` needs a person's own approval, which is missing: it is in a home \
             folder, where shells, logins or services run it",
        ),
        (
            "store/db",
            "`store/db` is protected: it is the store of conversations, which no tool reads or \
             changes",
        ),
    ] {
        assert_eq!(why(place.write(path, "x").await), expected);
    }
}

#[tokio::test]
async fn swapped_protected_files_stay_protected() {
    let place = place();
    fs::rename(place.path().join("silcrow.toml"), place.path().join("old.toml")).unwrap();
    for path in ["silcrow.toml", "old.toml"] {
        assert!(why(place.write(path, "x").await).contains("the manifest of this run"), "{path}");
    }
    place.put("silcrow.toml", "new").put("later-store/db", "new");
    assert!(why(place.write("silcrow.toml", "x").await).contains("the manifest of this run"));
    assert!(why(place.read("later-store/db").await).contains("a store that is missing"));
    assert_eq!(place.get("silcrow.toml"), "new");
}

#[tokio::test]
async fn root_inside_a_protected_folder_is_protected() {
    let place = place();
    for inside in [".git", ".git/hooks", "sub/.git", "bare", "bare/hooks"] {
        let tool = FileWrite::new(&Root::open(place.path().join(inside)).unwrap());
        let args = json!({"file": "pre-commit", "content": "x"}).to_string();
        assert!(why(call(&tool, &args).await).contains("belongs to git"), "{inside}");
    }
    let root = Root::open(place.path().join("store/spills")).unwrap();
    let root = root.with_private(place.path().join("store"), "the store of conversations");
    let read = call(&FileRead::new(&root), r#"{"file":"c/7-a1"}"#).await;
    assert!(why(read).contains("the store of conversations"));
}

#[tokio::test]
async fn work_tree_inside_its_repository_is_free() {
    let place = place();
    place.put("bare/main/.git", "gitdir: ../worktrees/main").put("bare/main/src/a.txt", "x");
    for root in ["bare/main", "bare/main/src"] {
        let tool = FileWrite::new(&Root::open(place.path().join(root)).unwrap());
        call(&tool, &json!({"file": "b.txt", "content": "x"}).to_string()).await.unwrap();
        let args = json!({"file": "../.git", "content": "x"}).to_string();
        assert!(call(&tool, &args).await.is_err());
    }
}

#[tokio::test]
async fn private_folder_is_read_only_for_outputs() {
    let place = place();
    let denied = "is protected: it is the store of conversations, which no tool reads or changes";
    for path in ["store/db", "link-store/db", "docs/../store/db", "store/spills/c/7-a1", "store/x"]
    {
        assert_eq!(why(place.read(path).await), format!("`{path}` {denied}"));
        assert_eq!(why(place.search("x", path).await), format!("`{path}` {denied}"));
    }
    for path in ["store", "store/", "link-store", "store/spills", "store/nothing"] {
        assert_eq!(why(place.list(path).await), format!("`{path}` {denied}"));
        assert_eq!(why(place.search("x", path).await), format!("`{path}` {denied}"));
    }
    let output = place.search("conversations", ".").await.unwrap();
    assert_eq!(output.content, "");
    assert!(output.summary.ends_with("; 1 entry is protected"), "{}", output.summary);
    assert!(content(place.list(".").await).contains("store/\n"));
    // Git's files and the manifest are read.
    assert_eq!(content(place.read(".git/config").await), "[core]");
    assert_eq!(content(place.read("silcrow.toml").await), "manifest");

    let spills = Spills::new(place.path().join("store/spills"));
    let tool = FileRead::new(&place.root).with_spills(spills.clone());
    let context = CallContext::new(Scope::new("talk").with_turn(7), "a1");
    let name = spills.keep(&context, "all of it").await.unwrap();
    let args = json!({"file": name}).to_string();
    let read = tool.call(ToolArgs::new(&args), &context).await;
    assert_eq!(content(read), "all of it");
}
