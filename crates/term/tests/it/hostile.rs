//! Texts that are expensive to parse: nothing panics, and the time grows as the text does.
//!
//! The texts are so long that these tests would not end if the time grew as the square of the
//! length.

use silcrow_term::{MarkdownStream, Options};

/// Renders a text in one piece and in pieces of 4 KiB, with the open lines after each.
fn survives(text: &str) {
    let mut stream = MarkdownStream::new(&Options::new(80));
    stream.push(text);
    let whole = stream.finish();
    let mut stream = MarkdownStream::new(&Options::new(80));
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.floor_char_boundary(4096));
        stream.push(now);
        lines.extend(stream.take_done());
        assert!(stream.open().len() < 400, "{} open lines", stream.open().len());
        rest = later;
    }
    lines.extend(stream.finish());
    assert_eq!(lines, whole);
}

#[test]
fn deep_containers() {
    survives(&"> ".repeat(50_000));
    survives(&"- ".repeat(50_000));
    survives(&format!("{}a\n\n", "> ".repeat(1000)).repeat(50));
    survives(&(0..1000).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect::<String>());
    survives(&format!("{}{}", "- ".repeat(1000), "\n\n  a".repeat(30_000)));
}

#[test]
fn signs_without_end() {
    for sign in ["*", "**", "_", "`", "[", "![", "<", "](", "\\", "~", "|", "#", "&", "-", "=", ">"]
    {
        survives(&sign.repeat(20_000 / sign.len()));
        survives(&format!("{sign}a ").repeat(5_000));
        survives(&format!("{sign}a\n").repeat(5_000));
        survives(&format!("a{sign} ").repeat(5_000));
    }
    survives(&"*".repeat(1_000_000));
    survives(&(0..400).map(|len| "`".repeat(len) + " ").collect::<String>());
}

#[test]
fn long_lines() {
    survives(&"a".repeat(1 << 20));
    survives(&"word ".repeat(200_000));
    survives(&"東".repeat(100_000));
    survives(&"e\u{301}".repeat(100_000));
    survives(&format!("```\n{}", "a".repeat(1 << 20)));
    survives(&format!("<div>{}", "a ".repeat(200_000)));
    survives(&format!("# {}", "a ".repeat(200_000)));
    survives(&format!("    {}", "a ".repeat(200_000)));
    survives(&" ".repeat(200_000));
    survives(&"\t".repeat(100_000));
    survives(&"\n".repeat(200_000));
    survives(&format!("|{}", "a|".repeat(100_000)));
}

#[test]
fn unclosed_blocks() {
    survives(&"```rust\nfn a() { // (((\n".repeat(1_000));
    survives(&format!("| a | b |\n|---|---|\n{}", "| c | `d\n".repeat(10_000)));
    survives(&format!("|{0}\n|{1}\n", "a|".repeat(1000), "-|".repeat(1000)));
    survives(&"<!-- a\n".repeat(10_000));
    survives(&"- **a\n".repeat(10_000));
    survives(&"a  \n".repeat(20_000));
    survives(&"    a\n\n\n".repeat(10_000));
}
