//! Agents, relics, workflows and models that a manifest declares.

mod trust;
mod wrong;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{CommandOutput, Sandbox};

/// One of each; `script` names the file of a model.
fn manifest(sandbox: &Sandbox, script: impl Fn(&str, &str) -> String) -> String {
    let reader = script(
        "reader",
        "<action id=\"r\">{\"name\":\"file_read\",\"parameters\":{\"file\":\"a.txt\"}}</action>\n\
         <response final=\"true\">I read: $r</response>",
    );
    let brief = script("brief", "short");
    let manifest = sandbox.write(
        "manifest.toml",
        &format!(
            r#"
[agents.reader]
description = "Reads files."
instructions = "Be exact."
model = "{reader}"
tools = ["file_read"]
max_steps = 3

[relics.notes]
kind = "kv"

[llm.brief]
model = "{brief}"
instructions = "Be brief."

[workflows.digest]
description = "Reads a file and keeps a short form of it."
output = "short"

[workflows.digest.inputs.file]
type = "string"
description = "the file"

[workflows.digest.inputs.under]
default = "digest"

[[workflows.digest.actions]]
id = "text"
name = "file_read"
parameters = {{ file = "$file" }}
mode = "async"
retry = 1

[[workflows.digest.actions]]
id = "short"
type = "llm"
name = "brief"
parameters = {{ prompt = "Shorten this.", text = "$text", max_length = 5 }}
mode = "async"

[[workflows.digest.actions]]
id = "keep"
type = "relic"
name = "notes"
parameters = {{ operation = "set", key = "$under", value = "$short", ttl = 3600 }}
depends_on = ["short"]
"#
        ),
    );
    sandbox.trust(&manifest);
    manifest
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), "alpha\n").unwrap();
    sandbox
}

/// Runs a person's script with a manifest of one of each.
fn run(sandbox: &Sandbox, dialect: &str, text: &str) -> CommandOutput {
    run_with(sandbox, dialect, text, &[sandbox.flag_of("c"), "c"])
}

fn run_with(sandbox: &Sandbox, dialect: &str, text: &str, more: &[&str]) -> CommandOutput {
    let script = |name: &str, text: &str| format!("script:{}", sandbox.write(name, text));
    let manifest = manifest(sandbox, script);
    let model = script("person", text);
    sandbox.silcrow(&run_args(dialect, &model, &manifest, more))
}

fn run_args<'a>(
    dialect: &'a str,
    model: &'a str,
    manifest: &'a str,
    more: &[&'a str],
) -> Vec<&'a str> {
    let args =
        ["run", "go", "--model", model, "--json", "--dialect", dialect, "--manifest", manifest];
    [&args[..], more].concat()
}

fn select<'a>(events: &'a [Value], kind: &str, path: Option<&str>) -> Vec<&'a Value> {
    let fits = |event: &&Value| event["type"] == kind && event["agent_path"].as_str() == path;
    events.iter().filter(fits).collect()
}

const PERSON: &str = r#"<action type="agent" mode="async" id="who">{"name":"reader","parameters":{"task":"Read a.txt."}}</action>
<action type="workflow" id="flow">{"name":"digest","parameters":{"file":"a.txt"}}</action>
<action type="relic" id="kept">{"name":"notes","parameters":{"operation":"get","key":"digest"}}</action>
<action type="relic" id="all">{"name":"notes","parameters":{"operation":"list"}}</action>
<response>$who | $flow | $kept | $all</response>"#;

