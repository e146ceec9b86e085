use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::Place;

/// The outcome that a path must have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Must {
    /// It is reported as leading out.
    Out,
    /// Fail, whatever the words.
    Fail,
    /// Give this text.
    Read(&'static str),
}
use Must::{Fail, Out, Read};

/// Paths as a model may write them, for reading a file.
const READ: &[(&str, Must)] = &[
    // Up and out.
    ("../secret.txt", Out),
    ("./../secret.txt", Out),
    ("..//secret.txt", Out),
    ("../root/inside.txt", Out),
    ("sub/../../secret.txt", Out),
    ("sub/deep/../../../secret.txt", Out),
    ("sub/./.././../secret.txt", Out),
    ("../../../../../../../../../../etc/passwd", Out),
    ("..", Out),
    ("../", Out),
    ("../.", Out),
    ("sub/../..", Out),
    ("missing/../../secret.txt", Fail),
    ("inside.txt/../../secret.txt", Fail),
    // Absolute.
    ("/etc/passwd", Out),
    ("/", Out),
    ("//etc/passwd", Out),
    ("///etc///passwd", Out),
    ("/./etc/passwd", Out),
    ("/../etc/passwd", Out),
    ("/proc/self/root/etc/passwd", Out),
    ("/proc/self/cwd", Out),
    ("/proc/self/environ", Out),
    ("/proc/self/fd/0", Out),
    ("/dev/stdin", Out),
    ("/dev/zero", Out),
    ("/inside.txt", Out),
    // Links.
    ("link-out-file", Out),
    ("link-out-folder/secret.txt", Out),
    ("link-absolute", Out),
    ("link-absolute-inside", Out),
    ("link-root/etc/passwd", Out),
    ("link-up", Out),
    ("link-up/secret.txt", Out),
    ("link-chain", Out),
    ("sub/link-up-up/secret.txt", Out),
    ("link-inside/../../../secret.txt", Out),
    ("link-proc", Out),
    ("link-proc/etc/passwd", Out),
    ("link-loop", Fail),
    ("link-loop/x", Fail),
    ("link-broken", Fail),
    ("link-inside/../../secret.txt", Fail),
    ("link-file/", Fail),
    ("link-file", Read("inside")),
    ("link-inside/deep.txt", Read("deep")),
    ("link-inside/../inside.txt", Read("sub's")),
    ("sub/link-back/inside.txt", Read("inside")),
    // Harmless, though they look otherwise.
    ("inside.txt", Read("inside")),
    ("./inside.txt", Read("inside")),
    (".//./inside.txt", Read("inside")),
    ("sub/../inside.txt", Read("inside")),
    ("sub/deep/../../inside.txt", Read("inside")),
    ("a..b.txt", Read("dots")),
    ("..hidden", Read("dots")),
    ("...", Read("dots")),
    ("etc/passwd", Read("ours")),
    ("proc/self/root", Read("ours")),
    ("~", Read("tilde")),
    ("$HOME", Read("variable")),
    ("%2e%2e%2fsecret.txt", Read("percent")),
    ("..\\secret.txt", Read("backslash")),
    ("C:\\secret.txt", Read("drive")),
    ("-rf", Read("flag")),
    (" inside.txt", Read("space")),
    ("new\nline", Read("line break")),
    ("ünï/côdé-\u{1f600}.txt", Read("unicode")),
    ("u\u{308}", Read("two characters")),
    ("\u{202e}txt.exe", Read("reversed")),
    // Not what they seem.
    ("\u{ff0e}\u{ff0e}/secret.txt", Fail),
    ("\u{2025}/secret.txt", Fail),
    ("..\u{2215}secret.txt", Fail),
    ("%2e%2e/secret.txt", Fail),
    ("~/secret.txt", Fail),
    ("~root", Fail),
    ("$HOME/secret.txt", Fail),
    ("file:///etc/passwd", Fail),
    // It looks like the existing one.
    ("\u{fc}", Read("two characters")),
    ("INSIDE.TXT", Fail),
    ("inside.txt ", Fail),
    // No paths.
    ("", Fail),
    (" ", Fail),
    (".", Fail),
    ("./", Fail),
    ("sub", Fail),
    ("sub/", Fail),
    ("inside.txt/", Fail),
    ("inside.txt/.", Fail),
    ("inside.txt/..", Fail),
    ("\0", Fail),
    ("inside.txt\0", Fail),
    ("\0../secret.txt", Fail),
    ("inside.txt\0/../../secret.txt", Fail),
];

