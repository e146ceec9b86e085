//! The table of paths in `tests/cases/paths.tsv`: the results of reading and writing each of them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use serde_json::json;
use silcrow_tool::{Tool, ToolError};
use silcrow_tools::{FileRead, FileWrite, Root};

use crate::hostile::{assert_discreet, outside};
use crate::{Place, call, call_approved};

const TABLE: &str = include_str!("../cases/paths.tsv");

/// A path, and the required results of reading and writing it.
struct Row {
    path: String,
    read: &'static str,
    write: &'static str,
}

fn rows() -> Vec<Row> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let path = serde_json::from_str(cells.next().unwrap()).unwrap();
        Row { path, read: cells.next().unwrap(), write: cells.next().unwrap() }
    };
    lines.map(row).collect()
}

/// Returns the path that a row stands for.
fn resolved(path: &str, root: &Path) -> String {
    match path {
        "LONGNAME" => "x".repeat(256),
        "LONGPATH" => "x/".repeat(3000),
        "LONGUP" => "../".repeat(100_000),
        path => {
            path.replacen("ROOT", root.to_str().unwrap(), usize::from(path.starts_with("ROOT")))
        }
    }
}

/// A place with all files that the table opens or asks about, and everything in their way.
fn prepared(rows: &[Row]) -> (Place, Option<UnixListener>) {
    let mut place = Place::new();
    let is_plain = |path: &str| {
        let odd = ["ROOT", "link", "//", "/../", "./"];
        !odd.iter().any(|odd| path.contains(odd)) || path.starts_with("...")
    };
    for row in rows.iter().filter(|row| row.read != "refused" && is_plain(&row.path)) {
        place.put(&row.path, "text");
    }
    for git in [".git", "sub/.git", "bare"] {
        place.put(&format!("{git}/HEAD"), "ref: refs/heads/main").put(&format!("{git}/config"), "");
        place.put(&format!("{git}/objects/x"), "").put(&format!("{git}/refs/x"), "");
    }
    place
        .put("sub/deep/deep.txt", "deep")
        .put("sub/inside.txt", "text")
        .put("worktree/HEAD", "x")
        .put("hooked/.git/config", "[core]\n\thooksPath = my-hooks\n")
        .put("almost/objects/x", "")
        .put("almost/refs/x", "")
        .put("half/HEAD", "ref: refs/heads/main")
        .put("half/objects/x", "")
        .put("store/db", "conversations")
        .put("home/.bash_logout", "");
    place
        .link("../secret.txt", "link-out-file")
        .link("..", "link-out-folder")
        .link("/etc/passwd", "link-absolute")
        .link(place.path().join("inside.txt"), "link-absolute-inside")
        .link("/", "link-root")
        .link("sub/../..", "link-up")
        .link("link-out-file", "link-chain")
        .link("../..", "sub/link-up-up")
        .link("..", "sub/link-back")
        .link("/proc/self/root", "link-proc")
        .link("/proc/self/cwd", "link-cwd")
        .link("/proc/self/fd", "link-fd")
        .link("/dev/zero", "link-dev")
        .link("link-out-folder", "link-twice")
        .link("link-loop", "link-loop")
        .link("link-loop-b", "link-loop-a")
        .link("link-loop-a", "link-loop-b")
        .link("gone", "link-broken")
        .link("link-broken", "link-chain-broken")
        .link("inside.txt", "link-file")
        .link("link-file", "link-chain-2")
        .link("link-chain-2", "link-chain-3")
        .link("sub/deep", "link-inside")
        .link("././.", "link-dot")
        .link(".env", "link-env")
        .link(".git", "link-git")
        .link("silcrow.toml", "link-manifest")
        .link("store", "link-store")
        .link("../pipe", "sub/pipe-link")
        .link(OsStr::from_bytes(b"bytes-\xff"), "link-bytes")
        .link(OsStr::from_bytes(b"../\xff"), "link-bytes-out")
        .link("inside.txt", "deep-0");
    fs::write(place.path().join(OsStr::from_bytes(b"bytes-\xff")), "text").unwrap();
    for n in 0..41 {
        place.link(format!("deep-{n}"), &format!("deep-{}", n + 1));
    }
    place.link("deep-41", "link-deep-40");
    let linked = |name: &str| place.path().join(name);
    fs::write(place.outer.path().join("elsewhere"), "text").unwrap();
    fs::hard_link(place.outer.path().join("elsewhere"), linked("hard-link-2")).unwrap();
    let _ = (fs::remove_file(linked("hard-link")), fs::remove_file(linked("hard-link-env")));
    fs::hard_link(linked("inside.txt"), linked("hard-link")).unwrap();
    fs::hard_link(linked(".env"), linked("hard-link-env")).unwrap();
    mknodat(CWD, linked("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    // Only some may make a device; without one, the path does not exist.
    let _ = mknodat(CWD, linked("device"), FileType::CharacterDevice, Mode::RUSR, makedev(1, 5));
    // The path of a socket is short, so it may be impossible to make one here.
    let socket = UnixListener::bind(linked("socket")).ok();
    let path = place.path();
    place.root = Root::open(&path)
        .unwrap()
        .with_protected(path.join("silcrow.toml"), "the manifest of this run")
        .with_protected(path.join("conf/later.toml"), "a manifest that is missing")
        .with_private(path.join("store"), "the store of conversations")
        .with_private(path.join("later-store"), "a store that is missing")
        .with_home(path.join("home"));
    (place, socket)
}

/// Returns the result of a call: at once, only with a person's own yes, or never.
async fn verdict(tool: &dyn Tool, args: &str, at_once: &'static str) -> (&'static str, String) {
    let asks = |why: &ToolError| why.to_string().contains("needs a person's own approval");
    match call(tool, args).await {
        Ok(_) => (at_once, String::new()),
        Err(why) if asks(&why) => match call_approved(tool, args).await {
            Ok(_) => ("asks", why.to_string()),
            Err(why) => ("refused", why.to_string()),
        },
        Err(why) => ("refused", why.to_string()),
    }
}

#[tokio::test]
async fn every_path_has_its_verdict() {
    let rows = rows();
    assert!(rows.len() >= 300, "{}", rows.len());
    let mut wrong = Vec::new();
    let mut made = prepared(&rows);
    for row in &rows {
        let place = &made.0;
        let before = outside(place);
        let path = resolved(&row.path, &place.path());
        let read = FileRead::new(&place.root);
        let args = json!({"file": path}).to_string();
        let (did, why) = verdict(&read, &args, "opens").await;
        let shown: String = row.path.chars().take(60).collect();
        if did != row.read {
            wrong.push(format!("{shown:?}: reading {did}, not {}: {why}", row.read));
        }
        assert_discreet(place, if path.starts_with('/') { "/" } else { "" }, &why);

        // Files that may be read, even only with a yes, are known and may be replaced.
        drop(call_approved(&read, &args).await);
        let write = FileWrite::new(&place.root);
        let args = json!({"file": path, "content": "written"}).to_string();
        let full = place.path().join(&path);
        let old = fs::metadata(&full).ok().filter(fs::Metadata::is_file);
        let old = old.and_then(|_| fs::read(&full).ok());
        let (did, why) = verdict(&write, &args, "writes").await;
        if did != row.write {
            wrong.push(format!("{shown:?}: writing {did}, not {}: {why}", row.write));
        }
        assert_discreet(place, if path.starts_with('/') { "/" } else { "" }, &why);
        assert_eq!(outside(place), before, "{shown:?}");
        match (did, old) {
            ("refused", _) => {}
            ("writes", Some(old)) => fs::write(full, old).unwrap(),
            ("writes", None) => fs::remove_file(full).unwrap(),
            _ => made = prepared(&rows),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
