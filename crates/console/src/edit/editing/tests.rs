use super::*;
use crate::edit::{LineOffer, LineOffers};

/// Offers names of commands for a first word, and files after `@`.
struct Names;

impl LineAid for Names {
    fn offers(&self, before: &str, is_asked: bool) -> LineOffers {
        let (start, names) = match before.rsplit_once('@') {
            Some((front, _)) => (front.len() + 1, &["src/", "src/main.rs"][..]),
            None if before.starts_with('/') || is_asked => (0, &["/copy ", "/cost "][..]),
            None => return LineOffers::default(),
        };
        let typed = &before[start..];
        let names = names.iter().filter(|name| name.starts_with(typed) && **name != typed);
        let offer = |name: &&str| LineOffer {
            shown: (*name).to_owned(),
            about: String::new(),
            replacement: (*name).to_owned(),
        };
        LineOffers { start, list: names.map(offer).collect() }
    }

    fn hint(&self, _: &str) -> Option<String> {
        None
    }

    fn change_mode(&self) {}
}

struct Typist {
    editing: Editing,
    history: TypedHistory,
}

impl Typist {
    fn new(lines: &[&str]) -> Self {
        let mut history = TypedHistory::default();
        lines.iter().for_each(|line| history.add(line));
        Self { editing: Editing::default(), history }
    }

    fn press(&mut self, key: impl Into<KeyEvent>) -> EditStep {
        let last = self.history.lines().last().map(String::as_str);
        let scene = EditScene { aid: &Names, history: &self.history, last };
        self.editing.key(key.into(), &scene)
    }

    fn write(&mut self, text: &str) {
        for char in text.chars() {
            assert_eq!(self.press(KeyCode::Char(char)), EditStep::Waits, "{char}");
        }
    }

    fn control(&mut self, char: char) -> EditStep {
        self.press(KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL))
    }

    fn text(&self) -> String {
        self.editing.buffer.whole()
    }
}

#[test]
fn line_is_typed_corrected_and_sent() {
    let mut typist = Typist::new(&[]);
    typist.write("fix teh test\\");
    assert_eq!(typist.press(KeyCode::Enter), EditStep::Waits, "the line continues");
    typist.write("now");
    typist.press(KeyCode::Up);
    typist.control('a');
    typist.press(KeyEvent::new(KeyCode::Char('f'), KeyModifiers::ALT));
    typist.control('k');
    typist.write(" the test");
    assert_eq!(typist.press(KeyCode::Enter), EditStep::Sent);
    assert_eq!(typist.text(), "fix the test\nnow");
}

#[test]
fn history_keeps_the_unsent_line() {
    let mut typist = Typist::new(&["one", "two"]);
    typist.write("three");
    typist.press(KeyCode::Up);
    typist.press(KeyCode::Up);
    typist.press(KeyCode::Up);
    assert_eq!(typist.text(), "one");
    typist.press(KeyCode::Down);
    assert_eq!(typist.text(), "two");
    typist.press(KeyCode::Down);
    assert_eq!(typist.text(), "three");
    typist.press(KeyCode::Down);
    assert_eq!(typist.text(), "three");
}

#[test]
fn command_menu_sends_the_chosen_command() {
    let mut typist = Typist::new(&["/cost"]);
    typist.write("/co");
    assert!(typist.editing.menu.is_some());
    assert_eq!(typist.press(KeyCode::Esc), EditStep::Waits);
    assert!(typist.editing.menu.is_none());
    typist.press(KeyCode::Backspace);
    typist.press(KeyCode::Down);
    typist.press(KeyCode::Down);
    assert_eq!(typist.press(KeyCode::Enter), EditStep::Sent);
    assert_eq!(typist.text(), "/cost ");
    // A line of before opens none, so that the keys go on through the lines.
    let mut typist = Typist::new(&["older", "/cost"]);
    typist.press(KeyCode::Up);
    typist.press(KeyCode::Up);
    assert_eq!(typist.text(), "older");
    // Enter without a choice sends the typed text.
    let mut typist = Typist::new(&[]);
    typist.write("/co");
    assert_eq!(typist.press(KeyCode::Enter), EditStep::Sent);
    assert_eq!(typist.text(), "/co");
}

#[test]
fn tab_completes_common_prefix_then_an_offer() {
    let mut typist = Typist::new(&[]);
    typist.write("read @s");
    typist.editing.menu = None;
    typist.press(KeyCode::Tab);
    assert_eq!(typist.text(), "read @src/");
    typist.press(KeyCode::Tab);
    assert_eq!(typist.text(), "read @src/main.rs");
}

#[test]
fn double_esc_clears_line_then_recalls_prompt() {
    let mut typist = Typist::new(&["the last"]);
    typist.write("not this");
    typist.press(KeyCode::Esc);
    assert_eq!(typist.text(), "not this");
    typist.press(KeyCode::Esc);
    assert_eq!(typist.text(), "");
    typist.press(KeyCode::Esc);
    typist.press(KeyCode::Esc);
    assert!(typist.editing.has_taken_back);
    assert_eq!(typist.text(), "the last");
    typist.control('_');
    assert_eq!(typist.text(), "");
    typist.control('_');
    assert_eq!(typist.text(), "not this", "nothing that was typed is lost");
}

#[test]
fn question_mark_helps_only_on_empty_line() {
    let mut typist = Typist::new(&[]);
    assert_eq!(typist.press(KeyCode::Char('?')), EditStep::Help);
    typist.write("why?");
    assert_eq!(typist.text(), "why?");
}

#[test]
fn keys_lead_out_of_the_line() {
    let mut typist = Typist::new(&[]);
    assert_eq!(typist.control('d'), EditStep::End);
    typist.write("ab");
    typist.press(KeyCode::Home);
    assert_eq!(typist.control('d'), EditStep::Waits);
    assert_eq!(typist.text(), "b");
    assert_eq!(typist.control('c'), EditStep::Interrupted);
    assert_eq!(typist.control('g'), EditStep::Outside);
    typist.control('x');
    assert_eq!(typist.control('e'), EditStep::Outside);
    assert_eq!(typist.control('e'), EditStep::Waits);
    assert_eq!(typist.control('r'), EditStep::Search);
    assert_eq!(typist.control('v'), EditStep::Picture);
}

#[test]
fn pasted_text_runs_nothing() {
    let mut typist = Typist::new(&[]);
    typist.editing.paste("/exit\n?\n@src");
    assert!(typist.editing.menu.is_none());
    assert_eq!(typist.text(), "/exit\n?\n@src");
}
