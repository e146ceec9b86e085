//! Forks of conversations, by real processes.

use std::fs;

use crate::support::Sandbox;

/// A model that lists a folder, and then answers twice.
const SCRIPT: &str = "\
§call: {\"name\": \"file_list\", \"args\": {}}
§execute
%%
§respond: one
§end
%%
§respond: two
§end";

fn recorded() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let model = format!("script:{}", sandbox.write("script", SCRIPT));
    sandbox.silcrow(&["run", "go", "--model", &model, "--new", "c1"]).ends(0);
    let again = format!("script:{}", sandbox.write("again", "§respond: forked\n§end"));
    (sandbox, again)
}

#[test]
fn fork_continues_from_the_history() {
    let (sandbox, model) = recorded();
    let before = sandbox.silcrow(&["log", "--json", "export", "c1"]).ends(0).out.clone();
    let said = sandbox.silcrow(&["log", "fork", "c1", "--at", "3", "--as", "c2"]);
    assert_eq!((said.ends(0).out.as_str(), said.err.as_str()), ("c2\n", ""));
    let events = sandbox.silcrow(&["log", "--json", "c2"]).ends(0).events();
    assert_eq!(events.len(), 3);
    assert_eq!(events[0]["forked_from"], serde_json::json!({"conversation": "c1", "seq": 3}));
    assert_eq!(events[0]["conversation"], "c2");

    let fork = ["--fork", "c1@3", "--new", "c3", "--model", &model];
    let said = sandbox.silcrow(&[&["run", "and now?"], &fork[..]].concat());
    assert_eq!(said.ends(0).out, "forked\n");
    let events = sandbox.silcrow(&["log", "--json", "c3"]).ends(0).events();
    let types: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["user", "call", "result", "user", "respond"]);
    assert_eq!(sandbox.silcrow(&["log", "--json", "export", "c1"]).ends(0).out, before);

    // Without a position it is the end, and without a name the id is new and shown.
    let said = sandbox.silcrow(&["run", "and now?", "--fork", "c1", "--model", &model]);
    assert!(said.ends(0).err.contains("continue with --conversation c"), "{}", said.err);
    let said = sandbox.silcrow(&["log", "fork", "c1", "--json"]);
    assert_eq!(said.ends(0).events()[0]["events"].as_u64(), Some(4));
    sandbox.silcrow(&["log", "--json", "verify"]).ends(0);
}

#[test]
fn fork_does_not_run_calls_without_results() {
    let (sandbox, model) = recorded();
    let said = sandbox.silcrow(&["log", "fork", "c1", "--at", "2", "--as", "c2"]);
    assert!(said.ends(0).err.contains("1 call without a result at event 2"), "{}", said.err);
    sandbox.silcrow(&["run", "on", "--conversation", "c2", "--model", &model]).ends(0);
    let events = sandbox.silcrow(&["log", "--json", "c2"]).ends(0).events();
    assert_eq!(events[2]["payload"]["outcome"], "outcome unknown");
    assert_eq!(events.len(), 5);
}

#[test]
fn fork_errors_name_the_next_step() {
    let (sandbox, model) = recorded();
    let fails = |args: &[&str], why: &str| {
        let said = sandbox.silcrow(args);
        assert!(said.ends(2).err.contains(why), "{args:?}: {}", said.err);
        assert_eq!(said.out, "");
    };
    let no_event =
        "conversation `c1` has no event 9; it has 4 events, which silcrow log show c1 shows";
    fails(&["log", "fork", "c1", "--at", "9"], no_event);
    fails(&["log", "fork", "c1", "--at", "0"], "has no event 0");
    fails(&["log", "fork", "c9"], "unknown conversation `c9`; `silcrow log` lists them");
    fails(&["log", "fork", "c1", "--as", "c1"], "already; name another id");
    fails(&["log", "fork", "c1", "--as", ""], "the conversation id is empty");
    fails(&["run", "on", "--fork", "c1@9", "--model", &model], no_event);
    fails(&["run", "on", "--fork", "c9@1", "--model", &model], "unknown conversation `c9`");
    fails(&["run", "on", "--fork", "c1", "--new", "c1", "--model", &model], "already");
    fails(&["run", "on", "--fork", "c1", "--user", "ann", "--model", &model], "belongs to no user");
    let long = "99999999999999999999999";
    fails(&["run", "on", "--fork", &format!("c1@{long}"), "--model", &model], "has no event");
    assert_eq!(sandbox.silcrow(&["log", "--json", "list"]).ends(0).events().len(), 1);
    // An id may look like a point in another conversation.
    sandbox.silcrow(&["log", "fork", "c1", "--as", "c1@2"]).ends(0);
    fails(&["run", "on", "--fork", "c1@2", "--model", &model], "and so is `c1`");
    let fork = ["--fork", "c1@2@3", "--new", "c4", "--model", &model];
    sandbox.silcrow(&[&["run", "on"], &fork[..]].concat()).ends(0);
}

/// A long output can be read from the fork, also when the original and its outputs are gone.
#[test]
fn long_outputs_outlive_the_original() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        // Each of these characters is shown as several.
        sandbox.write(&format!("root/{number:03}{}", "\u{1}".repeat(200)), "");
    }
    let list = "§call: {\"name\": \"file_list\", \"args\": {}}\n§execute\n%%\n§respond: ok\n§end";
    let model = format!("script:{}", sandbox.write("script", list));
    sandbox.silcrow(&["run", "go", "--model", &model, "--new", "c1"]).ends(0);
    let events = sandbox.silcrow(&["log", "--json", "c1"]).ends(0).events();
    let name = events[2]["payload"]["truncated"]["full_output"].as_str().unwrap().to_owned();
    sandbox.silcrow(&["log", "fork", "c1", "--as", "c2"]).ends(0);
    sandbox.silcrow(&["log", "--json", "delete", "--yes", "c1"]).ends(0);
    assert_eq!(fs::read_dir(sandbox.path("data/silcrow/spills")).unwrap().count(), 1);
    let events = sandbox.silcrow(&["log", "--json", "c2"]).ends(0).events();
    assert_eq!(events[2]["payload"]["truncated"]["full_output"], *name);
    let read = format!(
        "§call: {{\"name\": \"file_read\", \"args\": {{\"file\": \"{name}\"}}}}\n§execute\n%%\n§respond: ok\n§end"
    );
    let model = format!("script:{}", sandbox.write("script", &read));
    sandbox.silcrow(&["run", "read", "--model", &model, "--conversation", "c2"]).ends(0);
    let events = sandbox.silcrow(&["log", "--json", "c2"]).ends(0).events();
    let result = &events[6];
    assert_eq!(result["payload"]["status"], "success", "{result}");
    assert!(result["content"].as_str().unwrap().contains("  0 bytes"));
}
