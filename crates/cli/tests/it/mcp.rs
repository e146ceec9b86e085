//! MCP servers in runs: declared, offered, asked about, broken, and ended with the run.

mod broken;
mod declared;
mod headers;
mod login;
mod starts;
mod terminal;
mod words;

use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::support::{CommandOutput, Sandbox};

/// Returns the path of the server, which is an example of this crate.
pub(crate) fn program() -> String {
    let own = std::env::current_exe().unwrap();
    let built = own.ancestors().nth(2).unwrap().join("examples/mcp_server");
    built.into_os_string().into_string().unwrap()
}

/// Declares the server under the name `test` in the person's settings, with further lines.
pub(crate) fn declare(sandbox: &Sandbox, ways: &[&str], more: &str) {
    let words: Vec<_> = [&*program()].iter().chain(ways).map(|word| format!("{word:?}")).collect();
    let table = format!("[mcp.test]\ncommand = [{}]\n{more}", words.join(", "));
    std::fs::write(sandbox.path("config/silcrow/config.toml"), table).unwrap();
}

/// Returns a script that calls tools one after the other, and then answers.
pub(crate) fn script(sandbox: &Sandbox, calls: &[(&str, &str)]) -> String {
    let call = |(tool, args): &(&str, &str)| {
        format!("§call: {{\"name\":\"{tool}\",\"args\":{args}}}\n§execute\n%%\n")
    };
    let calls: String = calls.iter().map(call).collect();
    format!("script:{}", sandbox.write("calls", &format!("{calls}§respond: It is done.\n§end")))
}

/// Runs a script with JSON as output.
fn run(sandbox: &Sandbox, calls: &[(&str, &str)], flags: &[&str]) -> CommandOutput {
    let model = script(sandbox, calls);
    sandbox.silcrow(&[&["run", "go", "--json", "--model", &model][..], flags].concat())
}

