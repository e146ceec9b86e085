use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use silcrow_term::Style;

use super::*;

/// A terminal that an area writes to.
#[derive(Clone)]
struct Emulator(Arc<Mutex<vt100::Parser>>);

impl Write for Emulator {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().process(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Shown {
    area: LiveArea,
    emulator: Emulator,
    size: TerminalSize,
}

impl Shown {
    fn new(columns: u16, rows: u16) -> Self {
        let parser = vt100::Parser::new(nonzero(rows), nonzero(columns), 0);
        let emulator = Emulator(Arc::new(Mutex::new(parser)));
        let area = LiveArea::new(FrameOutput::direct(Box::new(emulator.clone())), Theme::PLAIN);
        let size = TerminalSize { columns: columns.into(), rows: rows.into() };
        Self { area, emulator, size }
    }

    /// Draws, and returns the rows of the terminal up to the last one with text.
    fn update(&mut self, done: &[&str], rows: &[&str]) -> Vec<String> {
        self.update_at(done, rows, None)
    }

    /// Draws with the cursor in a row.
    fn update_at(
        &mut self,
        done: &[&str],
        rows: &[&str],
        cursor: Option<(usize, usize)>,
    ) -> Vec<String> {
        let row = |text: &str| DoneLine::Row(Line::styled(text, Style::PLAIN));
        let done: Vec<_> = done.iter().map(|line| row(line)).collect();
        let rows: Vec<_> = rows.iter().map(|row| Line::styled(row, Style::PLAIN)).collect();
        self.area.update(&done, &rows, cursor, self.size);
        let parser = self.emulator.0.lock().unwrap();
        let contents = parser.screen().contents();
        contents.trim_end().lines().map(|row| row.trim_end().to_owned()).collect()
    }
}

fn nonzero(count: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(count).unwrap()
}

#[test]
fn complete_lines_are_written_once_above_changing_rows() {
    let mut shown = Shown::new(40, 10);
    assert_eq!(shown.update(&[], &["one", "status 1"]), ["one", "status 1"]);
    assert_eq!(shown.update(&["done"], &["status 2"]), ["done", "status 2"]);
    assert_eq!(shown.update(&[], &["a", "b", "c"]), ["done", "a", "b", "c"]);
    assert_eq!(shown.update(&["more", "yet more"], &[]), ["done", "more", "yet more"]);
    assert_eq!(shown.update(&[], &["again"]), ["done", "more", "yet more", "again"]);
}

#[test]
fn unchanged_rows_are_not_redrawn() {
    let mut shown = Shown::new(40, 10);
    shown.update(&[], &["one"]);
    // Nothing would bring these back.
    shown.emulator.write_all(b"\x1b[2J\x1b[H").unwrap();
    assert_eq!(shown.update(&[], &["one"]), [""; 0]);
    assert_eq!(shown.update(&[], &["two"]), ["two"]);
}

#[test]
fn rows_are_cut_to_width_and_height() {
    let mut shown = Shown::new(20, 4);
    let long = "a row that is far wider than the terminal";
    let rows = shown.update(&[], &["first", long, "東京東京東京東京東京東京", "last"]);
    assert_eq!(rows.len(), 3);
    assert!(rows[0].starts_with("a row that is") && rows[2] == "last", "{rows:?}");
    assert_eq!(shown.update(&["done"], &["status"]), ["done", "status"]);
}

#[test]
fn narrowed_terminal_keeps_no_leftover_rows() {
    let mut shown = Shown::new(60, 12);
    let wide = "x".repeat(55);
    shown.update(&["done"], &[&wide, "status"]);
    // The terminal wraps its text, as most do.
    let mut narrow = Shown::new(20, 12);
    narrow.emulator.write_all(format!("done\r\n{wide}\r\nstatus").as_bytes()).unwrap();
    narrow.area.drawn = shown.area.drawn;
    assert_eq!(narrow.update(&[], &["status"]), ["done", "status"]);
    narrow.size = TerminalSize { columns: 60, rows: 12 };
    assert_eq!(narrow.update(&["more"], &["status"]), ["done", "more", "status"]);
}

#[test]
fn forgotten_rows_stay_on_screen() {
    let mut shown = Shown::new(40, 10);
    shown.update(&[], &["status"]);
    shown.emulator.write_all(b"\r\n").unwrap();
    shown.area.forget();
    assert_eq!(shown.update(&[], &["status"]), ["status", "status"]);
}

#[test]
fn cursor_is_placed_and_rows_below_erased() {
    let mut shown = Shown::new(40, 10);
    let at = |shown: &Shown| shown.emulator.0.lock().unwrap().screen().cursor_position();
    shown.update_at(&["done"], &["> text", "menu", "menu"], Some((0, 3)));
    assert_eq!(at(&shown), (1, 3));
    assert_eq!(shown.update_at(&["more"], &["> text"], Some((0, 6))), ["done", "more", "> text"]);
    assert_eq!(at(&shown), (2, 6));
    shown.update_at(&[], &["a", "b", "c"], Some((1, 0)));
    assert_eq!(shown.update(&[], &[]), ["done", "more"]);
    // If the screen has too few rows, the cursor stays within the shown ones.
    let rows = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    shown.update_at(&[], &rows, Some((10, 2)));
    assert_eq!(shown.update(&["end"], &[]), ["more", "end"]);
}

#[test]
fn cursor_in_rewrapped_row_leaves_no_leftovers() {
    let mut narrow = Shown::new(20, 12);
    let wide = "x".repeat(55);
    narrow
        .emulator
        .write_all(format!("done\r\n{wide}\r\nmenu\x1b[2A\r\x1b[5C").as_bytes())
        .unwrap();
    let row = |text: &str| Line::styled(text, Style::PLAIN);
    narrow.area.drawn = vec![row(&wide), row("menu")];
    // The second of its three rows.
    narrow.area.cursor = Some((0, 25));
    assert_eq!(narrow.update(&[], &["status"]), ["done", "status"]);
}

#[test]
fn appending_a_word_costs_few_bytes() {
    let mut shown = Shown::new(80, 24);
    let answer = "a paragraph that is written word by";
    shown.update(&[], &["first row", answer, "status", "> draft"]);
    let sent = Arc::new(Mutex::new(Vec::new()));
    shown.area.out = FrameOutput::direct(Box::new(Copied(Arc::clone(&sent))));
    let longer = format!("{answer} word");
    let rows = [&*longer, "status", "> draft"];
    shown.update(&[], &["first row", rows[0], rows[1], rows[2]]);
    let bytes = sent.lock().unwrap().len();
    assert!(bytes < 50, "{bytes} bytes: {:?}", String::from_utf8_lossy(&sent.lock().unwrap()));
}

/// A writer that keeps everything.
struct Copied(Arc<Mutex<Vec<u8>>>);

impl Write for Copied {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn any_change_shows_all_lines_and_rows() {
    const TEXTS: [&str; 8] =
        ["", "a", "a word", "a word more", "a w\u{f6}rd", "\u{6771}\u{4eac} word", "e\u{301}", "e"];
    let mut shown = Shown::new(20, 6);
    let (mut lines, mut top) = (Vec::new(), 0);
    let mut state: u32 = 7;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(state >> 16).unwrap() % below
    };
    for step in 0..1_000 {
        let mut texts = |most: usize| -> Vec<&str> {
            (0..random(most)).map(|_| TEXTS[random(TEXTS.len())]).collect()
        };
        let (done, rows) = (texts(4), texts(5));
        let cursor = (!rows.is_empty() && random(2) == 0).then(|| (random(rows.len()), random(4)));
        shown.update_at(&done, &rows, cursor);
        lines.extend_from_slice(&done);
        let all: Vec<_> = lines.iter().copied().chain(rows.iter().copied()).collect();
        // Without rows the cursor still takes an empty one, and the terminal never scrolls back.
        let needed = all.len() + usize::from(rows.is_empty());
        top = top.max(needed.saturating_sub(6));
        let expected = all[top..].to_vec();
        let parser = shown.emulator.0.lock().unwrap();
        let screen: Vec<_> = parser.screen().rows(0, 20).collect();
        let there: Vec<_> = screen.iter().map(|row| row.trim_end()).take(expected.len()).collect();
        assert_eq!(there, expected, "step {step}: {done:?} {rows:?}");
        assert!(screen[expected.len()..].iter().all(|row| row.trim().is_empty()), "step {step}");
        if let Some((row, column)) = cursor {
            let at = (expected.len() - rows.len() + row, column);
            let (row, column) = parser.screen().cursor_position();
            assert_eq!((usize::from(row), usize::from(column)), at, "step {step}");
        }
    }
}
