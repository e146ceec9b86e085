//! The line that is typed between two runs, as a person sees it.

use std::sync::{Arc, Mutex};

use silcrow_console::edit::{EditedLine, LineAid, LineOffer, LineOffers, PromptEditor};
use silcrow_console::live::{KeyCode, KeyEvent, KeyModifiers, Keyboard, LiveScreen, TypedInput};
use silcrow_console::options::ConsoleOptions;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::window::{Emulator, EmulatorState};

/// Offers two commands.
struct TwoCommands;

impl LineAid for TwoCommands {
    fn offers(&self, before: &str, _: bool) -> LineOffers {
        let names = ["/cost", "/copy"]
            .iter()
            .filter(|name| before.starts_with('/') && name.starts_with(before));
        let offer = |name: &&str| LineOffer {
            shown: (*name).to_owned(),
            about: "does something".to_owned(),
            replacement: (*name).to_owned(),
        };
        LineOffers { start: 0, list: names.map(offer).collect() }
    }

    fn hint(&self, line: &str) -> Option<String> {
        line.is_empty().then(|| "ask (Shift-Tab)".to_owned())
    }

    fn change_mode(&self) {}

    fn take_picture(&self) -> Option<String> {
        Some("took a picture".to_owned())
    }
}

struct TypedWindow {
    keys: mpsc::Sender<std::io::Result<TypedInput>>,
    seen: watch::Receiver<EmulatorState>,
    screen: Arc<Mutex<LiveScreen>>,
    reading: tokio::task::JoinHandle<EditedLine>,
}

impl TypedWindow {
    fn open(columns: u16, rows: u16) -> Self {
        let (emulator, seen) = Emulator::new(columns, rows);
        let screen = LiveScreen::new("script", emulator.terminal(), &ConsoleOptions::new());
        let screen = Arc::new(Mutex::new(screen));
        let (keys, typed) = mpsc::channel(256);
        let mut typed = Some(typed);
        let keyboard = move || Ok(Keyboard::of_channel(typed.take().unwrap()));
        let runtime = tokio::runtime::Handle::current();
        let (shown, aid) = (Arc::clone(&screen), Box::new(TwoCommands));
        let reading = tokio::task::spawn_blocking(move || {
            PromptEditor::new(shown, keyboard, aid, None, runtime).read("").unwrap()
        });
        Self { keys, seen, screen, reading }
    }

    async fn press(&self, code: KeyCode) {
        self.keys.send(Ok(TypedInput::Key(code.into()))).await.unwrap();
    }

    async fn write(&self, text: &str) {
        for char in text.chars() {
            self.press(KeyCode::Char(char)).await;
        }
    }

    async fn wait_for(&mut self, text: &str) {
        let long = std::time::Duration::from_secs(60);
        let done = self.seen.wait_for(|state| state.shown() == text);
        let is_done = matches!(timeout(long, done).await, Ok(Ok(_)));
        assert!(is_done, "waited for\n{text}\nin\n{}", self.seen.borrow().shown());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn menu_below_the_line_leaves_nothing_behind() {
    let mut window = TypedWindow::open(40, 12);
    window.wait_for("› ask (Shift-Tab)").await;
    window.write("/co").await;
    window.wait_for("› /co\n  › /cost  does something\n    /copy  does something").await;
    // A line of the program is above it.
    window.screen.lock().unwrap().show_line("named the conversation");
    window.press(KeyCode::Down).await;
    window.press(KeyCode::Down).await;
    let menu = "› /co\n    /cost  does something\n  › /copy  does something";
    window.wait_for(&format!("named the conversation\n{menu}")).await;
    window.press(KeyCode::Enter).await;
    let sent = EditedLine::Sent { text: "/copy".to_owned(), replaces_last: false };
    assert_eq!((&mut window.reading).await.unwrap(), sent);
    window.wait_for("named the conversation\n› /copy").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn line_wraps_around_a_long_paste() {
    let mut window = TypedWindow::open(24, 12);
    window.write("see ").await;
    let text = (1..=300).map(|line| format!("line {line}\r")).collect::<String>();
    window.keys.send(Ok(TypedInput::Paste(text))).await.unwrap();
    window.wait_for("› see\n  [paste 1: 300 lines]").await;
    window.write(" now").await;
    let left = KeyEvent::new(KeyCode::Left, KeyModifiers::NONE);
    window.keys.send(Ok(TypedInput::Key(left))).await.unwrap();
    window.press(KeyCode::Enter).await;
    let EditedLine::Sent { text, .. } = (&mut window.reading).await.unwrap() else { panic!() };
    assert!(text.starts_with("see line 1\nline 2\n") && text.ends_with("line 300\n now"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pasting_a_picture_keeps_the_line() {
    let mut window = TypedWindow::open(40, 12);
    window.write("see").await;
    let key = KeyEvent::new(KeyCode::Char('v'), KeyModifiers::CONTROL);
    window.keys.send(Ok(TypedInput::Key(key))).await.unwrap();
    window.wait_for("took a picture\n› see").await;
    window.keys.send(Ok(TypedInput::Paste(String::new()))).await.unwrap();
    window.wait_for("took a picture\ntook a picture\n› see").await;
    window.press(KeyCode::Enter).await;
    let sent = EditedLine::Sent { text: "see".to_owned(), replaces_last: false };
    assert_eq!((&mut window.reading).await.unwrap(), sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_terminal_ends_the_line() {
    let window = TypedWindow::open(40, 12);
    drop(window.keys);
    assert_eq!(window.reading.await.unwrap(), EditedLine::End);
}
