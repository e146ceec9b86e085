//! Hidden characters in everything that is printed as JSON: escaped, and with the same values.

use std::process::{Command, Stdio};

use serde_json::Value;
use silcrow_sanitize::{is_hidden, is_other_blank};

use crate::server::play;
use crate::support::{CommandOutput, Sandbox, command_output};

/// C1, DEL, bidirectional controls, zero width, fillers, a line separator, selectors and tags.
const HOSTILE: &str = "a\u{9b}31m\u{7f}\u{202e}\u{200b}\u{3164}\u{2800}\u{2028}\u{e0101}\u{e0041}z";

/// No hidden character is printed raw, and the values still have all of them.
#[track_caller]
fn is_escaped(said: &CommandOutput) -> Vec<Value> {
    let raw = said.ends(0).out.chars().find(|char| is_hidden(*char) && *char != '\n');
    assert_eq!(raw, None, "{:?}", said.out);
    let values: Vec<Value> =
        serde_json::Deserializer::from_str(&said.out).into_iter().map(Result::unwrap).collect();
    assert!(values.iter().any(holds), "{}", said.out);
    values
}

/// The hostile text is in it, or in JSON that it quotes.
fn holds(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(HOSTILE),
        Value::Array(values) => values.iter().any(holds),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains(HOSTILE) || holds(value))
        }
        _ => false,
    }
}

#[test]
fn events_and_messages_are_printed_escaped() {
    let sandbox = Sandbox::new();
    let wire = format!(
        "§think: {HOSTILE}\n§call: {{\"name\":\"t\",\"args\":{{\"{HOSTILE}\":\"{HOSTILE}\"}}}}\n\
         {HOSTILE}\n§respond: {HOSTILE}\n§end"
    );
    for args in [
        &["parse", "--notes"][..],
        &["parse", "--stream", "token"],
        &["parse", "--stream", "token", "--call-text", "--chunks", "whole"],
    ] {
        is_escaped(&sandbox.silcrow_with(args, wire.as_bytes()));
    }
    let events = is_escaped(&sandbox.silcrow_with(&["parse"], wire.as_bytes()));
    let call = events.iter().find(|event| event["type"] == "call").unwrap();
    // The call's own bytes, as the model wrote them.
    let content = call["content"].as_str().unwrap();
    assert_eq!(content.matches(HOSTILE).count(), 2, "{content}");

    let lines = format!("{{\"type\":\"user\",\"content\":\"{HOSTILE}\"}}\n");
    is_escaped(&sandbox.silcrow_with(&["assemble"], lines.as_bytes()));

    let action = format!(
        "<action id=\"a\">{{\"name\":\"t\",\"parameters\":{{\"x\":\"{HOSTILE}\"}}}}</action>\
         <response>{HOSTILE} $a $v</response>"
    );
    let stubs = sandbox.write("stubs", &format!("{{\"t\":{{\"ok\":\"{HOSTILE}\"}}}}"));
    let vars = format!("{{\"v\":\"{HOSTILE}\"}}");
    let args = ["rehearse", "--json", "--dialect", "action", "--stubs", &stubs, "--vars", &vars];
    is_escaped(&sandbox.silcrow_with(&args, action.as_bytes()));
}

#[test]
fn output_is_escaped_and_exports_are_exact() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.root().join("a.txt"), HOSTILE).unwrap();
    let script = sandbox.write(
        "script",
        &format!(
            "§call: {{\"name\":\"file_read\",\"args\":{{\"file\":\"a.txt\"}}}}\n§execute\n%%\n\
             §respond: {HOSTILE}\n§end"
        ),
    );
    let model = format!("script:{script}");
    for (conversation, stream) in [("c", "event"), ("d", "token")] {
        let run = ["run", HOSTILE, "--model", &model, "--new", conversation, "--json"];
        is_escaped(&sandbox.silcrow(&[&run[..], &["--stream", stream]].concat()));
    }
    for args in [
        &["log", "--json", "c"][..],
        &["log", "--json", "list"],
        &["log", "--json", "search", "31m"],
    ] {
        is_escaped(&sandbox.silcrow(args));
    }

    // A result's JSON is stored as it was spelled. An export to a file keeps this, so that an
    // import restores it exactly.
    let spelled = format!(
        "{{\"silcrow\":\"export 1\"}}\n{{\"conversation\":\"e\",\"event\":{{\"type\":\"result\",\
         \"id\":\"a\",\"content\":\"\",\"payload\":{{\"tool\":\"t\",\"status\":\"success\",\
         \"outcome\":\"\",\"content\":[\"{HOSTILE}\"],\"error\":false}}}}}}\n"
    );
    sandbox.silcrow_with(&["log", "--json", "import"], spelled.as_bytes()).ends(0);
    is_escaped(&sandbox.silcrow(&["log", "--json", "e"]));
    let export = sandbox.silcrow(&["log", "--json", "export"]);
    assert!(export.ends(0).out.contains(HOSTILE), "{}", export.out);
    let file = sandbox.write("export", &export.out);
    sandbox.silcrow(&["log", "--json", "import", &file]).ends(0);

    // On a terminal it is for eyes.
    let line = format!("'{}' log export", env!("CARGO_BIN_EXE_silcrow"));
    let mut terminal = Command::new("script");
    terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    terminal.env("XDG_DATA_HOME", sandbox.path("data")).stdin(Stdio::null());
    let mut shown = command_output(terminal.output().unwrap());
    shown.out = shown.out.replace("\r\n", "\n");
    let values = is_escaped(&shown);
    assert_eq!(values, export.events());
}

#[test]
fn names_of_models_are_printed_escaped() {
    let sandbox = Sandbox::new();
    let body = serde_json::json!({"object": "list", "data": [{"id": HOSTILE, "object": "model"}]});
    let body = body.to_string();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{body}",
        body.len()
    );
    let (address, server) = play(vec![answer.into_bytes()], 1 << 20);
    is_escaped(&sandbox.silcrow(&["models", "--json", "--port", &address.port().to_string()]));
    server.join().unwrap();
}

#[test]
fn server_page_escapes_the_same_characters() {
    let script = include_str!("../../../server/page/dom.js");
    let ranges = |name: &str| -> Vec<(u32, u32)> {
        let start = format!("const {name} = /[");
        let list = script.split(&start).nth(1).unwrap().split("]/gu").next().unwrap();
        let list = list.replace("\\t", "\\u{9}").replace("\\u{", " ").replace('}', "");
        let number = |text: &str| u32::from_str_radix(text.trim(), 16).unwrap();
        let ranges = list.replace("- ", "-");
        let ranges = ranges.split_whitespace().map(|range| match range.split_once('-') {
            Some((first, last)) => (number(first), number(last)),
            None => (number(range), number(range)),
        });
        ranges.collect()
    };
    let (hidden, blanks) = (ranges("HIDDEN"), ranges("OTHER_BLANKS"));
    let has = |ranges: &[(u32, u32)], char: char| {
        ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(char)))
    };
    for char in '\0'..=char::MAX {
        let is_kept = matches!(char, '\t' | '\n');
        assert_eq!(has(&hidden, char), is_hidden(char) && !is_kept, "{}", char.escape_unicode());
        let is_blank = is_other_blank(char) || char == '\t';
        assert_eq!(has(&blanks, char), is_blank, "{}", char.escape_unicode());
    }
}
