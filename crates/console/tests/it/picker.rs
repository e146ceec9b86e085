//! A list to pick from, as a window shows it.

use silcrow_console::live::{KeyCode, LiveScreen, PickerRow, PickerStep, RowPicker};
use silcrow_console::options::ConsoleOptions;

use crate::window::Emulator;

fn row(label: &str, text: &str) -> PickerRow {
    PickerRow { label: label.into(), text: text.into(), more: "/home/me".into() }
}

#[tokio::test]
async fn list_search_leaves_nothing_behind() {
    let (emulator, seen) = Emulator::new(60, 12);
    let mut screen = LiveScreen::new("script", emulator.terminal(), &ConsoleOptions::new());
    screen.show_line("before");
    let mut picker = RowPicker::new(vec![
        row("1 min ago", "Fix the parser of dates"),
        row("2 days ago", "Write a poem \x1b[2J"),
    ]);
    screen.draw_picker(Some(&picker));
    insta::assert_snapshot!("list", seen.borrow().shown());
    for char in "poem".chars() {
        assert_eq!(picker.key(KeyCode::Char(char).into()), PickerStep::Waits);
        screen.draw_picker(Some(&picker));
    }
    insta::assert_snapshot!("searched", seen.borrow().shown());
    assert_eq!(picker.key(KeyCode::Enter.into()), PickerStep::Picked(1));
    screen.draw_picker(None);
    assert_eq!(seen.borrow().shown(), "before");
}
