//! A whole document on terminals of several widths, and each kind of block.

use silcrow_term::{Line, MarkdownStream, Options};

use crate::surface::render;

const ANSWER: &str = include_str!("../documents/answer.md");

fn shown(text: &str, width: usize) -> String {
    let lines: Vec<_> = render(text, width, &[]).iter().map(Line::to_string).collect();
    lines.join("\n")
}

#[test]
fn a_document_fits_its_width() {
    for width in [60, 80, 140] {
        insta::assert_snapshot!(format!("answer_{width}"), shown(ANSWER, width));
    }
}

#[test]
#[cfg(not(feature = "syntax"))]
fn a_document_has_styles() {
    let lines = render(ANSWER, 80, &[]);
    let lines: Vec<_> = lines.iter().map(|line| line.to_ansi(&silcrow_term::Theme::DARK)).collect();
    insta::assert_snapshot!("answer_dark", lines.join("\n").replace('\u{1b}', "␛"));
}

#[test]
fn structure_may_be_ascii() {
    let mut options = Options::new(30);
    options.ascii = true;
    let mut stream = MarkdownStream::new(&options);
    stream.push("> a\n\n- b\n\n---\n\n|a|b|\n|-|-|\n|c|d|\n\n```\nlong ");
    stream.push(&"x".repeat(30));
    let lines = stream.finish();
    assert!(lines.iter().all(|line| line.text().is_ascii()), "{lines:?}");
    assert_eq!(lines[0].text(), "> a");
    assert_eq!(lines[2].text(), "- b");
}

#[test]
fn final_lines_are_emitted_early() {
    let mut stream = MarkdownStream::new(&Options::new(40));
    stream.push("```\none\n");
    assert_eq!(stream.take_done().len(), 2);
    stream.push("two");
    assert!(stream.take_done().is_empty());
    stream.push("\n```\n- a\n- b\n");
    assert_eq!(stream.take_done().len(), 3);
    stream.push(&"word *word* ".repeat(40));
    assert!(stream.take_done().len() > 6);
    assert!(stream.open().len() < 6);
    // The parts of a style that is open stay together for a while.
    stream.push(&format!("**{}", "word ".repeat(40)));
    assert!(stream.open().len() < 12);
}

#[test]
fn code_can_be_copied() {
    let code = "fn a() {\n    b();\n\n}";
    let lines = shown(&format!("```rust\n{code}\n```"), 60);
    let inside: Vec<_> = lines.lines().skip(1).take(4).collect();
    assert_eq!(inside.join("\n"), code);
    assert_eq!(shown("~~~\nabcdefgh ijklmnop\n", 16).lines().nth(2), Some("↪ p"));
}

#[test]
fn addresses_are_shown() {
    assert_eq!(shown("[a](https://b.c)", 60), "a (https://b.c)");
    assert_eq!(shown("[https://b.c](https://evil.org)", 60), "https://b.c (https://evil.org)");
    assert_eq!(shown("<https://b.c> [d@e.f](mailto:d@e.f)", 60), "https://b.c d@e.f");
    assert_eq!(shown("![a](b.png) ![](c.png)", 60), "[a] (b.png) [] (c.png)");
    assert_eq!(
        shown("[a][b]\n\n[b]: https://c.d\n[e]: f", 60),
        "[a][b]\n\n[b]: https://c.d\n[e]: f"
    );
}

#[test]
fn entities_smuggle_nothing() {
    assert_eq!(shown("a&#27;[2J &#x202e; &amp; &#10;b", 60), r"a\x1b[2J \u{202e} &  b");
    assert_eq!(shown("`&#27;` [x](&#27;)", 60), r"&#27; x (\x1b)");
    assert_eq!(shown("|a|\n|-|\n|&#27;|", 60), "a\n────\n\\x1b");
}

#[test]
fn blocks_end_as_in_commonmark() {
    assert_eq!(shown("a\nb\n===\nc", 60), "# a b\nc");
    assert_eq!(shown("- a\n- b\n\n  c\n1. d\n   > e\nf", 60), "• a\n• b\n\n  c\n1. d\n   │ e f");
    assert_eq!(shown("a\n2. b\n- c", 60), "a 2. b\n• c");
    assert_eq!(shown("a  \nb\\\nc", 60), "a\nb\nc");
    assert_eq!(shown("<div>\n*a*\n\n*b*", 60), "<div>\n*a*\n\nb");
    assert_eq!(shown("    a\n\n    b\nc", 60), "    a\n\n    b\nc");
    assert_eq!(shown("-\n- a\n>\n", 60), "•\n• a\n│");
    assert_eq!(shown("#", 60), "#");
}

#[test]
fn tables_keep_all_cells() {
    let table = "a\n| b | c |\n|--:|---|\n| d | e | f |\n| `g\\|h` |\ni\n\nj";
    let expected = "a\n  b │ c\n────┼──────\n  d │ e | f\ng|h │\n  i │\n\nj";
    assert_eq!(shown(table, 60), expected);
    assert_eq!(shown("|a|b|\n|-|-|\n|c|d|", 14), "a: c\nb: d\n");
    let long = format!("|a|\n|-|\n{}", "|b|\n".repeat(100));
    let mut stream = MarkdownStream::new(&Options::new(60));
    stream.push(&long);
    assert_eq!(stream.take_done().len(), 102);
}

#[test]
fn new_width_applies_to_open_blocks() {
    let mut stream = MarkdownStream::new(&Options::new(20));
    stream.push("> one two three four five six\n> seven");
    assert!(stream.take_done().is_empty());
    stream.set_width(12);
    let open: Vec<_> = stream.open().iter().map(Line::to_string).collect();
    assert_eq!(open, ["│ one two", "│ three four", "│ five six", "│ seven"]);
}
