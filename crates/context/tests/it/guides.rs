use silcrow_event::Event;
use silcrow_parser::{Dialect, brief_guide, guide, write, write_results};

use crate::read::{call, contents_of, read};

/// Returns the paragraphs of a guide that begin with this line.
fn examples(dialect: Dialect, line: &str) -> Vec<&'static str> {
    let text = guide(dialect).trim_end();
    let heading = format!("\n\n{line}\n");
    let begins = text.match_indices(&*heading).map(|(at, found)| at + found.len());
    let example = |begin: usize| {
        let rest = &text[begin..];
        let next = ["\n\nThe person asks:", "\n\nYou write:", "\n\nYou receive:", "\n\n#"];
        let end = next.iter().filter_map(|next| rest.find(next)).min();
        &rest[..end.unwrap_or(rest.len())]
    };
    begins.map(example).collect()
}

/// Each example is parsed as these events, without a diagnostic.
#[track_caller]
fn check(dialect: Dialect, expected: &[Vec<Event>]) {
    let examples = examples(dialect, "You write:");
    assert_eq!(examples.len(), expected.len());
    for (example, expected) in examples.iter().zip(expected) {
        let (events, notes) = read(example, dialect);
        assert_eq!(&events, expected, "{example}");
        assert_eq!(notes, [], "{example}");
        assert_eq!(write(&events, dialect), *example, "written as we write it");
    }
}

fn conversation() -> [Vec<Event>; 3] {
    [
        vec![Event::respond("2 + 2 is 4."), Event::End],
        vec![
            Event::think("I need both files, and can read them at the same time."),
            call("a1", "file_read", r#"{"file": "main.py"}"#),
            call("a2", "file_read", r#"{"file": "config.json"}"#),
            Event::Execute,
        ],
        vec![
            Event::respond("`main.py` loads `config.json`, which turns debugging off."),
            Event::End,
        ],
    ]
}

#[test]
fn sigil_examples_parse_as_taught() {
    check(Dialect::Sigil, &conversation());
}

#[test]
fn phase_examples_parse_as_taught() {
    check(Dialect::Phase, &conversation());
}

#[test]
fn action_example_bodies_are_json() {
    let examples = examples(Dialect::Action, "You write:");
    assert_eq!(examples.len(), 3);
    let bodies: Vec<serde_json::Value> = examples[1]
        .lines()
        .filter(|line| line.starts_with("<action"))
        .map(|line| line.split_once('>').unwrap().1.strip_suffix("</action>").unwrap())
        .map(|body| serde_json::from_str(body).unwrap())
        .collect();
    assert_eq!(bodies[0]["parameters"]["file"], "main.py");
    assert_eq!(bodies[2]["parameters"]["content"], "$main\n$config");
    assert_eq!(bodies[2]["depends_on"], serde_json::json!(["main", "config"]));
}

#[test]
fn results_in_the_examples_look_like_results() {
    let contents = ["config = load(\"config.json\")", "{\"debug\": false}"];
    for dialect in [Dialect::Sigil, Dialect::Phase] {
        let [received] = examples(dialect, "You receive:")[..] else { panic!("one") };
        assert_eq!(contents_of(received, dialect), contents);
        let outcome = |content| silcrow_event::CallResult::success("", "file_read", "", content);
        assert_eq!(write_results(&contents.map(outcome), dialect), received);
    }
    let [received] = examples(Dialect::Action, "You receive:")[..] else { panic!("one") };
    assert_eq!(
        contents_of(received, Dialect::Action),
        ["print(\"hello\")", "", "both.txt: 32 bytes"],
    );
    let config = silcrow_event::CallResult::success("", "file_read", "", "{\"debug\": false}");
    let kept = write_results([&config.as_kept()], Dialect::Action);
    let kept = kept.trim_start_matches("<results>\n[").trim_end_matches("]\n</results>");
    assert!(received.contains(kept), "{kept}");
}

#[test]
fn a_guide_is_short() {
    for dialect in [Dialect::Sigil, Dialect::Phase, Dialect::Action] {
        let lines = guide(dialect).lines().count();
        assert!(lines <= 50, "{lines} lines");
        assert!(brief_guide(dialect).len() * 3 < guide(dialect).len());
    }
}
