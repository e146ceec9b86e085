//! A terminal at the other end of a slow line: it takes bytes when the test lets it.

use super::TerminalWindow;
use crate::follow::model::{Answering, Model};
use crate::support::Sandbox;

/// Begins a session whose answer has begun to be written.
fn open(sandbox: &Sandbox) -> (TerminalWindow, Answering) {
    let model = Model::new();
    let command = sandbox.command(&["chat", "--model", &model.name()]);
    let mut window = TerminalWindow::open(&command, 80, 24);
    window.wait_for("›");
    window.press("go\r");
    let mut answering = model.asked();
    answering.send_text("§respond: It begins.\n\n");
    window.wait_for("It begins.");
    (window, answering)
}

/// An answer that is far longer than the buffer of a terminal.
fn paragraphs() -> Vec<String> {
    (1_000..3_000).map(|number| format!("Paragraph {number} ends here.\n\n")).collect()
}

#[test]
fn esc_stops_at_once_on_blocked_terminal() {
    let sandbox = Sandbox::new();
    let (mut window, mut answering) = open(&sandbox);
    window.allow(Some(0));
    answering.send_text(&paragraphs().concat());
    window.wait_until_full();
    window.press("\x1b");
    // The request has ended although nothing was read.
    answering.wait_until_left();
    window.allow(None);
    window.wait_for_both("stopped", "›");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn slow_terminal_gets_everything_exactly_once() {
    let sandbox = Sandbox::new();
    let (mut window, mut answering) = open(&sandbox);
    let begun = window.bytes().len();
    window.allow(Some(0));
    let paragraphs = paragraphs();
    for some in paragraphs.chunks(100) {
        answering.send_text(&some.concat());
    }
    answering.send_text("§end");
    answering.end();
    window.wait_until_full();
    // A second of a line of 1 kB/s.
    while !String::from_utf8_lossy(&window.bytes()).contains("Paragraph 1999") {
        window.take(1_000);
    }
    window.allow(None);
    window.wait_for_both("Paragraph 2999", "(Shift-Tab)");
    let bytes = window.bytes();
    let written = String::from_utf8_lossy(&bytes[begun..]);
    for paragraph in &paragraphs {
        let text = paragraph.trim_end();
        let times = written.matches(text).count();
        // The last rows of an answer change until they are complete.
        assert!((1..=2).contains(&times), "{text} was written {times} times");
    }
    let (written, whole) = (written.len(), paragraphs.concat().len());
    assert!(written < whole * 3 / 2, "{written} bytes for an answer of {whole}");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn answer_word_costs_few_bytes() {
    let sandbox = Sandbox::new();
    let (mut window, mut answering) = open(&sandbox);
    let begun = window.bytes().len();
    // Each word is seen before the next one is sent, so that each needs a drawing.
    for word in 100..100 + WORDS {
        answering.send_text(&format!("word{word} "));
        window.wait_for(&format!("word{word}"));
    }
    let each = (window.bytes().len() - begun) / WORDS;
    assert!(each <= MOST_EACH, "a word takes {each} bytes");
    answering.send_text("\n§end");
    answering.end();
    window.wait_for_both("word299", "(Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

/// The number of words that are sent one by one.
const WORDS: usize = 200;

/// The bytes that a word of seven letters may take: the word, the cursor's moves, and its part of the line of status,
/// which changes once a second.
const MOST_EACH: usize = 80;
