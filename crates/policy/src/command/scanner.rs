//! The scanner of shell texts.
//!
//! It knows the part of the language that plain commands need, and for the rest only where commands
//! begin. Only a small part of the language is ever harmless, so no syntax tree is built: whatever
//! goes beyond that part makes the text opaque, and the scanner continues in order to find all
//! commands. It steps through the text once, and keeps open substitutions on a stack of its own, so
//! deep nesting costs neither time nor the stack of the thread.
//!
//! States: the innermost frame is unquoted or within double quotes. A frame is the text itself, a
//! pair of parentheses, a pair of backticks, or the braces of a variable.

use std::iter::Peekable;
use std::str::Chars;

use silcrow_sanitize::is_hidden;

use super::redirect::{HereDocument, Redirection};
use super::script::{ShellScript, ShellWord, SimpleCommand};

/// Finds the commands of a text.
pub(super) fn scan(text: &str) -> ShellScript {
    let mut script = ShellScript::default();
    if text.len() > MAX_LENGTH {
        script.note_opaque("it is too long to be checked");
        return script;
    }
    if text.contains(is_invisible) {
        script.note_opaque("it has a control character, or one that cannot be seen");
    }
    let frames = vec![Frame::new(FrameEnd::Text)];
    let mut scanner =
        ShellScanner { rest: text.chars().peekable(), frames, documents: Vec::new(), script };
    scanner.run();
    scanner.script
}

pub(super) struct ShellScanner<'a> {
    pub(super) rest: Peekable<Chars<'a>>,
    frames: Vec<Frame>,
    /// The here-documents whose texts begin after the current line.
    pub(super) documents: Vec<HereDocument>,
    pub(super) script: ShellScript,
}

/// A part of the text with commands of its own, and what is known of the current one.
pub(super) struct Frame {
    end: FrameEnd,
    /// Whether the position is within double quotes.
    is_quoted: bool,
    pub(super) command: SimpleCommand,
    pub(super) word: Option<ShellWord>,
    /// The redirection whose target is the next word.
    pub(super) redirection: Option<Redirection>,
    /// Whether an operator such as `|` needs another command.
    needs_command: bool,
}

impl Frame {
    fn new(end: FrameEnd) -> Self {
        let command = SimpleCommand::default();
        Self { end, is_quoted: false, command, word: None, redirection: None, needs_command: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameEnd {
    Text,
    Parenthesis,
    Backtick,
    Brace,
}

impl ShellScanner<'_> {
    fn run(&mut self) {
        while let Some(char) = self.rest.next() {
            if self.frames.len() > MAX_DEPTH {
                return self.opaque("it is nested too deeply to be checked");
            }
            match (self.frame().is_quoted, self.frame().end) {
                (true, _) => self.step_quoted(char),
                (false, FrameEnd::Brace) => self.step_in_brace(char),
                (false, _) => self.step(char),
            }
        }
        if self.frames.len() > 1 || self.frame().is_quoted || !self.documents.is_empty() {
            self.opaque("a quote, a parenthesis or a here-document has no end");
        }
        while self.frames.len() > 1 {
            self.pop();
        }
        self.end_command("");
        if self.frame().needs_command {
            self.opaque(INCOMPLETE);
        }
    }

    /// Takes a character within double quotes.
    fn step_quoted(&mut self, char: char) {
        match char {
            '"' => self.frame().is_quoted = false,
            '\\' => match self.rest.next() {
                Some('\n') => {}
                Some(next @ ('$' | '`' | '"' | '\\')) => self.push(next),
                Some(next) => {
                    self.push('\\');
                    self.push(next);
                }
                None => {}
            },
            '$' => self.dollar(),
            '`' => self.backtick(),
            _ => self.push(char),
        }
    }

    /// Takes a character within `${…}`.
    fn step_in_brace(&mut self, char: char) {
        match char {
            '}' => self.pop(),
            '\'' | '"' | '\\' | '$' | '`' => self.step(char),
            _ => self.push(char),
        }
    }

    /// Takes a character outside quotes.
    fn step(&mut self, char: char) {
        match char {
            ' ' | '\t' => self.end_word(),
            '\n' => {
                self.end_command("\n");
                self.read_documents();
            }
            '\\' => match self.rest.next() {
                Some('\n') => {}
                Some(next) => {
                    self.word().is_quoted = true;
                    self.push(next);
                }
                None => self.opaque(INCOMPLETE),
            },
            '\'' => self.single_quotes(),
            '"' => {
                self.word().is_quoted = true;
                self.frame().is_quoted = true;
            }
            '$' => self.dollar(),
            '`' => self.backtick(),
            '#' if self.frame().word.is_none() => {
                while self.rest.next_if(|next| *next != '\n').is_some() {}
            }
            ';' => self.end_command(";"),
            '|' => {
                if self.rest.next_if_eq(&'&').is_some() {
                    self.opaque("it sends errors through a pipe");
                }
                self.rest.next_if_eq(&'|');
                self.end_command("|");
            }
            '&' if self.rest.peek() == Some(&'>') => self.redirect('&'),
            '&' if self.rest.next_if_eq(&'&').is_some() => self.end_command("&&"),
            '&' => {
                self.opaque("it runs a command in the background");
                self.end_command("&");
            }
            '(' => {
                self.opaque(COMPOUND);
                self.end_command("(");
                self.frames.push(Frame::new(FrameEnd::Parenthesis));
            }
            ')' if self.frame().end == FrameEnd::Parenthesis => self.pop(),
            ')' => {
                self.opaque(COMPOUND);
                self.end_command(")");
            }
            '<' | '>' => self.redirect(char),
            '*' | '?' | '[' => {
                let word = self.word();
                word.glob.get_or_insert(word.text.len());
                self.push(char);
            }
            '~' if self.frame().word.is_none() => {
                if !matches!(self.rest.peek(), None | Some('/' | ' ' | '\t' | '\n' | ';')) {
                    self.opaque("it uses the home folder of another user");
                }
                self.push(char);
            }
            '{' => {
                if self.has_brace_expansion() {
                    self.opaque("it makes several words of one with braces");
                }
                self.push(char);
            }
            _ => self.push(char),
        }
    }

    fn single_quotes(&mut self) {
        self.word().is_quoted = true;
        loop {
            match self.rest.next() {
                Some('\'') => return,
                Some(char) => self.push(char),
                None => return self.opaque("a quote has no end"),
            }
        }
    }

    /// Takes what follows a `$`.
    fn dollar(&mut self) {
        let is_quoted = self.frame().is_quoted;
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                self.push_dynamic('$', SUBSTITUTION);
                self.frames.push(Frame::new(FrameEnd::Parenthesis));
            }
            Some('{') => {
                self.rest.next();
                self.push_dynamic('$', VARIABLE);
                self.frames.push(Frame::new(FrameEnd::Brace));
            }
            Some('\'' | '"') if !is_quoted => {
                self.push_dynamic('$', "it uses quotes that not every shell knows");
            }
            Some(next) if next.is_ascii_alphanumeric() || "_@*#?$!-[".contains(next) => {
                self.push_dynamic('$', VARIABLE);
            }
            None | Some(' ' | '\t' | '\n' | '/' | '|' | ')' | '"' | '\\') => self.push('$'),
            Some(_) => self.push_dynamic('$', VARIABLE),
        }
    }

