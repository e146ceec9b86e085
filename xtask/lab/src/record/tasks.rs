//! The tasks that are recorded.

use super::stage::Stage;
use super::{Task, slow_server};

pub(super) const TASKS: [Task; 10] = [
    Task { name: "first-minute", title: "The first minute, without a model", play: first_minute },
    Task { name: "fix-a-test", title: "A failing test is found and mended", play: fix_a_test },
    Task { name: "plan", title: "A plan is refused, changed, and carried out", play: plan },
    Task { name: "rewind", title: "Two prompts are taken back, with their files", play: rewind },
    Task { name: "subagents", title: "Three agents work, and one is stopped", play: subagents },
    Task { name: "skill", title: "A skill is started by its name", play: skill },
    Task { name: "hook", title: "A hook refuses a command", play: hook },
    Task { name: "resume", title: "A session is killed, and goes on", play: resume },
    Task { name: "paste", title: "300 lines are pasted", play: paste },
    Task { name: "rate-limit", title: "The model has a rate limit", play: rate_limit },
];

fn first_minute(stage: &mut Stage<'_>) -> Result<(), String> {
    stage.file("work/notes.md", "# Notes\n\nBuy bread.\n")?;
    stage.file("work/plan.txt", "Meeting at ten.\n")?;
    stage.start("silcrow", &[])?;
    stage.wait("›")?;
    stage.line("What is in this directory?")?;
    stage.wait("out ›")?;
    stage.line("/context")?;
    stage.wait("shows all of it")?;
    stage.line("!cat plan.txt")?;
    stage.wait("Meeting at ten.")?;
    stage.leave()
}

fn fix_a_test(stage: &mut Stage<'_>) -> Result<(), String> {
    stage.file("work/sums.py", "def add(a, b):\n    return a - b\n")?;
    let test = "from sums import add\n\nassert add(2, 3) == 5, add(2, 3)\nprint(\"1 passed\")\n";
    stage.file("work/test_sums.py", test)?;
    let test = r#"{"name":"shell","args":{"command":"python3 test_sums.py"}}"#;
    let read = r#"{"name":"file_read","args":{"file":"sums.py"}}"#;
    let edit =
        r#"{"name":"file_edit","args":{"file":"sums.py","edits":[{"old":"a - b","new":"a + b"}]}}"#;
    let answer = "The test passes now: `add` in `sums.py:2` subtracted.";
    stage.model(&[
        &calls(&[test]),
        &calls(&[read]),
        &calls(&[edit]),
        &calls(&[test]),
        &said(answer),
    ])?;
    stage.start("silcrow --permissions workspace", &[])?;
    stage.wait("›")?;
    stage.line("The test fails. Mend it.")?;
    stage.wait("subtracted. ·")?;
    stage.line("/diff")?;
    stage.wait("+ return a + b")?;
    stage.leave()
}

fn plan(stage: &mut Stage<'_>) -> Result<(), String> {
    let propose = |title: &str, plan: &str| {
        calls(&[&format!(
            r#"{{"name":"plan_propose","args":{{"title":"{title}","plan":"{plan}"}}}}"#
        )])
    };
    let write = r#"{"name":"file_write","args":{"file":"sums.py","content":"def add(a, b):\n    return a + b\n"}}"#;
    stage.model(&[
        &propose("A module for sums", "1. Write `sums.py` with `add` and `subtract`"),
        &propose("A module for sums", "1. Write `sums.py` with `add` only\\n2. Run it once"),
        &calls(&[write]),
        &said("`sums.py` has `add`."),
    ])?;
    stage.start("silcrow --permissions plan", &[])?;
    stage.wait("› plan")?;
    stage.line("I need a module that adds numbers.")?;
    stage.wait("Ctrl-G edit")?;
    stage.keys("w")?;
    stage.line("nothing that I did not ask for")?;
    stage.wait("Run it once")?;
    stage.keys("e")?;
    stage.wait("`sums.py` has `add`. ·".replace('`', "").as_str())?;
    stage.leave()
}

fn rewind(stage: &mut Stage<'_>) -> Result<(), String> {
    let write = |name: &str| {
        calls(&[&format!(
            r#"{{"name":"file_write","args":{{"file":"{name}","content":"text\n"}}}}"#
        )])
    };
    stage.model(&[
        &write("one.txt"),
        &said("I wrote one.txt."),
        &write("two.txt"),
        &said("I wrote two.txt."),
        &write("three.txt"),
        &said("I wrote three.txt."),
    ])?;
    stage.start("silcrow --permissions workspace", &[])?;
    stage.wait("›")?;
    for name in ["one.txt", "two.txt", "three.txt"] {
        stage.line(&format!("Write {name}."))?;
        stage.wait(&format!("I wrote {name}. ·"))?;
    }
    stage.line("/rewind")?;
    stage.wait("3 Write three.txt.")?;
    stage.line("/rewind 2")?;
    stage.wait("a fork of")?;
    stage.keys("\x15")?;
    stage.line("!ls")?;
    stage.wait("!ls one.txt")?;
    stage.leave()
}

