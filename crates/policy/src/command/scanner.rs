//! The scanner of shell texts.
//!
//! This module reads the part of the language that plain commands need; of the rest it finds only
//! where commands begin. Only a small part of the language is ever harmless, so no syntax tree is
//! built: everything beyond that part makes the text opaque, and the scanner continues in order to
//! find all commands. It steps through the text once, and keeps open substitutions on its own
//! stack, so deep nesting costs neither time nor the stack of the thread.

use silcrow_sanitize::is_hidden;

use super::scan_state::{COMPOUND, INCOMPLETE, SUBSTITUTION, ScanFrame, ScanFrameEnd, ScanState};
use super::script::ShellScript;

impl ShellScript {
    /// Parses a text as both `sh` and `bash` read it. Text that the two read differently is opaque.
    pub(crate) fn parse(text: &str) -> Self {
        let mut state = ScanState::new(text);
        if text.len() > MAX_LENGTH {
            state.opaque("it is too long to be checked");
            return state.script;
        }
        if text.contains(is_invisible) {
            state.opaque("it has a control character, or one that cannot be seen");
        }
        state.run();
        state.script
    }
}

impl ScanState<'_> {
    fn run(&mut self) {
        while let Some(char) = self.rest.next() {
            if self.frames.len() > MAX_DEPTH {
                return self.opaque("it is nested too deeply to be checked");
            }
            match (self.frame().is_quoted, self.frame().end) {
                (true, _) => self.step_quoted(char),
                (false, ScanFrameEnd::Brace) => self.step_in_brace(char),
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
                self.frames.push(ScanFrame::new(ScanFrameEnd::Parenthesis));
            }
            ')' if self.frame().end == ScanFrameEnd::Parenthesis => self.pop(),
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
                if self.script.opaque.is_none() && self.has_brace_expansion() {
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

    /// Takes the text after a `$`.
    fn dollar(&mut self) {
        let is_quoted = self.frame().is_quoted;
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                self.push_dynamic('$', SUBSTITUTION);
                self.frames.push(ScanFrame::new(ScanFrameEnd::Parenthesis));
            }
            Some('{') => {
                self.rest.next();
                self.push_dynamic('$', VARIABLE);
                self.frames.push(ScanFrame::new(ScanFrameEnd::Brace));
            }
            Some('\'' | '"') if !is_quoted => {
                self.push_dynamic('$', "it uses quotes that not every shell knows");
            }
            Some(next) if next.is_ascii_alphanumeric() || "_@*#?$!-[".contains(next) => {
                self.push_dynamic('$', VARIABLE);
            }
            // Before a line break a backslash would join the `$` with the next line.
            Some('\\') if self.rest.clone().nth(1).is_none_or(|next| next == '\n') => {
                self.push_dynamic('$', VARIABLE);
            }
            None | Some(' ' | '\t' | '\n' | '/' | '|' | ')' | '"' | '\\') => self.push('$'),
            Some(_) => self.push_dynamic('$', VARIABLE),
        }
    }

    fn backtick(&mut self) {
        if let Some(open) =
            self.frames.iter().rposition(|frame| frame.end == ScanFrameEnd::Backtick)
        {
            while self.frames.len() > open {
                self.pop();
            }
            return;
        }
        self.push_dynamic('`', SUBSTITUTION);
        self.frames.push(ScanFrame::new(ScanFrameEnd::Backtick));
    }

    /// Returns whether the shell may make several words of the braces that begin here.
    fn has_brace_expansion(&self) -> bool {
        let ahead = self.rest.clone().take(MAX_BRACES).collect::<String>();
        let Some((inner, _)) = ahead.split_once('}') else { return true };
        inner.contains("..") || inner.contains(|char| ",{'\"\\$`".contains(char))
    }
}

/// Returns whether a character may hide text from a person.
fn is_invisible(char: char) -> bool {
    let is_usual = matches!(char, ' ' | '\n' | '\t');
    !is_usual && (char.is_control() || char.is_whitespace() || is_hidden(char))
}

const VARIABLE: &str = "it uses a variable, whose value is not known here";

/// The length of the longest text that is scanned, in bytes.
const MAX_LENGTH: usize = 64 * 1024;
/// The depth of substitutions and subshells at which the scan of a text stops.
const MAX_DEPTH: usize = 64;
/// The number of characters in which the end of a brace expansion is searched.
const MAX_BRACES: usize = 256;
