//! The effects of keys on a line that is typed.
//!
//! This module handles keys, the menu and the lines that were sent before. It draws nothing, and
//! reads no keyboard.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::LineAid;
use super::line_buffer::LineBuffer;
use super::offer_menu::OfferMenu;
use super::typed_history::TypedHistory;
use super::vi_keys::{ViKeys, ViStep};

/// A line while it is typed.
#[derive(Debug, Default)]
pub(super) struct Editing {
    pub(super) buffer: LineBuffer,
    pub(super) menu: Option<OfferMenu>,
    /// The line of the history that is shown, counted from its end, and the text before it.
    recalled: Option<(usize, String)>,
    /// Whether Esc was pressed, so that a second one clears the line or takes the last prompt back.
    pub(super) is_escaping: bool,
    /// Whether the last prompt was taken back.
    pub(super) has_taken_back: bool,
    /// Whether Ctrl-X was pressed.
    is_chord: bool,
    /// The keys of vi.
    vi: ViKeys,
}

/// The result of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EditStep {
    Waits,
    Sent,
    Interrupted,
    End,
    /// The keys are to be explained.
    Help,
    /// The line is to be edited by the person's own program.
    Outside,
    /// The lines that were sent before are to be searched.
    Search,
    /// The picture of the clipboard is to be taken.
    Picture,
    Suspend,
}

/// The surroundings of the line.
pub(super) struct EditScene<'a> {
    pub(super) aid: &'a dyn LineAid,
    pub(super) history: &'a TypedHistory,
    /// The last prompt, which Esc Esc takes back.
    pub(super) last: Option<&'a str>,
}

impl Editing {
    pub(super) fn new(initial: &str) -> Self {
        let mut editing = Self::default();
        if !initial.is_empty() {
            editing.buffer.set(initial);
        }
        editing
    }

    /// Takes a pasted text, which never opens a menu and runs nothing.
    pub(super) fn paste(&mut self, text: &str) {
        self.settle();
        self.buffer.paste_text(text);
    }

    /// Replaces the whole line.
    pub(super) fn set(&mut self, text: &str) {
        self.settle();
        self.buffer.set(text);
    }

    /// Returns whether keys are commands of vi.
    pub(super) const fn is_commanding(&self) -> bool {
        self.vi.is_normal()
    }

    fn settle(&mut self) {
        self.menu = None;
        self.is_escaping = false;
        self.is_chord = false;
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent, scene: &EditScene<'_>) -> EditStep {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let was_escaping = std::mem::take(&mut self.is_escaping);
        let was_chord = std::mem::take(&mut self.is_chord);
        if was_chord && control && key.code == KeyCode::Char('e') {
            return EditStep::Outside;
        }
        if let Some(step) = self.menu_key(key, scene) {
            return step;
        }
        if scene.aid.has_vi_keys() {
            let step = self.vi.key(key, &mut self.buffer);
            match step {
                ViStep::Usual => {}
                ViStep::Done => self.recalled = None,
                ViStep::Up => self.up(scene),
                ViStep::Down => self.down(scene),
            }
            if step != ViStep::Usual {
                self.menu = None;
                return EditStep::Waits;
            }
        }
        self.menu = None;
        match key.code {
            KeyCode::Esc => self.escape(was_escaping, scene),
            KeyCode::Enter if alt || key.modifiers.contains(KeyModifiers::SHIFT) => {
                self.buffer.type_char('\n')
            }
            KeyCode::Enter => {
                let at = self.buffer.at();
                if !self.buffer.text()[..at].ends_with('\\') {
                    return EditStep::Sent;
                }
                self.buffer.replace(at - 1, at, "\n");
            }
            KeyCode::Tab => self.complete(scene),
            KeyCode::BackTab => scene.aid.change_mode(),
            KeyCode::Backspace if alt => self.cut(self.buffer.word_start(false)),
            KeyCode::Backspace => self.change(scene, LineBuffer::backspace),
            KeyCode::Delete => self.change(scene, LineBuffer::delete),
            KeyCode::Left if control || alt => self.buffer.move_to(self.buffer.word_start(false)),
            KeyCode::Right if control || alt => self.buffer.move_to(self.buffer.word_end()),
            KeyCode::Left => self.buffer.move_to(self.buffer.previous()),
            KeyCode::Right => self.buffer.move_to(self.buffer.next()),
            KeyCode::Home => self.buffer.move_to(self.buffer.line_start()),
            KeyCode::End => self.buffer.move_to(self.buffer.line_end()),
            KeyCode::Up => self.up(scene),
            KeyCode::Down => self.down(scene),
            KeyCode::Char(char) if control => return self.control(char, scene),
            KeyCode::Char(char) if alt => self.alt(char),
            KeyCode::Char('?') if self.buffer.is_empty() => return EditStep::Help,
            KeyCode::Char(char) => self.change(scene, |buffer| buffer.type_char(char)),
            _ => {}
        }
        EditStep::Waits
    }

