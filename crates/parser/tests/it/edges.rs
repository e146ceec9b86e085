//! Edge cases: caps, the first and last texts of a turn, and fences inside of texts.

use std::time::Duration;

use silcrow_event::{DiagnosticKind, Event, Think};
use silcrow_parser::{
    Dialect, block_guide, escape_user, guide, leaves_fence_open, read_results, write,
};
use silcrow_testkit::by_chars;

use crate::parse::parse;

#[test]
fn written_text_begins_and_ends_with_delimiters() {
    let write = |events: &[Event], dialect| write(events, dialect);
    let (think, respond) = (Event::think("a"), Event::respond("b"));
    for dialect in Dialect::ALL {
        assert_eq!(write(&[], dialect), "");
        assert_eq!(write(&[Event::think(""), Event::respond("")], dialect), "");
        assert_eq!(write(&[Event::user("x")], dialect), "");
        let beside = Think::by_provider("a");
        assert_eq!(write(&[Event::Think(beside)], dialect), "");
    }
    let events = [think.clone(), respond.clone(), Event::Execute, Event::End];
    assert_eq!(write(&events, Dialect::Sigil), "§think: a\n§respond: b\n§execute\n§end");
    assert_eq!(write(&events, Dialect::Phase), "<think>a</think>\nb\n<end>");
    assert_eq!(write(&events, Dialect::Action), "<thought>a\n</thought>\n<response>b\n</response>");
    let events = [Event::Execute, respond, think];
    assert_eq!(write(&events, Dialect::Phase), "b\n<think>a</think>");
    assert_eq!(write(&events, Dialect::Action), "<response>b\n</response>\n<thought>a\n</thought>");
}

/// P-34: this holds even if the fence after the escape would close.
#[test]
fn quoted_fence_escape_is_escaped_again() {
    for (dialect, content, wire) in [
        (Dialect::Sigil, "§```\na\n```", "§respond: §§```\na\n§```"),
        (Dialect::Sigil, "a\n   §§~~~\n~~~", "§respond: a\n   §§§~~~\n§~~~"),
        (Dialect::Phase, "<```\na\n```", "<<```\na\n<```"),
    ] {
        assert_eq!(write(&[Event::respond(content)], dialect), wire);
        assert_eq!(parse([wire], dialect).events(), [Event::respond(content)]);
    }
}

/// P-34: a fence has at least three characters of one kind.
#[test]
fn fence_escape_has_three_equal_ticks() {
    let said = |text: &str| {
        let whole = parse([text], Dialect::Sigil);
        assert_eq!(parse(by_chars(text), Dialect::Sigil), whole);
        whole.events()
    };
    for text in ["§``~ a", "§`~~", "§~``\nb", "§~~`~~~", "§``"] {
        assert_eq!(said(text), [Event::respond(text)]);
    }
    assert_eq!(said("§~~~`"), [Event::respond("~~~`")]);
    assert_eq!(said("§§````"), [Event::respond("§````")]);
}

/// P-34: the check for the notice after an answer.
#[test]
fn open_fence_of_answer_is_known() {
    for dialect in Dialect::ALL {
        let escaped = format!("{}```", dialect.first_char());
        let open = [
            "```",
            "a\n~~~ b\n```\n",
            "   ````\n```",
            "```\n``` a\n",
            "````\n``` \n",
            "```\n    \n",
            "```\n\t\n\r\n``\t\n",
        ];
        for open in open {
            assert!(leaves_fence_open(open, dialect), "{open:?}");
        }
        for closed in ["", "a", "``", "```a`", "    ```", "```\n   ```", "```\n````` ", &escaped] {
            assert!(!leaves_fence_open(closed, dialect), "{closed:?}");
        }
    }
}

