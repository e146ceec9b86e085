//! The contents of a project besides its settings: instructions of its parts, files of other tools,
//! skills and commands. All of it counts only once its contents are trusted.

use crate::support::Sandbox;

/// Writes a file of the root, whose folder may not exist.
fn write(sandbox: &Sandbox, name: &str, text: &str) {
    let path = sandbox.root().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn model(sandbox: &Sandbox, text: &str) -> String {
    format!("script:{}", sandbox.write("script", text))
}

/// Runs a script, and returns the results that its model reads.
fn results(sandbox: &Sandbox, script: &str) -> Vec<serde_json::Value> {
    let model = model(sandbox, script);
    let said = sandbox.silcrow(&["run", "go", "--model", &model, "--json", "--store", "memory"]);
    let events = said.ends(0).events();
    events.into_iter().filter(|event| event["type"] == "result").collect()
}

const READS: &str = "\
§call: {\"name\":\"file_read\",\"args\":{\"file\":\"web/a.txt\"}}
§execute
%%
§call: {\"name\":\"file_read\",\"args\":{\"file\":\"web/a.txt\"}}
§execute
%%
§respond: Read.
§end";

#[test]
fn subfolder_instructions_accompany_the_first_call_there() {
    let sandbox = Sandbox::new();
    write(&sandbox, "web/AGENTS.md", "Use tabs in here.");
    write(&sandbox, "web/a.txt", "alpha\n");
    // A stranger's file is named, and not shown.
    let untrusted = results(&sandbox, READS)[0].to_string();
    assert!(untrusted.contains("web/AGENTS.md") && !untrusted.contains("Use tabs"), "{untrusted}");
    let said = sandbox.silcrow(&["config", "trust"]);
    assert!(said.ends(0).out.contains("web/AGENTS.md is trusted until it changes"), "{}", said.out);
    let read = results(&sandbox, READS);
    assert!(read[0].to_string().contains("Use tabs in here."), "{}", read[0]);
    assert!(!read[1].to_string().contains("Use tabs"), "once is enough: {}", read[1]);
    write(&sandbox, "web/AGENTS.md", "Use blanks in here.");
    let changed = results(&sandbox, READS)[0].to_string();
    assert!(!changed.contains("Use blanks"), "{changed}");
    sandbox.silcrow(&["config", "revoke"]).ends(0);
}

#[test]
fn files_of_other_tools_count_or_are_named() {
    let sandbox = Sandbox::new();
    write(&sandbox, "CLAUDE.md", "Other words.");
    sandbox.silcrow(&["config", "trust"]).ends(0);
    let model = model(&sandbox, "§respond: Hello.\n§end");
    let run = || {
        sandbox.silcrow(&["run", "x", "--model", &model, "--store", "memory"]).ends(0).err.clone()
    };
    assert!(run().contains("instructions: CLAUDE.md (12 B)"), "{}", run());
    write(&sandbox, "AGENTS.md", "Words.");
    sandbox.silcrow(&["config", "trust"]).ends(0);
    assert!(run().contains("AGENTS.md (6 B), in place of CLAUDE.md"), "{}", run());
}

#[test]
fn project_skill_needs_all_its_files_trusted() {
    let sandbox = Sandbox::new();
    write(
        &sandbox,
        ".agents/skills/release/SKILL.md",
        "---\ndescription: How to release.\n---\nTag it.",
    );
    write(&sandbox, ".agents/skills/release/list.txt", "one");
    let calls = "§call: {\"name\":\"skill\",\"args\":{\"name\":\"release\"}}\n§execute\n%%\n§respond: Done.\n§end";
    assert!(results(&sandbox, calls)[0].to_string().contains("unknown tool"));
    let said = sandbox.silcrow(&["config", "trust"]);
    assert!(said.ends(0).out.contains(".agents/skills/release is trusted"), "{}", said.out);
    assert!(results(&sandbox, calls)[0].to_string().contains("Tag it."));
    write(&sandbox, ".agents/skills/release/list.txt", "two");
    let model = model(&sandbox, "§respond: Hello.\n§end");
    let said = sandbox.silcrow(&["run", "x", "--model", &model, "--store", "memory"]);
    let left_out = "skills of the project are left out: release";
    assert!(said.ends(0).err.contains(left_out), "{}", said.err);
}

#[test]
fn plan_waits_for_an_answer_without_terminal() {
    let sandbox = Sandbox::new();
    let script = "\
§call: {\"name\":\"plan_propose\",\"args\":{\"title\":\"Mend it\",\"plan\":\"1. Change a.rs\"}}
§execute
%%
§respond: Planned.
§end";
    let model = model(&sandbox, script);
    let run = |more: &[&str]| {
        let args = ["run", "go", "--model", &model, "--permissions", "plan", "--json"];
        sandbox.silcrow(&[&args[..], more].concat())
    };
    let parked = run(&["--on-question", "park", "--new", "p"]);
    let done = parked.ends(3).events().pop().unwrap();
    assert_eq!(done["questions"], serde_json::json!(["1/a1"]), "{done}");
    // Without a person it is denied, and the model says so.
    let denied = run(&["--store", "memory"]);
    let done = denied.ends(0).events().pop().unwrap();
    assert_eq!(
        (&done["answer"], &done["denied"][0]["tool"]),
        (&"Planned.".into(), &"plan_propose".into())
    );
    // In another mode the tool does not exist.
    let other = sandbox.silcrow(&["run", "go", "--model", &model, "--store", "memory"]);
    assert!(other.ends(0).err.contains("unknown tool"), "{}", other.err);
}
