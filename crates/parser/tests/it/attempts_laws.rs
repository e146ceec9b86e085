//! Laws of the search for attempts (P-36): it reads any text.

use proptest::prelude::*;
use silcrow_parser::AttemptKind::{Invisible, Misplaced};
use silcrow_parser::Dialect::{self, Sigil};

use crate::attempts::{LIST, find};

/// Pieces from which texts are made.
const PIECES: [&str; 30] = [
    "§",
    "call",
    "§call:",
    "§end",
    " ",
    "\n",
    "\n\n",
    "- ",
    "**",
    "`",
    "``",
    "```\n",
    "~~~\n",
    "<",
    ">",
    "<action",
    "</think>",
    "<execute>",
    "&lt;",
    "{",
    "}",
    "[",
    "]",
    "\"name\": \"file_list\"",
    "{\"name\": \"file_list\"}",
    "<|im_end|>",
    ":",
    "é",
    "file_list(",
    "Action: file_list",
];

fn texts() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_has_an_attempt_or_none(text in texts(), more in any::<String>()) {
        for dialect in Dialect::ALL {
            for is_ended in [false, true] {
                let whole = format!("{text}{more}");
                let found = find(&whole, dialect, is_ended);
                // The text of an invisible attempt is the delimiter that the model meant.
                if let Some(found) = found.filter(|found| found.kind != Invisible) {
                    let text = found.text.trim_end_matches('…');
                    prop_assert!(whole.contains(text));
                    prop_assert!(!text.contains('\n') && text.chars().count() <= 80);
                }
            }
        }
    }

    #[test]
    fn misplaced_call_is_found_before_any_paragraphs(more in texts()) {
        let text = format!("Let me look. §call: {LIST}\n\n{more}");
        let found = find(&text, Sigil, false).unwrap();
        prop_assert_eq!(found.kind, Misplaced);
    }
}

#[test]
fn a_long_repetition_has_an_attempt_or_none() {
    for piece in
        PIECES.iter().chain(&["<think>", "§call: {\"a\": ", "§call: [", "<a b", "{\"a\":\n"])
    {
        let text = piece.repeat((1 << 15) / piece.len());
        for dialect in Dialect::ALL {
            let found = find(&text, dialect, false);
            assert!(found.is_none_or(|found| text.contains(found.text.trim_end_matches('…'))));
        }
    }
}
