//! Native calls in the answers of a dialect.

use proptest::prelude::*;
use silcrow_native::{Fragment, MixedForms, NativeFamily, TextKind};
use silcrow_parser::{Dialect, Parser};

/// Reads a text in these pieces, and returns its meaning, a line for each fragment. Texts of one
/// part are joined. The text may be cut off instead of ended.
fn read(dialect: Dialect, pieces: &[&str], is_cut: bool) -> Vec<String> {
    let families: Vec<NativeFamily> =
        ["hermes", "mistral_args"].map(|name| name.parse().unwrap()).to_vec();
    let mut forms = MixedForms::new(&families).with_call_text();
    if dialect == Dialect::Action {
        forms = forms.with_actions();
    }
    let mut parser = Parser::new(dialect).with_call_text();
    let mut lines = Lines::default();
    for piece in pieces {
        parser.push(piece, &mut |fragment| {
            forms.push(fragment, &mut |fragment| lines.push(&fragment));
        });
    }
    forms.end_text();
    let mut take = |fragment: Fragment<'_>| {
        forms.push(fragment, &mut |fragment| lines.push(&fragment));
    };
    match is_cut {
        true => parser.finish_cut(&mut take),
        false => parser.finish(&mut take),
    }
    match is_cut {
        true => forms.finish_cut(&mut |fragment| lines.push(&fragment)),
        false => forms.finish(&mut |fragment| lines.push(&fragment)),
    }
    lines.lines
}

/// Reads a text with the parser of the dialect alone.
fn read_alone(dialect: Dialect, text: &str) -> Vec<String> {
    let mut parser = Parser::new(dialect).with_call_text();
    let mut lines = Lines::default();
    parser.push(text, &mut |fragment| lines.push(&fragment));
    parser.finish(&mut |fragment| lines.push(&fragment));
    lines.lines
}

#[derive(Default)]
struct Lines {
    lines: Vec<String>,
    /// The beginning of the last line, if further text belongs to it.
    open: String,
}

impl Lines {
    fn push(&mut self, fragment: &Fragment<'_>) {
        let (head, text) = match fragment {
            Fragment::Text(text) => {
                let kind = match text.kind {
                    TextKind::Think => "think",
                    TextKind::Respond { last: true } => "respond",
                    TextKind::Respond { last: false } => "respond, not final,",
                    TextKind::Malformed => "malformed",
                };
                (format!("{kind} {}: ", text.part), text.text.to_owned())
            }
            // Pieces of arguments depend on the cuts, but together they do not.
            Fragment::CallText(piece) if piece.id.is_none() => {
                (format!("writes {}: ", piece.call), piece.text.to_owned())
            }
            Fragment::CallText(piece) => {
                (format!("wrote {}: {}", piece.call, piece.id.unwrap_or_default()), String::new())
            }
            Fragment::Call(call) => {
                let mode = call.action().map_or("", |_| " as an action");
                (
                    format!("call {}: {} {}{mode}", call.id(), call.name(), call.args()),
                    String::new(),
                )
            }
            Fragment::InvalidCall(call) => (format!("invalid {}", call.id), String::new()),
            Fragment::Close { part } => {
                // White space at the end of a section is trimmed.
                if let Some(last) = self.lines.last_mut() {
                    last.truncate(last.trim_end().len());
                }
                (format!("close {part}"), String::new())
            }
            Fragment::Diagnostic(noted) => (format!("note {}", noted.kind), String::new()),
            other => (format!("{other:?}"), String::new()),
        };
        match self.lines.last_mut() {
            Some(last) if self.open == head && !text.is_empty() => last.push_str(&text),
            _ => {
                self.lines.push(format!("{head}{text}"));
                self.open = if text.is_empty() { String::new() } else { head };
            }
        }
    }
}

fn whole(dialect: Dialect, text: &str) -> Vec<String> {
    read(dialect, &[text], false)
}

const LOOK: &str =
    "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \".\"}}\n</tool_call>";

