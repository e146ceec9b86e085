//! Texts that are hostile to a terminal, in everything that a run and a log print for people.

use silcrow_sanitize::{is_direction_mark, is_hidden, sanitize_prose};

use crate::support::{CommandOutput, Sandbox};

#[test]
fn printed_text_never_controls_the_terminal() {
    let sandbox = Sandbox::new();
    let hostile = hostile();
    let script = sandbox.write("script", &script(&hostile));
    let model = format!("script:{script}");
    std::fs::write(sandbox.root().join("a.txt"), &hostile).unwrap();
    std::fs::write(sandbox.root().join(NAME), "x").unwrap();
    let run = |flag| ["run", NAME, "--model", &model, flag, ID];
    for stream in ["token", "event", "none"] {
        let said =
            sandbox.silcrow(&[&run(sandbox.flag_of(ID))[..], &["--stream", stream]].concat());
        is_safe(&said.ends(0).err);
        // A pipe gets the model's text byte for byte.
        assert!(said.out.contains("\x1b[2J") && said.err.contains("\\x1b[2J"), "{}", said.err);
    }
    for args in [
        &["log"][..],
        &["log", ID],
        &["log", "search", "owned"],
        &["log", "diff", ID, ID],
        &["log", "verify"],
        &["log", "export", ID, "--format", "md"],
        &["log", "report", ID, "--contents"],
        &["log", "--json"],
        &["log", "--json", ID],
        &["log", "--json", "list"],
        &["log", "--json", "search", "owned"],
        &["log", "--json", "diff", ID, ID],
        &["log", "--json", "verify"],
        &["undo", ID],
        &["run", "go", "--new", ID, "--fork", "f\u{202e}", "--model", &model],
    ] {
        shows_nothing_hidden(&sandbox.silcrow(args));
    }
    is_safe(&sandbox.silcrow(&["replay", ID, "--model", &model]).err);
}

#[test]
fn piped_answer_is_exact() {
    let sandbox = Sandbox::new();
    let answer = "\u{feff}\u{200f}שלום! \u{200f}\r\n\x1b[1mكتاب\u{61c}\u{200d}1\x1b[0m\t\u{202e}x";
    let script = sandbox.write("script", &format!("§respond: {answer}\n§end"));
    let model = format!("script:{script}");
    for stream in ["token", "event", "none"] {
        let said = sandbox.silcrow(&["run", "x", "--model", &model, "--stream", stream]);
        assert_eq!(said.ends(0).out, format!("{answer}\n"), "{stream}");
    }
}

#[test]
fn errors_never_control_the_terminal() {
    let sandbox = Sandbox::new();
    let run = |more: &[&str]| sandbox.silcrow(&[&["run", "go"], more].concat());
    for args in [
        &["--model", NAME][..],
        &["--model", &format!("script:{NAME}")],
        &["--root", NAME],
        &["--manifest", NAME],
        &["--store", NAME],
        &["--examples", NAME],
        &["--allow", NAME],
        &["--dialect", NAME],
        &[&format!("--{NAME}")],
        &["--conversation", NAME, "--resume"],
    ] {
        let said = run(args);
        assert_ne!(said.code, None, "{args:?}");
        shows_nothing_hidden(&said);
    }
    for command in [
        &["log", "--json", NAME][..],
        &["log", "--json", "import", NAME],
        &["undo", NAME],
        &["answer", NAME],
        &["manifest", "check", NAME],
        &["parse", NAME],
        &[NAME],
    ] {
        shows_nothing_hidden(&sandbox.silcrow(command));
    }
    for variable in [
        "SILCROW_MODEL",
        "SILCROW_USER",
        "SILCROW_RECORD",
        "SILCROW_TIMEOUT_IDLE",
        "SILCROW_REQUESTS_PER_MINUTE",
        "SILCROW_COMPATIBLE_KEY_FILE",
        "SILCROW_ALLOW_PLAIN_HTTP",
        "ANTHROPIC_VERSION",
        "OPENAI_BASE_URL",
        "https_proxy",
        "XDG_DATA_HOME",
    ] {
        for model in ["rehearsal", "openai:gpt", "anthropic:claude", "compatible:http://[::1]:1/#m"]
        {
            let mut command =
                sandbox.command(&["run", "go", "--store", "memory", "--model", model]);
            command.env("OPENAI_API_KEY", "x").env("ANTHROPIC_BASE_URL", "http://[::1]:1");
            command.env("OPENAI_BASE_URL", "http://[::1]:1").env("ANTHROPIC_API_KEY", "x");
            if variable == "SILCROW_MODEL" {
                command = sandbox.command(&["run", "go", "--store", "memory"]);
            }
            let output = command.env(variable, NAME).output().unwrap();
            shows_nothing_hidden(&crate::support::command_output(output));
        }
    }
}

/// A name with an escape sequence, C1, an override, a carriage return, a line break and marks.
const NAME: &str = "a\x1b[2J\u{9b}31m\u{202e}\rb\nsilcrow: owned\u{7f}\u{200b}\u{e0041}";

/// An id, in which a store allows no control characters.
const ID: &str = "c\u{202e}\u{e0041}\u{200b}x";

/// The texts of the sanitizer's table, a line each.
fn hostile() -> String {
    let text = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        case["text"].as_str().unwrap().to_owned()
    };
    let table = include_str!("../../../sanitize/tests/cases/terminal.jsonl");
    table.lines().map(|line| format!("{} .\n", text(line))).collect()
}

/// A run in which the model says the text in each way, reads it and fails to read it.
fn script(hostile: &str) -> String {
    let args = serde_json::json!({ "path": NAME, "file": NAME });
    let call = |name: &str, args: &str| {
        format!("§call: {{\"name\":{},\"args\":{args}}}\n", serde_json::json!(name))
    };
    format!(
        "§think: {hostile}\n{}{}{}{}§execute\n%%\n§respond: {hostile}\n§end",
        call("file_read", "{\"file\":\"a.txt\"}"),
        call("file_read", &args.to_string()),
        call("file_list", "{}"),
        call(NAME, &args.to_string()),
    )
}

#[track_caller]
fn shows_nothing_hidden(said: &CommandOutput) {
    is_safe(&said.out);
    is_safe(&said.err);
}

#[track_caller]
fn is_safe(text: &str) {
    // A line break and its carriage return stay in an answer.
    let text = text.replace("\r\n", "\n");
    // Thoughts and answers keep marks of direction.
    let hidden = text.chars().find(|char| is_forbidden(*char) && !is_direction_mark(*char));
    assert_eq!(hidden, None, "{text:?}");
    assert_eq!(sanitize_prose(&text), text);
    assert!(!text.lines().any(|line| line == "silcrow: owned"), "{text}");
}

fn is_forbidden(char: char) -> bool {
    let joins = matches!(char, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\n' | '\t');
    is_hidden(char) && !joins
}