#[test]
fn manifest_entries_of_each_kind_run() {
    let sandbox = sandbox();
    let said = run(&sandbox, "action", PERSON);
    let events = said.ends(0).events();
    let last = select(&events, "respond", None);
    let content = last[0]["content"].as_str().unwrap();
    assert!(content.starts_with("I read: ") && content.contains("alpha"), "{content}");
    assert!(content.ends_with(r#"| short | short | ["digest"]"#), "{content}");
    assert_eq!(select(&events, "call", Some("reader")).len(), 1);
    assert_eq!(select(&events, "call", Some("digest")).len(), 3);
    assert_eq!(select(&events, "result", Some("digest")).len(), 3);
    assert_eq!(events.iter().filter(|event| event["type"] == "end").count(), 3);
    assert_eq!(events.last().unwrap()["agent_path"], Value::Null);

    // The relic keeps it for another process.
    let again = r#"<action type="relic" id="k">{"name":"notes","parameters":{"key":"digest"}}</action><response>$k</response>"#;
    let events = run(&sandbox, "action", again).ends(0).events();
    assert_eq!(select(&events, "respond", None)[0]["content"], "short");

    // The logs of the inner runs are conversations, which are listed on request. They are deleted
    // with the outer conversation, and so are all long outputs.
    let ids = |args: &[&str]| {
        let logs = sandbox.silcrow(&[&["log", "--json", "list"], args].concat()).ends(0).events();
        let ids = logs.iter().map(|log| log["conversation"].as_str().unwrap().to_owned());
        ids.collect::<BTreeSet<_>>()
    };
    let set = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&[]), set(&["c"]));
    assert_eq!(ids(&["--all"]), set(&["c", "c/1/flow", "c/1/who"]));
    let spills = sandbox.path("data/silcrow/spills");
    for name in ["c", "c%2f1%2fwho", "other"] {
        std::fs::create_dir_all(spills.join(name)).unwrap();
        std::fs::write(spills.join(name).join("1-a"), "long").unwrap();
    }
    let gone = sandbox.silcrow(&["log", "--json", "delete", "--yes", "c"]).ends(0).events();
    assert_eq!(gone[0]["inside"], 2);
    assert_eq!(ids(&["--all"]), set(&[]));
    let left: Vec<_> =
        std::fs::read_dir(&spills).unwrap().map(|at| at.unwrap().file_name()).collect();
    assert_eq!(left, ["other"]);
    sandbox.silcrow(&["log", "--json", "delete", "--yes", "c"]).ends(2);
    let kept = run(&sandbox, "action", again).ends(0).events();
    assert_eq!(
        select(&kept, "respond", None)[0]["content"],
        "short",
        "a relic outlives conversations"
    );
}

/// Values that a workflow keeps belong to the user of the conversation that called it.
#[test]
fn relics_have_values_per_user() {
    let sandbox = sandbox();
    let keep = r#"<action type="workflow" id="flow">{"name":"digest","parameters":{"file":"a.txt"}}</action><response>$flow</response>"#;
    run_with(&sandbox, "action", keep, &["--user", "ann"]).ends(0);
    let look = r#"<action type="relic" id="k">{"name":"notes","parameters":{"key":"digest"}}</action><response>$k</response>"#;
    for (user, expected) in [
        (&["--user", "ann"][..], "short"),
        (&["--user", "bob"], "null"),
        (&["--user", "ann/0"], "null"),
        (&[], "null"),
    ] {
        let events = run_with(&sandbox, "action", look, user).ends(0).events();
        assert_eq!(select(&events, "respond", None)[0]["content"], expected, "{user:?}");
    }
}

#[test]
fn only_the_main_agent_streams_tokens() {
    let sandbox = sandbox();
    let script = |name: &str, text: &str| format!("script:{}", sandbox.write(name, text));
    let manifest = manifest(&sandbox, script);
    let model = script("person", PERSON);
    let args = ["run", "go", "--model", &model, "--dialect", "action", "--manifest", &manifest];
    let json = [&args[..], &["--json", "--stream", "token", "--store", "memory"]].concat();
    let events = sandbox.silcrow(&json).ends(0).events();
    assert_eq!(select(&events, "respond", Some("reader")).len(), 1);
    // For a person only the answer is on standard output.
    let said = sandbox.silcrow(&[&args[..], &["--store", "memory"]].concat());
    assert!(said.ends(0).out.starts_with("I read: "), "{}", said.out);
    assert_eq!(said.out.matches("I read: ").count(), 1);
    for line in
        ["  reader → file_read", "  reader ✓ file_read", "  reader : I read", "  digest → notes"]
    {
        assert!(said.err.contains(line), "{line}: {}", said.err);
    }
}

#[test]
fn agents_are_tools_in_tool_only_dialects() {
    let sandbox = sandbox();
    let sigil = "§call: {\"name\":\"digest\",\"args\":{\"file\":\"a.txt\"}}\n§execute\n%%\n\
                 §call: {\"name\":\"notes\",\"args\":{\"key\":\"digest\"}}\n§execute\n%%\n§respond: ok\n§end";
    let events = run(&sandbox, "sigil", sigil).ends(0).events();
    let results: Vec<_> =
        select(&events, "result", None).iter().map(|result| result["content"].clone()).collect();
    assert_eq!(results, ["short", "short"]);
    assert_eq!(select(&events, "call", Some("digest")).len(), 3);
}

