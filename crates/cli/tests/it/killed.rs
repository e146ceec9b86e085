//! A run that is killed, and the next one in the same conversation.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::killer::{Killer, MOMENTS, calls, copy, say};
use crate::pictures::SHOT;
use crate::support::Sandbox;

/// If a run is killed at any system call, the next run in the conversation answers, and no prompt
/// is there twice.
#[test]
fn next_run_continues_after_kill_at_any_syscall() {
    let sandbox = Sandbox::new();
    let (folder, original) = (sandbox.path("data/silcrow"), sandbox.path("original"));
    let script = sandbox.write("script", "§think: hm\n§respond: yes\n§end");
    let model = format!("script:{script}");
    let args = |prompt| ["run", prompt, "--model", &model, sandbox.flag_of("c1"), "c1"];
    sandbox.silcrow(&args("first")).ends(0);
    fs::rename(&folder, &original).unwrap();

    let killer = Killer::new(&sandbox);
    let mut kills = 0;
    for moment in MOMENTS {
        for at in calls(4) {
            let _ = fs::remove_dir_all(&folder);
            copy(&original, &folder);
            if killer.ends_by_itself(&args("second"), moment, at) {
                break;
            }
            kills += 1;
            sandbox.silcrow(&args("third")).ends(0);
            let events = sandbox.silcrow(&["log", "--json", "c1"]).ends(0).events();
            let prompts: Vec<_> = events.iter().filter(|event| event["type"] == "user").collect();
            let times =
                |said: &str| prompts.iter().filter(|event| event["content"] == said).count();
            assert_eq!((times("first"), times("third")), (1, 1), "{moment} {at}: {prompts:?}");
            assert!(times("second") <= 1, "{moment} {at}: {prompts:?}");
            assert_eq!(events.last().unwrap()["type"], "respond", "{moment} {at}");
            sandbox.silcrow(&["log", "--json", "verify"]).ends(0);
        }
    }
    say(&format!("{kills} kills"));
    assert!(kills >= 3, "{kills}");
}

/// Returns the hashes of the pictures that the events of a conversation name, and of those whose bytes are there.
fn pictures(sandbox: &Sandbox) -> (BTreeSet<String>, BTreeSet<String>) {
    let export = sandbox.silcrow(&["log", "export", "c1"]).ends(0).out.clone();
    let (mut named, mut kept) = (BTreeSet::new(), BTreeSet::new());
    for line in export.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["space"] == "media/c1" {
            let key = line["key"].as_str().unwrap();
            if key.starts_with("sha256:") && line["text"] != "" {
                kept.insert(key.to_owned());
            }
        }
        let text = line.to_string();
        for (at, mark) in text.match_indices(r#""hash":"sha256:"#) {
            let start = at + mark.len() - "sha256:".len();
            // In the list of pictures the quotation marks are escaped.
            named.insert(text[start..start + 71].to_owned());
        }
    }
    (named, kept)
}

/// If a run is killed at any system call, the bytes of each picture that an event names are there,
/// and `silcrow log compact` leaves no others.
#[test]
fn kill_at_any_syscall_keeps_pictures_consistent() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.root().join("shot.png"), SHOT).unwrap();
    let (folder, original) = (sandbox.path("data/silcrow"), sandbox.path("original"));
    let script = sandbox.write("script", "§respond: yes\n§end");
    let model = format!("script:{script}");
    let args = |prompt| ["run", prompt, "--model", &model, sandbox.flag_of("c1"), "c1"];
    sandbox.silcrow(&args("first")).ends(0);
    fs::rename(&folder, &original).unwrap();

    let killer = Killer::new(&sandbox);
    let (mut kills, mut with_picture, mut left_over) = (0, 0, 0);
    for moment in MOMENTS {
        for at in calls(4) {
            let _ = fs::remove_dir_all(&folder);
            copy(&original, &folder);
            if killer.ends_by_itself(&args("What is in @shot.png?"), moment, at) {
                break;
            }
            kills += 1;
            let (named, kept) = pictures(&sandbox);
            assert!(named.is_subset(&kept), "{moment} {at}: {named:?} are lost of {kept:?}");
            (with_picture, left_over) =
                (with_picture + named.len(), left_over + kept.len() - named.len());
            sandbox.silcrow(&["log", "compact"]).ends(0);
            // The command completes writes that were not yet acknowledged, which may be the event.
            let (completed, kept) = pictures(&sandbox);
            assert!(completed.is_superset(&named), "{moment} {at}: {named:?} {completed:?}");
            assert_eq!(completed, kept, "{moment} {at}");
            sandbox.silcrow(&["log", "--json", "verify"]).ends(0);
            // The same picture is kept again if it was swept.
            sandbox.silcrow(&args("And in @shot.png?")).ends(0);
            let (named, kept) = pictures(&sandbox);
            assert_eq!((named.len(), kept), (1, named), "{moment} {at}");
        }
    }
    say(&format!("{kills} kills, {with_picture} after and {left_over} between picture and event"));
    assert!(with_picture >= 1 && left_over >= 1, "{kills} {with_picture} {left_over}");
}
