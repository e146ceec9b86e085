//! The laws, over generated text and over whole documents.

use proptest::prelude::*;
use silcrow_cases::CaseFile;

use crate::surface;

const PIECES: &[&str] = &[
    "alpha",
    "beta ",
    "gamma\n",
    " ",
    "  ",
    "\n",
    "\n\n",
    "*",
    "**",
    "_",
    "~~",
    "`",
    "``",
    "# ",
    "## ",
    "> ",
    "- ",
    "1. ",
    "2) ",
    "+ ",
    "```",
    "~~~",
    "\n```\n",
    "```rust\n",
    "    ",
    "\t",
    "|",
    " | ",
    "|---|",
    "---",
    "===",
    "[",
    "](",
    "](https://a.b/c)",
    ")",
    "![",
    "<",
    "<b>",
    "<div>",
    "-->",
    "<!--",
    "&amp;",
    "&#27;",
    "\\",
    "  \n",
    "[x]: y",
    "[^1]",
    "- [ ] ",
    "東京",
    "é",
    "\u{301}",
    "👩‍👩‍👧",
    "\u{1b}[2J",
    "\r\n",
    "\r",
    "\u{202e}",
    "\u{200d}",
    "word word word word word ",
    "1",
    "\n| a | b |\n|---|---|\n| c | d |\n",
    "snake_case",
    "5 * 3",
    "$x$",
    "averyveryverylongword",
];

fn document() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn laws_hold(text in document(), width in any::<u8>(), seed in any::<u8>()) {
        let mut bytes = vec![width, seed];
        bytes.extend_from_slice(text.as_bytes());
        surface::markdown(&bytes);
    }

    #[test]
    fn laws_hold_for_long_texts(
        text in prop::collection::vec(document(), 1..12),
        width in any::<u8>(),
    ) {
        let mut bytes = vec![width, 1];
        bytes.extend_from_slice(text.join(" ").as_bytes());
        surface::markdown(&bytes);
    }
}

#[test]
fn laws_hold_for_the_corpus() {
    let file = CaseFile::read(include_str!("../cases/markdown.cases"));
    for case in file.expect("the file is valid").cases {
        surface::markdown(case.wire.as_bytes());
    }
}

#[test]
fn laws_hold_for_documents() {
    let text = include_str!("../documents/answer.md");
    for width in [0, 20, 59, 79, 139] {
        let mut bytes = vec![width, 1];
        bytes.extend_from_slice(text.as_bytes());
        surface::markdown(&bytes);
    }
}
