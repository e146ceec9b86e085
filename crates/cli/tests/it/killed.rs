//! A run that is killed, and the next one in the same conversation.

use std::fs;

use crate::killer::{Killer, MOMENTS, calls, copy, say};
use crate::support::Sandbox;

/// Whatever call of the system a run is killed at, the next run in the conversation answers, and
/// no prompt is there twice.
#[test]
fn the_next_run_continues_whatever_call_a_run_was_killed_at() {
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