fn subagents(stage: &mut Stage<'_>) -> Result<(), String> {
    stage.file("work/Cargo.toml", "")?;
    let agent =
        |task: &str| format!(r#"{{"name":"agent","args":{{"task":"{task}","as":"general"}}}}"#);
    let three = ["Search the parser.", "Search the tests.", "Search the docs."].map(agent);
    let work = calls(&[r#"{"name":"shell","args":{"command":"echo reading; sleep 15"}}"#]);
    stage.model(&[
        &calls(&[&three[0], &three[1], &three[2]]),
        &work,
        &work,
        &work,
        &said("It is named nowhere."),
        &said("It is named nowhere."),
        &said("Two parts do not name it; the search of the tests was stopped."),
    ])?;
    stage.start("silcrow --permissions full", &[])?;
    stage.wait("›")?;
    stage.line("Where is `Cursor` named?")?;
    stage.wait_for_times("general → shell echo reading", 6)?;
    stage.line("/agents")?;
    stage.wait("3 general: Search the docs. works")?;
    stage.line("/agents stop 2")?;
    stage.wait("agent 2 is stopped")?;
    stage.wait("was stopped. ·")?;
    stage.line("/agents")?;
    stage.wait("the person stopped this subagent")?;
    stage.leave()
}

fn skill(stage: &mut Stage<'_>) -> Result<(), String> {
    let skill = "---\nname: changelog\ndescription: Writes an entry of CHANGELOG.md. Use after a change.\n---\n\n\
        Add one line below `## Next`: what changed for a user, in one sentence.\n";
    stage.file(".config/silcrow/skills/changelog/SKILL.md", skill)?;
    stage.file("work/CHANGELOG.md", "# Changelog\n\n## Next\n")?;
    let read = r#"{"name":"file_read","args":{"file":"CHANGELOG.md"}}"#;
    let edit = r#"{"name":"file_edit","args":{"file":"CHANGELOG.md","edits":[{"old":"Next\n","new":"Next\n\n- `add` adds.\n"}]}}"#;
    stage.model(&[&calls(&[read]), &calls(&[edit]), &said("The entry is written.")])?;
    stage.start("silcrow --permissions workspace", &[])?;
    stage.wait("›")?;
    stage.line("/skills")?;
    stage.wait("help skills says")?;
    stage.line("/changelog add adds now")?;
    stage.wait("The entry is written. ·")?;
    stage.leave()
}

fn hook(stage: &mut Stage<'_>) -> Result<(), String> {
    let hooks = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command",
        "command": "! grep -q 'rm -r' || { echo nothing is removed here >&2; exit 2; }"}]}]}}"#;
    stage.file(".config/silcrow/hooks.json", hooks)?;
    stage.file("work/old/a.txt", "text\n")?;
    let call = |command: &str| {
        calls(&[&format!(r#"{{"name":"shell","args":{{"command":"{command}"}}}}"#)])
    };
    stage.model(&[
        &call("rm -r old"),
        &call("mkdir kept && mv old kept"),
        &said("A hook keeps folders from being removed, so I moved it to kept/old."),
    ])?;
    stage.start("silcrow --permissions workspace", &[])?;
    stage.wait("›")?;
    stage.line("Remove the folder old.")?;
    stage.wait("kept/old. ·")?;
    stage.line("/hooks")?;
    stage.wait("PreToolUse Bash")?;
    stage.line("/log --no-pager")?;
    stage.wait("8 respond")?;
    stage.leave()
}

fn resume(stage: &mut Stage<'_>) -> Result<(), String> {
    stage.file("work/sums.py", "def add(a, b):\n    return a - b\n")?;
    let read = r#"{"name":"file_read","args":{"file":"sums.py"}}"#;
    let wait = r#"{"name":"shell","args":{"command":"echo testing; exec sleep 600"}}"#;
    stage.model(&[&calls(&[read]), &calls(&[wait])])?;
    stage.start("silcrow --permissions workspace", &[])?;
    stage.wait("›")?;
    stage.line("Is add right?")?;
    stage.wait("│ testing")?;
    stage.kill()?;
    stage.model(&[&said("No: it subtracts. The tests were cut off, so I have only read it.")])?;
    stage.start("silcrow --continue", &[])?;
    stage.wait("/retry")?;
    stage.line("/retry")?;
    stage.wait("only read it. ·")?;
    stage.leave()
}

fn paste(stage: &mut Stage<'_>) -> Result<(), String> {
    stage.model(&[&said("The log has one line that is no `ok`: 217.")])?;
    stage.start("silcrow", &[])?;
    stage.wait("›")?;
    stage.keys("What is wrong here? ")?;
    let line =
        |number| format!("test {number} ... {}\r", if number == 217 { "FAILED" } else { "ok" });
    let lines: String = (1..=300).map(line).collect();
    stage.keys(&format!("\x1b[200~{lines}\x1b[201~"))?;
    stage.wait("[paste 1: 300 lines]")?;
    stage.keys("\r")?;
    stage.wait("217. ·")?;
    stage.leave()
}

fn rate_limit(stage: &mut Stage<'_>) -> Result<(), String> {
    let address = slow_server::start(&said("Here I am."))?;
    stage.start("silcrow", &["--model", &format!("compatible:http://{address}/v1#small")])?;
    stage.wait("›")?;
    stage.line("Are you there?")?;
    stage.wait("again in")?;
    stage.wait("Here I am. ·")?;
    stage.leave()
}

/// Returns the text of a model that makes calls and waits for them.
fn calls(calls: &[&str]) -> String {
    let calls: String = calls.iter().map(|call| format!("§call: {call}\n")).collect();
    format!("{calls}§execute\n")
}

/// Returns the text of a model that answers.
fn said(answer: &str) -> String {
    format!("§respond: {answer}\n§end\n")
}