    /// Applies a key to the open menu, if it has a meaning there.
    fn menu_key(&mut self, key: KeyEvent, scene: &EditScene<'_>) -> Option<EditStep> {
        let menu = self.menu.as_mut()?;
        let control = key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Up => menu.go(false),
            KeyCode::Down => menu.go(true),
            KeyCode::Char('p') if control => menu.go(false),
            KeyCode::Char('n') if control => menu.go(true),
            KeyCode::Esc => self.menu = None,
            KeyCode::Tab => self.take(scene),
            KeyCode::Enter if menu.is_chosen && key.modifiers.is_empty() => {
                let is_command = menu.offers.start == 0;
                self.take(scene);
                if is_command {
                    return Some(EditStep::Sent);
                }
            }
            _ => return None,
        }
        Some(EditStep::Waits)
    }

    /// Puts the chosen offer into the line.
    fn take(&mut self, scene: &EditScene<'_>) {
        let Some(menu) = self.menu.take() else { return };
        let (start, replacement) = (menu.offers.start, &menu.chosen().replacement);
        self.buffer.replace(start, self.buffer.at(), replacement);
        // After a folder, its contents are offered.
        if replacement.ends_with(['/', ':']) {
            self.offer(scene, false);
        }
    }

    /// Completes the word before the cursor, or shows the candidates.
    fn complete(&mut self, scene: &EditScene<'_>) {
        self.offer(scene, true);
        let Some(menu) = &self.menu else { return };
        let (start, at) = (menu.offers.start, self.buffer.at());
        let typed = &self.buffer.text()[start..at];
        let common = menu.common();
        if menu.offers.list.len() == 1 {
            self.take(scene);
        } else if common.len() > typed.len() && common.starts_with(typed) {
            let common = common.to_owned();
            self.buffer.replace(start, at, &common);
            self.offer(scene, true);
        }
    }

    /// Opens the menu for the text before the cursor.
    fn offer(&mut self, scene: &EditScene<'_>, is_asked: bool) {
        let (text, at) = (self.buffer.text(), self.buffer.at());
        self.menu = OfferMenu::open(scene.aid.offers(&text[..at], is_asked));
    }

    fn change(&mut self, scene: &EditScene<'_>, change: impl FnOnce(&mut LineBuffer)) {
        change(&mut self.buffer);
        self.recalled = None;
        self.offer(scene, false);
    }

    fn cut(&mut self, to: usize) {
        self.buffer.cut_to(to);
    }

    fn escape(&mut self, is_second: bool, scene: &EditScene<'_>) {
        match (is_second, self.buffer.is_empty(), scene.last) {
            (false, true, None) => {}
            (false, ..) => self.is_escaping = true,
            (true, false, _) => self.buffer.set(""),
            (true, true, Some(last)) => {
                self.buffer.set(last);
                self.has_taken_back = true;
            }
            (true, true, None) => {}
        }
    }

    fn control(&mut self, char: char, scene: &EditScene<'_>) -> EditStep {
        let buffer = &mut self.buffer;
        match char {
            'a' => buffer.move_to(buffer.line_start()),
            'e' => buffer.move_to(buffer.line_end()),
            'b' => buffer.move_to(buffer.previous()),
            'f' => buffer.move_to(buffer.next()),
            'k' => buffer.cut_to(buffer.line_end()),
            'u' => buffer.cut_to(buffer.line_start()),
            'w' => buffer.cut_to(buffer.word_start(true)),
            'y' => buffer.insert_cut(),
            'h' => self.change(scene, LineBuffer::backspace),
            'j' => buffer.type_char('\n'),
            'd' if buffer.is_empty() => return EditStep::End,
            'd' => self.change(scene, LineBuffer::delete),
            'p' => self.up(scene),
            'n' => self.down(scene),
            // Terminals send the same byte for these.
            '_' | '7' | '/' => drop(buffer.undo()),
            'x' => self.is_chord = true,
            'g' => return EditStep::Outside,
            'r' => return EditStep::Search,
            'v' => return EditStep::Picture,
            'c' => return EditStep::Interrupted,
            'z' => return EditStep::Suspend,
            _ => {}
        }
        EditStep::Waits
    }

    fn alt(&mut self, char: char) {
        let buffer = &mut self.buffer;
        match char {
            'b' => buffer.move_to(buffer.word_start(false)),
            'f' => buffer.move_to(buffer.word_end()),
            'd' => buffer.cut_to(buffer.word_end()),
            _ => {}
        }
    }

    /// Moves a line up, or to the line that was sent before.
    fn up(&mut self, scene: &EditScene<'_>) {
        if let Some(at) = self.buffer.above() {
            return self.buffer.move_to(at);
        }
        let lines = scene.history.lines();
        let back = self.recalled.as_ref().map_or(0, |(back, _)| back + 1);
        if let Some(line) = lines.len().checked_sub(back + 1).map(|index| &lines[index]) {
            let typed = match self.recalled.take() {
                Some((_, typed)) => typed,
                None => self.buffer.whole(),
            };
            self.buffer.set(line);
            self.recalled = Some((back, typed));
        }
    }

    /// Moves a line down, or to the line that was sent after, and at last to the typed text.
    fn down(&mut self, scene: &EditScene<'_>) {
        if let Some(at) = self.buffer.below() {
            return self.buffer.move_to(at);
        }
        let Some((back, typed)) = self.recalled.take() else { return };
        let lines = scene.history.lines();
        match back.checked_sub(1) {
            Some(back) => {
                self.buffer.set(&lines[lines.len() - 1 - back]);
                self.recalled = Some((back, typed));
            }
            None => self.buffer.set(&typed),
        }
    }
}

#[cfg(test)]
mod tests;
