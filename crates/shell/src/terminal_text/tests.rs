use proptest::prelude::*;

use super::TerminalText;

/// Returns the text of pieces, each of a stream.
fn shown<'t>(pieces: impl IntoIterator<Item = (usize, &'t str)>) -> String {
    let (mut terminal, mut text) = (TerminalText::default(), String::new());
    for (stream, piece) in pieces {
        terminal.push(stream, piece, &mut |done| text.push_str(done));
    }
    terminal.flush(&mut |done| text.push_str(done));
    text
}

#[test]
fn the_last_state_is_shown() {
    let long = "x".repeat(200_000);
    for (output, expected) in [
        ("10 %\r20 %\rdone\n", "done\n"),
        ("100 bytes\rok\n", "ok0 bytes\n"),
        ("\r\x1b[Kone\r\x1b[Ktwo\n", "two\n"),
        ("\x1b[2K\r\x1b[32mstep 1\x1b[0m\x1b[2K\r\x1b[32mstep 2\x1b[0m\n", "step 2\n"),
        ("a\x1b[31mred\x1b[0m\tb\u{e4}a\u{308}\n", "ared\tb\u{e4}a\u{308}\n"),
        ("\x1b]0;title\x07text\x1b]8;;http://a.b\x1b\\link\x1b]8;;\x1b\\\n", "textlink\n"),
        ("windows\r\nlines\r\n", "windows\r\nlines\r\n"),
        ("10 %\r", "10 %"),
        ("b\x08bo\x08ol\x08ld _\x08u\n", "bold u\n"),
        ("one\ntwo\n\x1b[2Anew\x1b[K\n\x1b[Knext\n", "new\nnext\n"),
        ("a\nb\nc\n\x1b[3A\x1b[J1\n2\n", "1\n2\n"),
        ("frame 1\nx\n\x1b[H\x1b[2Jframe 2\n", "frame 2\n"),
        ("before\n\x1b[?1049hfull\nscreen\x1b[?1049lafter\n", "before\nafter\n"),
        ("東京\r大\n", "大京\n"),
        ("東京\ra\n", "a 京\n"),
        ("cut\x1b[3", "cut"),
        ("cut\x1b]0;no end\nnext line\n", "cut\nnext line\n"),
        ("\x1bP1$r0m\x1b\\x\x1b_apc\x1b\\y\n", "xy\n"),
        ("spaces   \n\n\n", "spaces   \n\n\n"),
        ("nul\0 and bell\x07\n", "nul\0 and bell\x07\n"),
        (&*long, &*long),
        (&format!("{long}\r{long}"), &format!("{long}{}", &long[..200_000 - 512])),
    ] {
        let text = shown([(0, output)]);
        assert!(text == expected, "{:.200?}: {:.200?}", output, text);
    }
}

#[test]
fn progress_bar_frames_become_one_line() {
    let frames: String = (1..=5000).map(|n| format!("\rDownloading {n} of 5000")).collect();
    assert_eq!(shown([(0, &*format!("{frames}\nfinished"))]), "Downloading 5000 of 5000\nfinished");
}

#[test]
fn streams_do_not_split_each_others_escapes() {
    let pieces = [(0, "a\x1b[3"), (1, "warning\n"), (0, "1mb\n")];
    assert_eq!(shown(pieces), "awarning\nb\n");
}

#[test]
fn output_after_flush_starts_on_empty_screen() {
    let (mut terminal, mut text) = (TerminalText::default(), String::new());
    terminal.push(0, "one\n10 %\x1b[3", &mut |done| text.push_str(done));
    terminal.flush(&mut |done| text.push_str(done));
    assert_eq!(text, "one\n10 %");
    text.clear();
    terminal.push(0, "1m\r20 %\x1b[A\n", &mut |done| text.push_str(done));
    terminal.flush(&mut |done| text.push_str(done));
    assert_eq!(text, "20 %\n");
}

const fn nonzero(number: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(number).expect("it is not zero")
}

/// The output of programs, in small pieces.
fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
    let piece = prop::sample::select(vec![
        "a",
        "bc",
        "d e",
        "\u{e9}",
        "\u{6771}",
        "\t",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\x08",
        "\x1b[31m",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[A",
        "\x1b[2A",
        "\x1b[C",
        "\x1b[4C",
        "\x1b[2D",
        "\x1b[5G",
        "\x1b[J",
        "\x1b[1J",
        "\x1b[2J",
        "\x1b[H",
        "\x1b[3;4H",
        "\x1b[P",
        "\x1b[2@",
        "\x1b[2X",
        "\x1b[L",
        "\x1b[M",
        "\x1b7",
        "\x1b8",
        "\x1b]0;t\x07",
    ]);
    prop::collection::vec(piece, 0..40)
}

/// Returns lines with tabs as blanks, and without blanks at ends.
fn plain(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let mut plain = String::new();
        let mut column = 0;
        for char in line.chars() {
            let width = if char == '\t' { 8 - column % 8 } else { 1 };
            column += width;
            match char {
                '\t' => plain.extend(std::iter::repeat_n(' ', width)),
                char => plain.push(char),
            }
        }
        plain.trim_end().to_owned()
    };
    let mut lines: Vec<_> = text.lines().map(line).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

proptest! {
    #[test]
    fn text_without_control_characters_is_unchanged(text in "([ -~\t\n\u{e0}-\u{fc}\u{300}\u{6771}]|\r\n){0,300}") {
        prop_assert_eq!(shown([(0, &*text)]), text);
    }

    #[test]
    fn many_lines_are_unchanged(lines in prop::collection::vec("[a-z]{0,9}", 0..400), cut in 0..4000_usize) {
        let text = lines.join("\n");
        let cut = cut.min(text.len());
        prop_assert_eq!(shown([(0, &text[..cut]), (1, &text[cut..])]), text);
    }

    #[test]
    fn it_is_the_same_wherever_it_is_cut(pieces in pieces()) {
        let text = pieces.concat();
        let expected = shown([(0, &*text)]);
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            prop_assert_eq!(&shown([(0, &text[..cut]), (0, &text[cut..])]), &expected);
        }
        let mut bytes = text.char_indices().map(|(at, char)| (0, &text[at..at + char.len_utf8()]));
        prop_assert_eq!(&shown(&mut bytes), &expected);
    }

    /// An emulator with a window shows the same, as long as nothing reaches its edges. Emulators
    /// differ in their treatment of the halves of wide characters.
    #[test]
    fn text_matches_a_terminals_display(pieces in pieces()) {
        let text = pieces.concat().replace('\u{6771}', "x");
        let mut terminal = vt100::Parser::new(const { nonzero(60) }, const { nonzero(500) }, 0);
        terminal.process(text.replace('\n', "\r\n").as_bytes());
        prop_assert_eq!(plain(&shown([(0, &*text)])), plain(&terminal.screen().contents()), "{:?}", text);
    }
}