    fn backtick(&mut self) {
        if let Some(open) = self.frames.iter().rposition(|frame| frame.end == FrameEnd::Backtick) {
            while self.frames.len() > open {
                self.pop();
            }
            return;
        }
        self.push_dynamic('`', SUBSTITUTION);
        self.frames.push(Frame::new(FrameEnd::Backtick));
    }

    /// Begins a process substitution, such as `<(…)`.
    pub(super) fn substitute_process(&mut self) {
        self.push_dynamic('<', SUBSTITUTION);
        self.frames.push(Frame::new(FrameEnd::Parenthesis));
    }

    /// Ends the innermost frame.
    fn pop(&mut self) {
        if self.frame().end == FrameEnd::Brace {
            let inner = self.frame().word.take().unwrap_or_default();
            self.frames.pop();
            self.word().text.push_str(&format!("{{{}}}", inner.text));
            return;
        }
        self.end_command(")");
        self.frames.pop();
    }

    /// Ends the current command at an operator.
    fn end_command(&mut self, operator: &str) {
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
        let is_prefix = |word: &ShellWord| KEYWORDS.iter().any(|known| word.is_keyword(known));
        while let Some(first) = command.words.first() {
            if is_prefix(first) {
                self.opaque(COMPOUND);
            } else if first.is_assignment() {
                self.opaque("it sets a variable");
            } else {
                break;
            }
            command.words.remove(0);
        }
        if !command.words.is_empty() || !command.redirects.is_empty() {
            self.script.commands.push(command);
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

    /// Returns whether the shell may make several words of the braces that begin here.
    fn has_brace_expansion(&self) -> bool {
        let ahead = self.rest.clone().take(MAX_BRACES).collect::<String>();
        let Some((inner, _)) = ahead.split_once('}') else { return true };
        inner.contains("..") || inner.contains(|char| ",{'\"\\$`".contains(char))
    }

    fn push_dynamic(&mut self, char: char, why: &'static str) {
        self.opaque(why);
        self.word().is_dynamic = true;
        self.push(char);
    }

    fn push(&mut self, char: char) {
        self.word().text.push(char);
    }

    fn word(&mut self) -> &mut ShellWord {
        self.frame().word.get_or_insert_default()
    }

    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the frame of the text is never popped")
    }

    pub(super) fn opaque(&mut self, why: &'static str) {
        self.script.note_opaque(why);
    }
}

/// Returns whether a character may hide what a person would read.
fn is_invisible(char: char) -> bool {
    let is_usual = matches!(char, ' ' | '\n' | '\t');
    !is_usual && (char.is_control() || char.is_whitespace() || is_hidden(char))
}

/// The words of compound commands, which stand before a command.
const KEYWORDS: [&str; 20] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "coproc", "time", "{", "}", "!", "[[",
];

const COMPOUND: &str = "it has a subshell, a function, a loop or a condition";
const INCOMPLETE: &str = "it is not complete, or not what a shell can read";
const SUBSTITUTION: &str = "a part of it is the output of another command";
const VARIABLE: &str = "it uses a variable, whose value is not known here";

/// The length of the longest text that is scanned, in bytes.
const MAX_LENGTH: usize = 64 * 1024;
/// The depth of substitutions and subshells from which a text is not scanned further.
const MAX_DEPTH: usize = 64;
/// The number of characters in which the end of an expansion of braces is looked for.
const MAX_BRACES: usize = 256;