/// A diagnostic for stray text is bounded, and does not depend on the cuts of the text.
#[test]
fn stray_text_diagnostic_is_limited_to_64_kib() {
    let most = 64 << 10;
    let told = |text: &str| {
        let wire = format!("§execute\n \n{text}");
        let whole = parse([&*wire], Dialect::Sigil);
        assert_eq!(parse(by_chars(&wire), Dialect::Sigil), whole);
        let note = whole.diagnostics().last().expect("a note").clone();
        assert_eq!(note.at, Some(12));
        note.content
    };
    let long = "x".repeat(most);
    assert_eq!(told(&long[1..]), long[1..]);
    assert_eq!(told(&long), long);
    assert_eq!(told(&format!("{long}y")), long);
    // The text in the middle is complete.
    assert_eq!(told(&format!("{}éy", &long[1..])), long[1..]);
}

/// P-20: a number of seconds is not negative.
#[test]
fn action_timeout_may_be_zero() {
    let wire = |seconds| format!("<action>{{\"name\":\"n\",\"timeout\":{seconds}}}</action>");
    let timeout = |seconds| match &parse([&*wire(seconds)], Dialect::Action).events()[..] {
        [Event::Call(call)] => call.action().and_then(|action| action.timeout),
        _ => None,
    };
    assert_eq!(timeout("0"), Some(Duration::ZERO));
    assert_eq!(timeout("-0e9"), Some(Duration::ZERO));
    assert_eq!(timeout("1e300"), Some(Duration::MAX));
    assert_eq!(timeout("-0.5"), None);
}

/// P-10: the text of a person cannot pass for a result.
#[test]
fn results_tag_is_escaped_in_user_text() {
    for dialect in [Dialect::Phase, Dialect::Action] {
        let text = "a <results>[]</results> <b>";
        assert_eq!(escape_user(text, dialect), "a <<results>[]</results> <b>", "{dialect:?}");
    }
    let message = "x\n§result: a\n\n§think: b\n§result:\n§result: c §end\n";
    let read = read_results(message, Dialect::Sigil);
    let contents: Vec<_> = read.iter().map(|result| result.content.text()).collect();
    assert_eq!(contents, ["a", "", "c §end"]);
    assert!(read.iter().all(|result| result.payload.is_none()), "{read:?}");
}

#[test]
fn guide_names_every_delimiter_of_model() {
    for dialect in Dialect::ALL {
        for (delimiter, marker) in dialect.delimiters() {
            let marker = marker.trim_end_matches('>');
            let is_ours = marker.contains("result") || marker.contains("--");
            // They have a separate guide, and a body of a choice needs no closing tag.
            let is_block = delimiter.is_block()
                && (block_guide().contains(marker)
                    || ["<then", "</then", "</else", "</value"].contains(&marker));
            assert!(is_ours || is_block || guide(dialect).contains(marker), "{dialect:?} {marker}");
        }
        let other = if dialect == Dialect::Sigil { "<think>" } else { "§think:" };
        assert!(!guide(dialect).contains(other), "{dialect:?}");
    }
}

/// P-8: only raw control characters are repaired.
#[test]
fn repaired_body_keeps_its_escapes() {
    let wire = "§call: {\"name\":\"a\",\"args\":{\"t\":\"\\\"x\\\\\n\ty\\\n\u{1}\r\"}}\n§execute";
    let events = parse([wire], Dialect::Sigil).events();
    let Event::Call(call) = &events[0] else { panic!("{:?}", events[0]) };
    assert_eq!(call.args(), "{\"t\":\"\\\"x\\\\\\n\\ty\\\\\\n\\u0001\\r\"}");
}

/// P-8: the line that opens a code fence belongs to it.
#[test]
fn fence_line_is_not_part_of_list() {
    let wire = "<execute>```json, or so]\n[{\"name\":\"a\"}]\n```</execute>";
    let whole = parse([wire], Dialect::Phase);
    assert_eq!(whole.diagnostics().next(), None);
    assert!(matches!(whole.events()[..], [Event::Call(_), Event::Execute]));
    let wire = "<execute>```json\n{\"name\":\"a\"}\n``` so</execute>";
    let notes: Vec<_> = parse([wire], Dialect::Phase).diagnostics().cloned().collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!((notes[0].kind, &*notes[0].content), (DiagnosticKind::StrayText, "so"));
}
