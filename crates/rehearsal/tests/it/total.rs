//! Whatever the prompts, results and logs contain, the rules write a turn that ends.

use futures_util::{FutureExt as _, StreamExt as _};
use proptest::prelude::*;
use silcrow_event::{Fragment, Message, Role};
use silcrow_parser::{Dialect, Parser};
use silcrow_provider::{Delta, FinishReason, Provider as _, Request};
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

/// Returns whether the text is wire text whose turn ends, or waits for results.
fn ends_its_turn(text: &str, dialect: Dialect) -> bool {
    let is_action = dialect == Dialect::Action;
    let mut ends = false;
    let mut sink = |fragment: Fragment<'_>| match fragment {
        Fragment::Execute | Fragment::End => ends = true,
        // A turn of actions needs no delimiter to wait for their results.
        Fragment::Call(_) => ends |= is_action,
        _ => {}
    };
    let mut parser = Parser::new(dialect);
    parser.push(text, &mut sink);
    parser.finish(&mut sink);
    // A response is the end of a turn of actions.
    ends || is_action && text.trim_end().ends_with("</response>")
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
            let messages: Vec<_> = contents.iter().enumerate().map(message).collect();
            let model = Rehearsal::new(dialect.into(), None, 1);
            // Every delta is there at once, and none is an error.
            let deltas: Vec<_> = model.stream(Request::new(messages)).collect().now_or_never().unwrap();
            let deltas: Vec<_> = deltas.into_iter().collect::<Result<_, _>>().unwrap();
            let [texts @ .., Delta::Usage(_), Delta::Done(FinishReason::Stop)] = &deltas[..] else {
                panic!("{deltas:?}")
            };
            prop_assert!(!texts.is_empty());
            let mut text = String::new();
            for delta in texts {
                let Delta::Text(piece) = delta else { panic!("{delta:?}") };
                text.push_str(piece);
            }
            prop_assert!(ends_its_turn(&text, dialect), "{text}");
        }
    }
}
