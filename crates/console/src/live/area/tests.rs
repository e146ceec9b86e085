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
        let area = LiveArea::new(Box::new(emulator.clone()), Theme::PLAIN);
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
        let done: Vec<_> = done.iter().map(|line| (*line).to_owned()).collect();
        let rows: Vec<_> = rows.iter().map(|row| Line::styled(row, Style::PLAIN)).collect();
        self.area.update(&done, &rows, cursor, self.size).unwrap();
        let parser = self.emulator.0.lock().unwrap();
        let contents = parser.screen().contents();
        contents.trim_end().lines().map(|row| row.trim_end().to_owned()).collect()
    }
}

fn nonzero(count: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(count).unwrap()
}

#[test]
fn what_is_complete_is_written_once_and_the_rows_below_it_change() {
    let mut shown = Shown::new(40, 10);
    assert_eq!(shown.update(&[], &["one", "status 1"]), ["one", "status 1"]);
    assert_eq!(shown.update(&["done"], &["status 2"]), ["done", "status 2"]);
    assert_eq!(shown.update(&[], &["a", "b", "c"]), ["done", "a", "b", "c"]);
    assert_eq!(shown.update(&["more", "yet more"], &[]), ["done", "more", "yet more"]);
    assert_eq!(shown.update(&[], &["again"]), ["done", "more", "yet more", "again"]);
}

#[test]
fn rows_that_did_not_change_are_not_drawn_again() {
    let mut shown = Shown::new(40, 10);
    shown.update(&[], &["one"]);
    // Nothing would bring these back.
    shown.emulator.write_all(b"\x1b[2J\x1b[H").unwrap();
    assert_eq!(shown.update(&[], &["one"]), [""; 0]);
    assert_eq!(shown.update(&[], &["two"]), ["two"]);
}

#[test]
fn rows_are_cut_to_a_narrow_terminal_and_to_its_height() {
    let mut shown = Shown::new(20, 4);
    let long = "a row that is far wider than the terminal";
    let rows = shown.update(&[], &["first", long, "東京東京東京東京東京東京", "last"]);
    assert_eq!(rows.len(), 3);
    assert!(rows[0].starts_with("a row that is") && rows[2] == "last", "{rows:?}");
    assert_eq!(shown.update(&["done"], &["status"]), ["done", "status"]);
}

#[test]
fn a_terminal_that_became_narrower_keeps_no_part_of_the_rows() {
    let mut shown = Shown::new(60, 12);
    let wide = "x".repeat(55);
    shown.update(&["done"], &[&wide, "status"]);
    // The terminal wraps what is on it, as most do.
    let mut narrow = Shown::new(20, 12);
    narrow.emulator.write_all(format!("done\r\n{wide}\r\nstatus").as_bytes()).unwrap();
    narrow.area.drawn = shown.area.drawn;
    assert_eq!(narrow.update(&[], &["status"]), ["done", "status"]);
    narrow.size = TerminalSize { columns: 60, rows: 12 };
    assert_eq!(narrow.update(&["more"], &["status"]), ["done", "more", "status"]);
}

#[test]
fn rows_that_are_forgotten_stay_where_they_are() {
    let mut shown = Shown::new(40, 10);
    shown.update(&[], &["status"]);
    shown.emulator.write_all(b"\r\n").unwrap();
    shown.area.forget();
    assert_eq!(shown.update(&[], &["status"]), ["status", "status"]);
}

#[test]
fn the_cursor_is_where_it_is_wanted_and_the_rows_below_it_are_erased() {
    let mut shown = Shown::new(40, 10);
    let at = |shown: &Shown| shown.emulator.0.lock().unwrap().screen().cursor_position();
    shown.update_at(&["done"], &["> text", "menu", "menu"], Some((0, 3)));
    assert_eq!(at(&shown), (1, 3));
    assert_eq!(shown.update_at(&["more"], &["> text"], Some((0, 6))), ["done", "more", "> text"]);
    assert_eq!(at(&shown), (2, 6));
    shown.update_at(&[], &["a", "b", "c"], Some((1, 0)));
    assert_eq!(shown.update(&[], &[]), ["done", "more"]);
    // More rows than there are: the cursor stays within those that are shown.
    let rows = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
    shown.update_at(&[], &rows, Some((10, 2)));
    assert_eq!(shown.update(&["end"], &[]), ["more", "end"]);
}

#[test]
fn a_cursor_in_a_row_that_is_wrapped_by_now_leaves_no_part_of_the_rows() {
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