pub(crate) fn place() -> Place {
    let place = Place::new();
    place
        .put("inside.txt", "inside")
        .put("sub/deep/deep.txt", "deep")
        .put("sub/inside.txt", "sub's")
        .put("a..b.txt", "dots")
        .put("..hidden", "dots")
        .put("...", "dots")
        .put("etc/passwd", "ours")
        .put("proc/self/root", "ours")
        .put("~", "tilde")
        .put("$HOME", "variable")
        .put("%2e%2e%2fsecret.txt", "percent")
        .put("..\\secret.txt", "backslash")
        .put("C:\\secret.txt", "drive")
        .put("-rf", "flag")
        .put(" inside.txt", "space")
        .put("new\nline", "line break")
        .put("ünï/côdé-\u{1f600}.txt", "unicode")
        .put("u\u{308}", "two characters")
        .put("\u{202e}txt.exe", "reversed");
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
        .link("link-loop", "link-loop")
        .link("gone", "link-broken")
        .link("inside.txt", "link-file")
        .link("sub/deep", "link-inside");
    place
}

/// An error message contains nothing of the host and nothing from outside the root.
pub(crate) fn assert_discreet(place: &Place, path: &str, why: &str) {
    let host = place.outer.path().to_str().unwrap();
    // A model that writes absolute paths gets the right path in the error.
    let root = place.path().display().to_string();
    let rest = if path.starts_with('/') { why.replace(&root, "") } else { why.to_owned() };
    assert!(!rest.contains(host), "{path:?} tells the host's path: {why}");
    assert!(!why.contains("SECRET") && !why.contains("root:"), "{path:?} tells a secret: {why}");
    assert!(why.len() < 1500 && !why.contains('\0') && !why.contains('\n'), "{path:?}: {why}");
}

#[tokio::test]
async fn no_path_reads_outside_root() {
    let place = place();
    assert!(READ.len() >= 60);
    for &(path, must) in READ {
        match (place.read(path).await, must) {
            (Ok(output), Read(text)) => {
                assert_eq!(output.content, text, "{path:?}");
            }
            (Ok(output), must) => panic!("{path:?} must {must:?}, gave {:?}", output.content),
            (Err(why), Read(_)) => panic!("{path:?} is harmless: {why}"),
            (Err(why), must) => {
                let why = why.to_string();
                assert_discreet(&place, path, &why);
                let out = why.contains("leads out of the folder");
                assert!(out || must == Fail, "{path:?}: {why}");
            }
        }
    }
}

#[tokio::test]
async fn no_path_lists_or_searches_outside_root() {
    let place = place();
    for &(path, must) in READ {
        for done in [place.list(path).await, place.search("SECRET", path).await] {
            match done {
                Ok(output) => {
                    assert_ne!(must, Out, "{path:?} gave {output:?}");
                    assert!(!output.content.text().contains(":1: SECRET"), "{path:?}: {output:?}");
                }
                Err(why) => assert_discreet(&place, path, &why.to_string()),
            }
        }
    }
    for path in [".", "sub", "link-inside"] {
        place.list(path).await.unwrap();
        place.search("x", path).await.unwrap();
    }
}

#[tokio::test]
async fn no_path_writes_outside() {
    let place = place();
    let before = outside(&place);
    for &(path, must) in READ {
        match place.write(path, "written").await {
            Ok(_) => assert_ne!(must, Out, "{path:?}"),
            Err(why) => {
                // A link at the end is not followed, wherever it leads.
                let refused = !matches!(must, Read(_)) || path == "link-file";
                assert!(refused, "{path:?} is harmless: {why}");
                assert_discreet(&place, path, &why.to_string());
            }
        }
        assert_eq!(outside(&place), before, "{path:?}");
    }
    assert_eq!(place.get("a..b.txt"), "written");
    assert_eq!(place.get("etc/passwd"), "written");
}

/// All that lies beside the root, with its text.
pub(crate) fn outside(place: &Place) -> BTreeMap<PathBuf, Option<String>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![place.outer.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path == place.path() {
                continue;
            }
            if path.is_dir() {
                folders.push(path.clone());
            }
            let text = fs::read_to_string(&path).ok();
            all.insert(path, text);
        }
    }
    all
}

#[tokio::test]
async fn overlong_paths_fail_with_short_errors() {
    let place = place();
    let name = "x".repeat(256);
    let long = "x/".repeat(3000);
    let up = "../".repeat(100_000);
    for path in [&name, &format!("{name}/{name}"), &long, &up, &"é".repeat(1 << 20)] {
        for done in [
            place.read(path).await,
            place.list(path).await,
            place.search("x", path).await,
            place.write(path, "x").await,
        ] {
            assert_discreet(&place, "(long)", &done.unwrap_err().to_string());
        }
    }
    let fits = "x".repeat(255);
    place.write(&fits, "fits").await.unwrap();
    assert_eq!(place.get(&fits), "fits");
}
