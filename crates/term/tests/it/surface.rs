//! The laws of the renderer, each over any bytes. Property tests, the corpus and the fuzz target
//! call them.

use silcrow_sanitize::sanitize_prose_line;
use silcrow_term::{Line, MarkdownStream, Options, Theme};
use unicode_segmentation::UnicodeSegmentation as _;

/// Checks the laws over a text, at a width, and with cuts that the bytes choose.
pub(crate) fn markdown(bytes: &[u8]) {
    let [width, seed, rest @ ..] = bytes else { return };
    let width = usize::from(*width) % 150 + 1;
    let text = String::from_utf8_lossy(rest);
    let whole = render(&text, width, &[]);
    check_lines(&whole, width);
    if width >= 24 && is_plain(&text) {
        let shown: String = whole.iter().map(|line| letters(line.text())).collect();
        assert_eq!(shown, letters(&text), "letters are lost, in `{text}`");
    }
    let every: Vec<_> = (1..text.len()).collect();
    assert_eq!(render(&text, width, &every), whole, "cut at each character, `{text}`");
    let mut state = u64::from(*seed) + 1;
    let some: Vec<_> = every.into_iter().filter(|_| is_chosen(&mut state)).collect();
    assert_eq!(render(&text, width, &some), whole, "cut at {some:?}, `{text}`");
    check_resized(&text, width);
}

/// Returns the lines of a text that is pushed in pieces. Checks after each piece that the final and
/// the open lines together equal the text so far as a document.
pub(crate) fn render(text: &str, width: usize, cuts: &[usize]) -> Vec<Line> {
    let mut stream = MarkdownStream::new(&Options::new(width));
    let mut done = Vec::new();
    let mut start = 0;
    for cut in cuts.iter().copied().chain([text.len()]) {
        if !text.is_char_boundary(cut) {
            continue;
        }
        stream.push(&text[start..cut]);
        start = cut;
        done.extend(stream.take_done());
        // Whether a carriage return belongs to a line break is known at the next character.
        let is_checked = !cuts.is_empty() && cut % (text.len() / CHECKED + 1) == 0;
        if is_checked && !text[..cut].ends_with('\r') {
            let mut screen = done.clone();
            screen.extend_from_slice(stream.open());
            assert_eq!(screen, render(&text[..cut], width, &[]), "the first {cut} of `{text}`");
        }
    }
    done.extend(stream.finish());
    done
}

fn check_lines(lines: &[Line], width: usize) {
    for line in lines {
        assert_eq!(sanitize_prose_line(line.text()), line.text());
        let text = line.text().trim_start_matches([' ', '│', '•']);
        assert!(line.width() <= width || text.graphemes(true).count() == 1, "{line}, {width}");
        assert_eq!(line.to_ansi(&Theme::PLAIN), line.text());
    }
}

/// Checks that another width in the middle of a text applies to the rest.
fn check_resized(text: &str, width: usize) {
    let middle = text.floor_char_boundary(text.len() / 2);
    let mut stream = MarkdownStream::new(&Options::new(width));
    stream.push(&text[..middle]);
    check_lines(&stream.take_done(), width);
    let narrow = width / 2 + 1;
    stream.set_width(narrow);
    check_lines(stream.open(), narrow);
    stream.push(&text[middle..]);
    check_lines(&stream.finish(), narrow);
}

/// Returns whether each letter of the text is shown, once and in order. That does not hold for
/// entities, titles and addresses of links, and cells of tables.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n') && !b"&[|<".contains(&byte))
}

fn letters(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphabetic).collect()
}

fn is_chosen(state: &mut u64) -> bool {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 61 == 0
}

/// The approximate number of comparisons of the screen for one text.
const CHECKED: usize = 8;