/// Returns the texts of the results of a run.
#[track_caller]
fn results(said: &CommandOutput) -> Vec<String> {
    let events = said.ends(0).events();
    let results = events.iter().filter(|event| event["type"] == "result");
    results.map(|event| event["content"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Waits for the end of a process that was killed, and returns whether it came within a minute. A
/// signal is sent before its process has ended.
pub(crate) fn has_ended(pid: &str) -> bool {
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    // A process that cannot be found has ended.
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let limit = Timespec { tv_sec: 60, tv_nsec: 0 };
    poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&limit)).unwrap() > 0
}

/// Returns whether a process runs.
pub(crate) fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    // A process that has ended and was not reaped yet is a zombie.
    status.is_ok_and(|status| !status.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

const ALLOW: [&str; 2] = ["--allow", "test.*"];

#[test]
fn server_tools_work_in_both_protocol_revisions() {
    for way in ["", "modern"] {
        let sandbox = Sandbox::new();
        declare(&sandbox, &[way], "");
        let calls = [("test.echo", r#"{"text":"hello"}"#), ("test.structured", "{}")];
        let said = run(&sandbox, &calls, &ALLOW);
        assert_eq!(results(&said), ["hello", r#"{"sum":5}"#]);
        assert_eq!(said.err, "", "{way}");
    }
}

#[test]
fn first_line_names_starting_and_broken_servers() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "[mcp.broken]\ncommand = [\"/nowhere/at-all\"]\n");
    let model = script(&sandbox, &[("test.echo", r#"{"text":"hello"}"#)]);
    let args = ["run", "go", "--model", &model, "--allow", "test.echo"];
    let said = sandbox.silcrow(&args);
    let mut lines = said.ends(0).err.lines();
    assert_eq!(lines.next(), Some("starting MCP servers: broken, test"));
    let named = said.err.lines().find(|line| line.starts_with("MCP server broken: ")).unwrap();
    assert!(named.contains("cannot be started"), "{named}");
    assert!(named.ends_with("; silcrow mcp test broken shows more"), "{named}");
    assert!(said.err.contains("hello"), "{}", said.err);
    // A program that reads JSON reads it on standard error, and the run is the same.
    let said = run(&sandbox, &[("test.echo", r#"{"text":"hello"}"#)], &ALLOW);
    assert_eq!(results(&said), ["hello"]);
    assert!(said.err.starts_with("MCP server broken: "), "{}", said.err);
    // Without its tools a server is not started.
    let said =
        run(&sandbox, &[("test.echo", "{}")], &["--allow", "test.*", "--tools", "test.echo"]);
    assert_eq!((results(&said).len(), &*said.err), (1, ""));
}

#[test]
fn only_person_and_rules_allow_server_calls() {
    let call = [("test.echo", r#"{"text":"hello"}"#)];
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    for (flags, is_allowed) in [
        (&["--permissions", "ask"][..], false),
        (&["--permissions", "workspace"], false),
        (&["--permissions", "full"], true),
        (&["--permissions", "ask", "--allow", "test.echo"], true),
        (&["--permissions", "ask", "--allow", "test.fail"], false),
        (&["--permissions", "read-only", "--allow", "test.*"], false),
    ] {
        let text = results(&run(&sandbox, &call, flags)).remove(0);
        assert_eq!(text == "hello", is_allowed, "{flags:?}: {text}");
    }
    let rule = |effect: &str, tool: &str| {
        let rule = format!("[[rules]]\neffect = \"{effect}\"\ntool = \"{tool}\"\n");
        std::fs::write(sandbox.path("config/silcrow/policy.toml"), rule).unwrap();
        results(&run(&sandbox, &call, &[])).remove(0)
    };
    assert_eq!(rule("allow", "test.*"), "hello");
    // A server's tool stays one even if its name resembles a built-in tool's.
    assert!(rule("allow", "file.read").contains("needs a person's approval"));
    let denied = rule("deny", "test.echo");
    assert!(denied.contains("denies this call"), "{denied}");
    let wrong = sandbox.silcrow(&["run", "go", "--allow", "tset.echo"]);
    assert!(wrong.ends(2).err.contains("unknown server `tset`; there are: test"));
}

#[test]
fn only_trusted_servers_are_believed() {
    let call = [("test.reads", "{}")];
    for (more, is_allowed) in [("", false), ("trust = true\n", true)] {
        let sandbox = Sandbox::new();
        declare(&sandbox, &[], more);
        for mode in ["ask", "read-only"] {
            let said = run(&sandbox, &call, &["--permissions", mode]);
            let text = results(&said).remove(0);
            assert_eq!(text == "read", is_allowed, "{mode}, {more}: {text}");
        }
        // A tool that does not say so is asked about.
        let said = run(&sandbox, &[("test.echo", "{}")], &["--permissions", "ask"]);
        assert!(results(&said)[0].contains("needs a person's approval"));
    }
}

#[test]
fn changed_tool_list_counts_from_next_turn() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let calls = [("test.later", "{}"), ("test.grow", "{}"), ("test.later", r#"{"text":"there"}"#)];
    let said = results(&run(&sandbox, &calls, &ALLOW));
    assert!(said[0].contains("unknown tool `test.later`"), "{said:?}");
    assert_eq!(said[1..], ["grown", "there"]);
}

#[test]
fn unanswerable_question_is_shown_with_its_call() {
    for way in ["", "modern"] {
        let sandbox = Sandbox::new();
        declare(&sandbox, &[way], "");
        let said = run(&sandbox, &[("test.ask", "{}")], &ALLOW);
        assert_eq!(results(&said), [r#"{"action":"decline"}"#]);
        let events = said.events();
        let progress = events.iter().find(|event| event["type"] == "progress").unwrap();
        assert_eq!(
            progress["content"],
            "the server test asked, and got no answer: \"Which colour?\"; nobody can be asked here\n"
        );
    }
}

#[test]
fn many_tools_are_names_and_a_search() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &["many"], "");
    let calls = [("tool_search", r#"{"query":"many_7 thing"}"#), ("test.many_7", "{}")];
    let said = results(&run(&sandbox, &calls, &ALLOW));
    assert!(said[0].contains("test.many_7: Does the thing 7. And more than that."), "{said:?}");
    assert!(said[1].contains("the schema of the arguments is {"), "{said:?}");
    // Few tools have whole definitions again.
    let listed = sandbox.silcrow(&["tools", "--json"]);
    assert!(listed.ends(0).out.contains("\"tool_search\""), "{}", listed.out);
    let said =
        run(&sandbox, &calls[..1], &["--tools", "test.many_7,test.many_8", "--allow", "test.*"]);
    assert!(results(&said)[0].contains("unknown tool `tool_search`"));
}

#[test]
fn image_is_kept_beside_the_conversation() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let said = run(&sandbox, &[("test.image", "{}")], &ALLOW);
    assert_eq!(results(&said), ["a picture"]);
    let events = said.events();
    let result = events.iter().find(|event| event["type"] == "result").unwrap();
    assert!(result.to_string().contains("is kept as"), "{result}");
}

#[test]
fn server_texts_accompany_a_prompt_as_data() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let model = script(&sandbox, &[]);
    let prompt = "Read @test:note://1 and @test:note://1.";
    let said = sandbox.silcrow(&["run", prompt, "--model", &model, "--new", "c"]);
    assert!(said.ends(0).err.contains("with @test:note://1: "), "{}", said.err);
    let shown = sandbox.silcrow(&["context", "c"]).out;
    assert_eq!(shown.matches(r#"the text of "note://1""#).count(), 1, "{shown}");
    assert!(shown.contains("The text @test:note://1 of an MCP server:"), "{shown}");
    // A server that refuses fails the prompt before anything is stored.
    let said = sandbox.silcrow(&["run", "Read @test:nothing:1", "--model", &model, "--new", "d"]);
    assert!(said.ends(1).err.contains("does not send the resource nothing:1"), "{}", said.err);
    sandbox.silcrow(&["log", "show", "d"]).ends(2);
    // Piped text names no resources.
    let model = script(&sandbox, &[]);
    let said = sandbox.silcrow_with(&["run", "--model", &model], b"Read @test:note://1");
    assert!(!said.ends(0).err.contains("with @test"), "{}", said.err);
}

#[test]
fn server_tool_can_be_called_by_hand() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let call =
        |tool: &str, args: &str| sandbox.silcrow(&["tool", tool, args, "--permissions", "full"]);
    assert_eq!(call("test.echo", r#"{"text":"hello"}"#).ends(0).out, "hello\n");
    assert!(call("test.fail", "{}").ends(1).err.contains("it did not work"));
    assert!(call("test.ehco", "{}").ends(2).err.contains("did you mean test.echo?"));
    assert!(call("tset.echo", "{}").ends(2).err.contains("unknown server `tset`"));
}

#[test]
fn manifest_agent_gets_the_tools_it_names() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let manifest = sandbox
        .write("m.toml", "[agents.reader]\ndescription = \"reads\"\ntools = [\"test.echo\"]\n");
    sandbox.trust(&manifest);
    let model = sandbox.write(
        "agents",
        "§call: {\"name\":\"reader\",\"args\":{\"task\":\"go\"}}\n§execute\n%%\n\
         §call: {\"name\":\"test.echo\",\"args\":{\"text\":\"inside\"}}\n\
         §call: {\"name\":\"test.fail\",\"args\":{}}\n§execute\n%%\n\
         §respond: The reader is done.\n§end\n%%\n§respond: All is done.\n§end",
    );
    let model = format!("script:{model}");
    let args = ["run", "go", "--json", "--model", &model, "--manifest", &manifest];
    let said = sandbox.silcrow(&[&args[..], &ALLOW].concat());
    let all = said.ends(0).out.clone();
    assert!(all.contains("\"content\":\"inside\""), "{all}");
    assert!(all.contains("unknown tool `test.fail`"), "{all}");
    let wrong = sandbox.write("w.toml", "[agents.a]\ndescription = \"x\"\ntools = [\"tset.x\"]\n");
    let said = sandbox.silcrow(&["run", "go", "--manifest", &wrong]);
    assert!(said.ends(2).err.contains("unknown server `tset`"), "{}", said.err);
}