#[test]
fn recursive_agent_ends_at_a_limit() {
    let sandbox = sandbox();
    let own =
        "<action type=\"agent\">{\"name\":\"own\",\"parameters\":{\"task\":\"again\"}}</action>";
    let script = sandbox.write("script", &[own; 40].join("\n%%\n"));
    let manifest = sandbox.write(
        "own.toml",
        "[agents.own]\ndescription = \"Itself.\"\nagents = [\"own\"]\nmax_steps = 2\n",
    );
    sandbox.trust(&manifest);
    let model = format!("script:{script}");
    let more = ["--store", "memory", "--max-steps", "2"];
    let said = sandbox.silcrow(&run_args("action", &model, &manifest, &more));
    let events = said.ends(1).events();
    assert!(said.out.contains("4 is the limit"), "{}", said.out);
    let result = select(&events, "result", None)[0];
    assert_eq!(result["payload"]["status"], "failure");
    assert_eq!(select(&events, "error", None).len(), 1);
}

#[test]
fn interrupt_leaves_valid_histories() {
    let sandbox = sandbox();
    let ask = "<action type=\"agent\" id=\"who\">{\"name\":\"slow\",\"parameters\":{\"task\":\"What is in this directory?\"}}</action>";
    let model = format!("script:{}", sandbox.write("script", ask));
    let slow =
        "[agents.slow]\ndescription = \"x\"\nmodel = \"rehearsal\"\ntools = [\"file_list\"]\n";
    let manifest = sandbox.write("m.toml", slow);
    sandbox.trust(&manifest);
    let args = run_args("action", &model, &manifest, &["--new", "c", "--rate", "20"]);
    let mut child = sandbox.start(&args);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("\"agent_path\":\"slow\"")));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<Value> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(select(&rest, "cancelled", Some("slow")).len(), 1, "{rest:?}");
    for conversation in ["c", "c/1/who"] {
        let log = sandbox.silcrow(&["log", "--json", conversation]);
        assert_eq!(log.ends(0).types().last().unwrap(), "cancelled", "{conversation}");
    }
}

/// Returns the text between this line and the next fence in the page about manifests.
fn of_page(fence: &str) -> String {
    let page = include_str!("../../../../docs/manifest.md");
    let (_, rest) = page.split_once(&format!("{fence}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn documented_example_runs() {
    let sandbox = sandbox();
    std::fs::write(sandbox.root().join("README.md"), "omega\n").unwrap();
    // All ask the one model, in this order.
    let says = [
        &of_page("A model calls them by their type:\n\n```text"),
        "<response>alice</response>",
        "brief",
        "kurz",
    ];
    let script = sandbox.write("script", &says.join("\n%%\n"));
    let manifest = sandbox.write("silcrow.toml", &of_page("```toml"));
    sandbox.trust(&manifest);
    let model = format!("script:{script}");
    let said = sandbox.silcrow(&run_args("action", &model, &manifest, &["--store", "memory"]));
    let events = said.ends(0).events();
    assert_eq!(select(&events, "respond", None)[0]["content"], "alice kurz");
    assert_eq!(select(&events, "result", Some("digest")).len(), 4);
    assert_eq!(select(&events, "result", None)[2]["content"], "brief");
}

#[test]
fn inline_delimiters_count_for_declared_agents_too() {
    let sandbox = sandbox();
    let reader = "I look. §call: {\"name\":\"file_list\",\"args\":{\"path\":\".\"}} §execute\n%%\n\
                  §think: One. §respond: There is a.txt. §end";
    let script = sandbox.write("reader", reader);
    let manifest = sandbox.write(
        "silcrow.toml",
        &format!("[agents.reader]\ndescription = \"x\"\nmodel = \"script:{script}\"\ntools = [\"file_list\"]\n"),
    );
    sandbox.trust(&manifest);
    let person =
        "I ask. §call: {\"name\":\"reader\",\"args\":{\"task\":\"look\"}} §execute\n%%\nDone. §end";
    let model = format!("script:{}", sandbox.write("person", person));
    let args = run_args("sigil", &model, &manifest, &["--inline", "--new", "c"]);
    let events = sandbox.silcrow(&args).ends(0).events();
    assert_eq!(select(&events, "call", Some("reader")).len(), 1);
    assert_eq!(
        select(&events, "respond", Some("reader")).last().unwrap()["content"],
        "There is a.txt."
    );
    assert_eq!(select(&events, "result", None)[0]["content"], "There is a.txt.");
    assert_eq!(select(&events, "respond", None).last().unwrap()["content"], "Done.");
    assert!(
        select(&events, "error", None).is_empty()
            && select(&events, "error", Some("reader")).is_empty()
    );
}
