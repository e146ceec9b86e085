use proptest::prelude::*;
use silcrow_event::{Message, Role};
use silcrow_parser::Dialect;
use silcrow_provider::{Provider as _, Request};
use silcrow_rehearsal::Rehearsal;

use crate::play::{ACTION, INLINE, PHASE, SIGIL, run};

/// Text that looks like a prompt, a result or the wire.
fn text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "list",
        "read",
        "find",
        "note:",
        "write",
        "to",
        "in",
        "a.txt",
        "src/",
        "README.md",
        "files",
        "what is",
        "where is",
        "`",
        "```",
        "~~~",
        "\"",
        "§end",
        "§execute",
        "§call: {",
        "§result:",
        "<think>",
        "</think>",
        "<end>",
        "<results>",
        "</results>",
        "  12 bytes",
        "(a link)",
        "/",
        "a:1: b",
        "[x]",
        "[cut here: 1]",
        "created `",
        "`a.txt` ",
        "\n",
        "\r\n",
        "\n\n",
        " ",
        "§",
        "<",
        "é",
        "\0",
    ]);
    prop_oneof![
        prop::collection::vec(words, 0..12).prop_map(|words| words.join(" ")),
        prop::collection::vec(
            prop::sample::select(vec![
                "README.md  1 bytes\n",
                "Cargo.toml  2 bytes\n",
                "a/\n",
                "`b`  (a link)\n",
            ]),
            0..4
        )
        .prop_map(|lines| lines.concat()),
        any::<String>(),
    ]
}

proptest! {
    #[test]
    fn every_run_ends_in_an_answer(
        prompt in text(),
        results in prop::collection::vec((any::<bool>(), text()), 1..4),
    ) {
        for options in [SIGIL, INLINE, PHASE, ACTION] {
            let mut results = results.iter().cycle();
            let turns = run(&prompt, options, |_| match results.next().unwrap() {
                (true, text) => Ok(text.clone()),
                (false, text) => Err(text.clone()),
            });
            prop_assert!(!turns.last().unwrap().said.is_empty());
        }
    }

    #[test]
    fn no_messages_are_too_odd(contents in prop::collection::vec(text(), 0..5)) {
        let roles = [Role::System, Role::User, Role::Assistant];
        for dialect in [Dialect::Sigil, Dialect::Phase, Dialect::Action] {
            let message = |(at, content): (usize, &String)| Message::new(roles[at % 3], content);
            let messages = contents.iter().enumerate().map(message).collect();
            let _deltas = Rehearsal::new(dialect.into(), None, 1).stream(Request::new(messages));
        }
    }
}