#[test]
fn native_call_runs_at_answer_end() {
    insta::assert_snapshot!(whole(Dialect::Sigil, &format!("I look.\n{LOOK}\n")).join("\n"), @r#"
    respond 1: I look.
    close 1
    writes 1: {"path": "."}
    wrote 1: n1
    call n1: ls {"path": "."}
    Execute
    "#);
    insta::assert_snapshot!(whole(Dialect::Sigil, &format!("§respond: I look.\n{LOOK}\n§end")).join("\n"), @r#"
    respond 1: I look.
    close 1
    writes 1: {"path": "."}
    wrote 1: n1
    call n1: ls {"path": "."}
    Execute
    End
    "#);
}

#[test]
fn native_and_dialect_calls_coexist() {
    let text = format!(
        "§call: {{\"name\": \"cat\", \"args\": {{}}, \"id\": \"x\"}}\n§respond: And\n{LOOK}\n\
         [TOOL_CALLS]pwd[ARGS]{{}}\n§execute"
    );
    insta::assert_snapshot!(whole(Dialect::Sigil, &text).join("\n"), @r#"
    writes 1: {"name": "cat", "args": {}, "id": "x"}
    wrote 1: a1
    call a1: cat {}
    respond 1: And
    close 1
    writes 2: {"path": "."}
    wrote 2: n1
    call n1: ls {"path": "."}
    writes 3: {}
    wrote 3: n2
    call n2: pwd {}
    Execute
    "#);
}

#[test]
fn phase_text_outside_sections_allows_native_calls() {
    let text = format!("<think>Where?</think>I look.\n{LOOK}");
    insta::assert_snapshot!(whole(Dialect::Phase, &text).join("\n"), @r#"
    think 1: Where?
    close 1
    respond 2: I look.
    close 2
    writes 1: {"path": "."}
    wrote 1: n1
    call n1: ls {"path": "."}
    Execute
    "#);
}

#[test]
fn action_native_calls_make_announcements_non_final() {
    insta::assert_snapshot!(whole(Dialect::Action, &format!("I look.\n{LOOK}")).join("\n"), @r#"
    respond, not final, 1: I look.
    close 1
    call n1: ls {"path": "."} as an action
    Execute
    "#);
    assert_eq!(whole(Dialect::Action, "Just text."), read_alone(Dialect::Action, "Just text."));
}

#[test]
fn quoted_and_thought_calls_do_not_run() {
    for text in [
        format!("```\n{LOOK}\n```"),
        format!("§think: I could write {LOOK}\n§respond: No.\n§end"),
        "Write `<tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>` for it.".to_owned(),
    ] {
        let lines = whole(Dialect::Sigil, &text);
        assert!(lines.iter().all(|line| !line.starts_with("call ")), "{lines:?}");
    }
}

#[test]
fn truncated_answer_has_no_execution_point() {
    let lines = read(Dialect::Sigil, &[&format!("I look.\n{LOOK}\n")], true);
    assert!(!lines.contains(&"Execute".to_owned()), "{lines:?}");
}

#[test]
fn call_ids_are_unique() {
    let cut = LOOK.replace("\"name\"", "\"id\": \"call_1\", \"name\"");
    let text = format!("{cut}\n{cut}\n§call: {{\"name\": \"cat\", \"args\": {{}}}}\n§execute");
    let lines = whole(Dialect::Sigil, &text);
    let ids: Vec<_> =
        lines.iter().filter_map(|line| line.strip_prefix("call ")?.split(':').next()).collect();
    assert_eq!(ids.len(), 3, "{lines:?}");
    assert_eq!(std::collections::BTreeSet::from_iter(&ids).len(), 3, "{ids:?}");
}

const DIALECTS: [Dialect; 3] = [Dialect::Sigil, Dialect::Phase, Dialect::Action];

/// Pieces of texts, some of them native.
const PIECES: [&str; 22] = [
    "§think: ",
    "§respond: ",
    "§call: {\"name\":\"a\",\"args\":{}}\n",
    "§execute\n",
    "§end\n",
    "<think>",
    "</think>",
    "<execute>[{\"name\":\"a\",\"args\":{}}]</execute>",
    "<end>",
    "<thought>",
    "</thought>",
    "<response>",
    "</response>",
    "<action id=\"x\">{\"name\":\"a\",\"parameters\":{}}</action>",
    "text\n",
    "```\n",
    "<tool_call>\n",
    "{\"name\": \"ls\", \"arguments\": {\"p\": \"é\"}}",
    "\n</tool_call>\n",
    "[TOOL_CALLS]",
    "ls[ARGS]{}",
    "`",
];

proptest! {
    #[test]
    fn cuts_change_nothing(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..9),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        is_cut: bool,
    ) {
        let text: String = pieces.concat();
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&ends)).collect();
        cuts.sort_unstable();
        let mut parts = Vec::new();
        let mut begin = 0;
        for cut in cuts.into_iter().chain([text.len()]) {
            parts.push(&text[begin..cut]);
            begin = cut;
        }
        let single: Vec<&str> = text.split("").filter(|part| !part.is_empty()).collect();
        for dialect in DIALECTS {
            let wanted = read(dialect, &[&text], is_cut);
            prop_assert_eq!(&read(dialect, &parts, is_cut), &wanted, "{:?}", dialect);
            prop_assert_eq!(&read(dialect, &single, is_cut), &wanted, "{:?}", dialect);
        }
    }

    #[test]
    fn text_without_native_delimiters_is_unchanged(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..16]), 0..9),
    ) {
        let text: String = pieces.concat();
        // A family reads thoughts, too.
        prop_assume!(!text.contains("think>"));
        for dialect in DIALECTS {
            prop_assert_eq!(whole(dialect, &text), read_alone(dialect, &text), "{:?}", dialect);
        }
    }
}
