use super::screen::{SpanStyle, TerminalLine, TerminalScreen};
use super::svg;

fn shown(text: &str) -> Vec<TerminalLine> {
    let mut screen = TerminalScreen::default();
    // Sequences may be cut anywhere.
    for char in text.chars() {
        screen.push(&char.to_string());
    }
    screen.finish()
}

#[test]
fn styles_and_lines_are_read() {
    let lines =
        shown("\x1b[2mdim\x1b[0m plain\r\n\x1b[1mbold\x1b[0m\r\n\x1b[32mgreen\r\n\x1b[0m\r\n");
    let spans: Vec<_> = lines.into_iter().map(|line| line.spans).collect();
    assert_eq!(
        spans,
        [
            vec![(SpanStyle::Dim, "dim".to_owned()), (SpanStyle::Plain, " plain".to_owned())],
            vec![(SpanStyle::Bold, "bold".to_owned())],
            vec![(SpanStyle::Green, "green".to_owned())],
        ]
    );
}

#[test]
fn a_status_line_that_is_taken_back_is_not_shown() {
    let lines = shown("one\r\n\r\x1b[K\x1b[2mwaiting\x1b[0m\r\x1b[Ktwo\r\nthree\rfour");
    let text: Vec<_> = lines.iter().map(TerminalLine::text).collect();
    assert_eq!(text, ["one", "two", "four"]);
}

#[test]
fn a_drawing_escapes_its_text_and_keeps_columns() {
    let svg = svg::draw(&[TerminalLine { spans: vec![(SpanStyle::Dim, "a<b&c>".to_owned())] }], 80);
    assert!(svg.contains(">a&lt;b&amp;c&gt;</text>"), "{svg}");
    assert!(svg.contains("textLength=\"50\""), "{svg}");
    assert_eq!(svg.matches("<text").count(), 1);
}
