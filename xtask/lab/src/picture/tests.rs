use std::num::NonZeroU16;

use super::screen::{SpanColor, SpanStyle, TerminalLine, lines};
use super::svg;

fn shown(text: &str) -> Vec<TerminalLine> {
    let mut parser =
        vt100::Parser::new(NonZeroU16::new(6).unwrap(), NonZeroU16::new(40).unwrap(), 0);
    parser.process(text.as_bytes());
    lines(parser.screen())
}

#[test]
fn styles_and_lines_are_read() {
    let lines =
        shown("\x1b[2mdim\x1b[0m plain\r\n\x1b[1mbold\x1b[0m\r\n\x1b[92mgreen\r\n\x1b[0m\r\n");
    let text: Vec<_> = lines.iter().map(|line| line.text().trim_end().to_owned()).collect();
    assert_eq!(text, ["dim plain", "bold", "green"]);
    assert_eq!(lines[0].spans[0].0.color, SpanColor::Dim);
    assert!(lines[1].spans[0].0.is_bold);
    assert_eq!(lines[2].spans[0].0.color, SpanColor::Numbered(10));
}

#[test]
fn erased_rows_are_not_shown() {
    let lines = shown("one\r\n\r\x1b[J\x1b[2mwaiting\x1b[0m\r\x1b[Jtwo\r\n");
    let text: Vec<_> = lines.iter().map(|line| line.text().trim_end().to_owned()).collect();
    assert_eq!(text, ["one", "two"]);
}

#[test]
fn varying_values_are_replaced() {
    let lines = shown("conversation ctoz14vzql4wgei took 12.5 s");
    assert_eq!(lines[0].text().trim_end(), "conversation ctn4k2s8q1x7m0a took 0.1 s");
}

#[test]
fn the_time_of_a_call_is_left_out() {
    let lines =
        shown("\u{2713} file_read: 1 line\x1b[2m \u{b7} 0.2 s\x1b[0m\r\n\u{2713} a \u{b7} b");
    let text: Vec<_> = lines.iter().map(|line| line.text().trim_end().to_owned()).collect();
    assert_eq!(text, ["\u{2713} file_read: 1 line", "\u{2713} a \u{b7} b"]);
}

#[test]
fn a_drawing_escapes_its_text_and_keeps_columns() {
    let line = TerminalLine { spans: vec![(SpanStyle::default(), "a<b&c>".to_owned())] };
    let svg = svg::draw(&[line], 80);
    assert!(svg.contains(">a&lt;b&amp;c&gt;</text>"), "{svg}");
    assert!(svg.contains("textLength=\"50\""), "{svg}");
    assert_eq!(svg.matches("<text").count(), 1);
}

#[test]
fn leading_and_trailing_blanks_are_not_drawn() {
    let spans = vec![
        (SpanStyle::default(), "› ".to_owned()),
        (SpanStyle::default(), "  a  b   ".to_owned()),
    ];
    let svg = svg::draw(&[TerminalLine { spans }], 80);
    // Two columns before the text, and two at its beginning; two blanks inside of it.
    assert!(svg.contains("<text x=\"49\" y=\"50\" textLength=\"33\""), "{svg}");
    assert!(svg.contains(">a  b</text>") && svg.contains("white-space:pre"), "{svg}");
}
