//! The text that a terminal would show of an output, resolved while the output arrives.
//!
//! Redrawn text is there once, in its last state; colours, titles and links are gone. Lines are as
//! long as they were written: unlike an emulator with a window, this one has no width, so it wraps
//! nothing, keeps tabs and accents, and holds only the last rows, which a cursor can reach. `vte`,
//! the parser of Alacritty, reads the escape sequences. Text without them passes as it is.

mod cells;
mod cursor;
mod row;
mod screen;

use memchr::memchr3;
use vte::Parser;

use self::screen::OutputScreen;

/// Resolves the output of a command. Each of its streams may be in the middle of a sequence.
#[derive(Default)]
pub(crate) struct TerminalText {
    screen: OutputScreen,
    streams: [EscapeReader; 2],
}

/// The state of the sequence that a stream is in the middle of.
#[derive(Default)]
struct EscapeReader {
    parser: Parser,
    /// The number of bytes since the sequence began; 0 outside of one.
    length: usize,
}

/// Returns the text that a terminal would show of the whole output of a command: redrawn text is
/// there once, and colours, titles and pages of full-screen programs are gone.
///
/// ```
/// use silcrow_shell::terminal_text;
///
/// assert_eq!(terminal_text("10 %\r\x1b[32mdone\x1b[0m\r\n"), "done\n");
/// ```
pub fn terminal_text(output: &str) -> String {
    let (mut terminal, mut text) = (TerminalText::default(), String::new());
    terminal.push(0, output, &mut |done| text.push_str(done));
    terminal.flush(&mut |done| text.push_str(done));
    text.replace("\r\n", "\n")
}

impl TerminalText {
    /// Takes text of a stream, and passes on the part that no later text can change.
    pub(crate) fn push(&mut self, stream: usize, text: &str, done: &mut dyn FnMut(&str)) {
        let Self { screen, streams } = self;
        let Some(reader) = streams.get_mut(stream) else { return };
        let mut rest = text;
        while !rest.is_empty() {
            if reader.length > 0 {
                rest = reader.read(rest, screen, done);
                continue;
            }
            let at = memchr3(ESCAPE, b'\r', BACKSPACE, rest.as_bytes()).unwrap_or(rest.len());
            screen.print(&rest[..at], done);
            match rest.as_bytes().get(at) {
                Some(&ESCAPE) => reader.begin(screen),
                Some(b'\r') => screen.carriage_return(),
                Some(_) => screen.backspace(),
                None => return,
            }
            rest = &rest[at + 1..];
        }
    }

    /// Passes on all that is on the screen, which is empty afterwards. A sequence whose end has not
    /// come yet stays begun.
    pub(crate) fn flush(&mut self, done: &mut dyn FnMut(&str)) {
        self.screen.flush(done);
    }
}

impl EscapeReader {
    fn begin(&mut self, screen: &mut OutputScreen) {
        self.length = 1;
        self.parser.advance(&mut Heard::new(screen, &mut |_| {}), &[ESCAPE]);
    }

    /// Continues to read a sequence, and returns the text after the part that it has read.
    fn read<'t>(
        &mut self,
        text: &'t str,
        screen: &mut OutputScreen,
        done: &mut dyn FnMut(&str),
    ) -> &'t str {
        for (at, byte) in text.bytes().enumerate() {
            // No sequence has a line break, and one without an end must not swallow the rest.
            if byte == b'\n' || self.length == LONGEST {
                *self = Self::default();
                // The rest of a character is not shown.
                return &text[text.ceil_char_boundary(at)..];
            }
            self.length += 1;
            let mut heard = Heard::new(screen, done);
            self.parser.advance(&mut heard, &[byte]);
            if heard.is_over {
                self.length = 0;
                return &text[text.ceil_char_boundary(at + 1)..];
            }
        }
        ""
    }
}

/// Passes the parser's results on to the screen, and records whether the sequence is over.
struct Heard<'a> {
    screen: &'a mut OutputScreen,
    done: &'a mut dyn FnMut(&str),
    is_over: bool,
}

impl<'a> Heard<'a> {
    fn new(screen: &'a mut OutputScreen, done: &'a mut dyn FnMut(&str)) -> Self {
        Self { screen, done, is_over: false }
    }
}

impl vte::Perform for Heard<'_> {
    fn print(&mut self, char: char) {
        self.screen.print(char.encode_utf8(&mut [0; 4]), self.done);
        self.is_over = true;
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\r' => self.screen.carriage_return(),
            BACKSPACE => self.screen.backspace(),
            CANCEL | SUBSTITUTE => self.is_over = true,
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &vte::Params, marks: &[u8], _: bool, action: char) {
        self.is_over = true;
        let mut numbers = [0; 2];
        for (number, param) in numbers.iter_mut().zip(params) {
            *number = param.first().copied().unwrap_or(0);
        }
        self.screen.control(marks, numbers, action, self.done);
    }

    fn esc_dispatch(&mut self, marks: &[u8], _: bool, byte: u8) {
        self.is_over = true;
        if marks.is_empty() {
            self.screen.escape(byte, self.done);
        }
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], ends_with_bell: bool) {
        // Otherwise it ends with a sequence.
        self.is_over |= ends_with_bell;
    }
}

impl std::fmt::Debug for TerminalText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalText").finish_non_exhaustive()
    }
}

const ESCAPE: u8 = 0x1b;
const BACKSPACE: u8 = 0x08;
const CANCEL: u8 = 0x18;
const SUBSTITUTE: u8 = 0x1a;

/// The length of the longest sequence, in bytes. An image in one may be long.
const LONGEST: usize = 1 << 20;

#[cfg(test)]
mod tests;
