//! The state of the scanner of shell texts: open frames, the current command and the current word.
//!
//! This module turns words into commands, and decides meanwhile what makes a text opaque. The
//! scanner interprets characters.
//!
//! States: the innermost frame is unquoted or within double quotes. A frame is the text itself, a
//! pair of parentheses, a pair of backticks, or the braces of a variable.

use std::iter::Peekable;
use std::str::Chars;

use super::harmless_variable;
use super::redirection::{HereDocument, Redirection};
use super::script::{ShellScript, ShellWord, SimpleCommand};

/// The state of the scanner in one text.
pub(super) struct ScanState<'a> {
    pub(super) rest: Peekable<Chars<'a>>,
    pub(super) frames: Vec<ScanFrame>,
    /// The here-documents whose texts begin after the current line.
    pub(super) documents: Vec<HereDocument>,
    pub(super) script: ShellScript,
}

/// A part of the text with commands of its own, and the facts about the current one.
pub(super) struct ScanFrame {
    pub(super) end: ScanFrameEnd,
    /// Whether the position is within double quotes.
    pub(super) is_quoted: bool,
    pub(super) command: SimpleCommand,
    pub(super) word: Option<ShellWord>,
    /// The redirection whose target is the next word.
    pub(super) redirection: Option<Redirection>,
    /// Whether an operator such as `|` needs another command.
    pub(super) needs_command: bool,
}

impl ScanFrame {
    pub(super) fn new(end: ScanFrameEnd) -> Self {
        let command = SimpleCommand::default();
        Self { end, is_quoted: false, command, word: None, redirection: None, needs_command: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScanFrameEnd {
    Text,
    Parenthesis,
    Backtick,
    Brace,
}

impl<'a> ScanState<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text.chars().peekable(),
            frames: vec![ScanFrame::new(ScanFrameEnd::Text)],
            documents: Vec::new(),
            script: ShellScript::default(),
        }
    }

    /// Begins a process substitution, such as `<(…)`.
    pub(super) fn substitute_process(&mut self) {
        self.push_dynamic('<', SUBSTITUTION);
        self.frames.push(ScanFrame::new(ScanFrameEnd::Parenthesis));
    }

    /// Ends the innermost frame.
    pub(super) fn pop(&mut self) {
        if self.frame().end == ScanFrameEnd::Brace {
            let inner = self.frame().word.take().unwrap_or_default();
            self.frames.pop();
            self.word().text.push_str(&format!("{{{}}}", inner.text));
            return;
        }
        self.end_command(")");
        self.frames.pop();
    }

    /// Ends the current command at an operator.
    pub(super) fn end_command(&mut self, operator: &str) {
        self.end_word();
        let frame = self.frame();
        let is_incomplete = frame.redirection.take().is_some();
        let mut command = std::mem::take(&mut frame.command);
        let is_empty = command.words.is_empty();
        frame.needs_command = match operator {
            "|" | "&&" => true,
            "\n" | "" => is_empty && frame.needs_command,
            _ => false,
        };
        if is_incomplete || (is_empty && matches!(operator, ";" | "|" | "&&" | "&")) {
            self.opaque(INCOMPLETE);
        }
        if is_empty && !command.redirects.is_empty() {
            self.opaque("it opens a file without a command");
        }
        self.take_prefix(&mut command);
        if !command.words.is_empty() || !command.redirects.is_empty() {
            self.script.commands.push(command);
        }
    }

    /// Takes the keywords and assignments in front of a command.
    fn take_prefix(&mut self, command: &mut SimpleCommand) {
        let is_keyword = |word: &ShellWord| KEYWORDS.iter().any(|known| word.is_keyword(known));
        let is_prefix = |word: &&ShellWord| is_keyword(word) || word.is_assignment();
        let prefix = command.words.iter().take_while(is_prefix).count();
        let is_alone = prefix == command.words.len();
        for word in command.words.drain(..prefix) {
            match is_keyword(&word) {
                true => self.script.note_opaque(COMPOUND),
                false if is_alone || !harmless_variable::is_harmless(&word) => {
                    self.script.note_opaque("it sets a variable");
                }
                false => self.script.sets_variables = true,
            }
        }
    }

    /// Ends the current word, which is an argument or the target of a redirection.
    pub(super) fn end_word(&mut self) {
        let frame = self.frame();
        let Some(mut word) = frame.word.take() else { return };
        if word.text == "[" {
            // This is the name of a command: a pattern needs the other bracket, too.
            word.glob = None;
        }
        match frame.redirection.take() {
            None => frame.command.words.push(word),
            Some(redirection) => {
                if let Some(why) = redirection.reason_against(&word) {
                    self.opaque(why);
                }
                if redirection == Redirection::HereString {
                    self.script.inputs.push(word.text.clone());
                }
                self.frame().command.redirects.push(word);
            }
        }
    }

    pub(super) fn push_dynamic(&mut self, char: char, why: &'static str) {
        self.opaque(why);
        self.word().is_dynamic = true;
        self.push(char);
    }

    pub(super) fn push(&mut self, char: char) {
        self.word().text.push(char);
    }

    pub(super) fn word(&mut self) -> &mut ShellWord {
        self.frame().word.get_or_insert_default()
    }

    pub(super) fn frame(&mut self) -> &mut ScanFrame {
        self.frames.last_mut().expect("the frame of the text is never popped")
    }

    pub(super) fn opaque(&mut self, why: &'static str) {
        self.script.note_opaque(why);
    }
}

/// The words of compound commands that precede a command.
const KEYWORDS: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "coproc", "time", "{", "}", "!", "[[",
];

pub(super) const COMPOUND: &str = "it has a subshell, a function, a loop or a condition";
pub(super) const INCOMPLETE: &str = "it is not complete, or not what a shell can read";
pub(super) const SUBSTITUTION: &str = "a part of it is the output of another command";
