//! Asks the terminal of this process whether its background is light, and whether it can tell
//! Shift-Enter from Enter.
//!
//! The terminal is asked for its colour and its keys, and then for its kind, which every terminal
//! answers. So the wait also ends for a terminal that ignores the first questions. Keys that are
//! typed meanwhile are kept.

use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::system;

/// A question to the terminal of this process that waits for its answer.
#[derive(Debug)]
pub struct AskedTerminal(JoinHandle<Vec<u8>>);

impl AskedTerminal {
    /// Asks. The terminal must neither echo keys nor wait for whole lines, and nobody else may read
    /// from it.
    pub fn begin() -> Option<Self> {
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        if is_dumb || ASKED.swap(true, Ordering::Relaxed) {
            return None;
        }
        let is_far = env::var_os("SSH_CONNECTION").is_some();
        let wait = if is_far { FAR } else { NEAR };
        let thread = thread::Builder::new().name("background".to_owned());
        thread.spawn(move || system::ask_terminal(QUESTION, is_answered, wait)).ok().map(Self)
    }

    /// Waits for the answer for a short time, and returns the keys that were typed meanwhile.
    pub fn finish(self) -> String {
        let Ok(read) = self.0.join() else { return String::new() };
        let TerminalAnswer { is_light, tells_keys, typed } = TerminalAnswer::parse(&read);
        if tells_keys {
            TELLS_KEYS.store(true, Ordering::Relaxed);
        }
        if let Some(is_light) = is_light {
            let _ = LIGHT.set(is_light);
        }
        typed
    }
}

/// Returns whether the background is light, if the terminal or the environment has said so.
pub(crate) fn is_light() -> bool {
    LIGHT.get().copied().or_else(of_variable).unwrap_or(false)
}

/// Returns whether the terminal tells modified keys apart, once it was asked to.
pub(crate) fn tells_keys() -> bool {
    TELLS_KEYS.load(Ordering::Relaxed)
}

/// Returns the numbers of the colours of text and background, which some terminals put into the
/// environment.
fn of_variable() -> Option<bool> {
    let value = env::var("COLORFGBG").ok()?;
    let background: u8 = value.rsplit(';').next()?.parse().ok()?;
    Some(matches!(background, 7 | 9..=15))
}

/// The answers of a terminal.
#[derive(Debug, PartialEq, Eq)]
struct TerminalAnswer {
    is_light: Option<bool>,
    /// Whether it supports the keyboard protocol that tells modified keys apart.
    tells_keys: bool,
    /// The text that the person typed.
    typed: String,
}

impl TerminalAnswer {
    fn parse(read: &[u8]) -> Self {
        let text = String::from_utf8_lossy(read);
        let (mut is_light, mut tells_keys, mut typed, mut rest) =
            (None, false, String::new(), &*text);
        while let Some(at) = rest.find('\x1b') {
            typed.push_str(&rest[..at]);
            let sequence = &rest[at + 1..];
            let (body, end) = match sequence.strip_prefix(']') {
                Some(body) => {
                    let end = body.find(['\x07', '\x1b']).unwrap_or(body.len());
                    let is_string_end = body[end..].starts_with("\x1b\\");
                    (Some(&body[..end]), 1 + end + if is_string_end { 2 } else { 1 })
                }
                // A key, or the kind of the terminal: up to the letter that ends it.
                None => {
                    let end = sequence.find(|char: char| char.is_ascii_alphabetic() || char == '~');
                    let end = end.map_or(sequence.len(), |end| end + 1);
                    tells_keys |= sequence.starts_with("[?") && sequence[..end].ends_with('u');
                    (None, end)
                }
            };
            is_light =
                is_light.or_else(|| luminance(body?.strip_prefix("11;rgb:")?).map(is_bright));
            rest = sequence.get(end..).unwrap_or_default();
        }
        typed.push_str(rest);
        typed.retain(|char| !char.is_control());
        Self { is_light, tells_keys, typed }
    }
}

/// Returns the relative luminance of a colour such as `1e1e/1e1e/1e1e`, from 0 to 1.
fn luminance(color: &str) -> Option<f64> {
    let mut parts = color.split('/').map(|part| {
        let most = 16_f64.powi(i32::try_from(part.len()).ok()?) - 1.0;
        let value = f64::from(u16::from_str_radix(part, 16).ok()?) / most;
        Some(if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) })
    });
    let [red, green, blue] = [parts.next()??, parts.next()??, parts.next()??];
    Some(0.2126 * red + 0.7152 * green + 0.0722 * blue)
}

fn is_bright(luminance: f64) -> bool {
    luminance > 0.5
}

/// Returns whether the terminal has reported its kind, which comes last.
fn is_answered(read: &[u8]) -> bool {
    let mut rest = read;
    while let Some(begin) = rest.windows(3).position(|bytes| bytes == b"\x1b[?") {
        rest = &rest[begin + 3..];
        let end = rest.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';');
        if end.is_some_and(|end| rest[end] == b'c') {
            return true;
        }
    }
    false
}

/// The questions for the colour of the background, the keyboard protocol, and the kind of the
/// terminal.
const QUESTION: &[u8] = b"\x1b]11;?\x07\x1b[?u\x1b[c";

/// The time in which a terminal on this machine answers.
const NEAR: Duration = Duration::from_millis(40);

/// The time in which one at the other end of a network answers.
const FAR: Duration = Duration::from_millis(200);

/// The answer of the terminal.
static LIGHT: OnceLock<bool> = OnceLock::new();

/// Whether the terminal was asked.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal tells modified keys apart.
static TELLS_KEYS: AtomicBool = AtomicBool::new(false);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_reply_is_found_among_keys() {
        for (read, is_light, typed) in [
            ("\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?62;22c", Some(true), ""),
            ("\x1b]11;rgb:0/0/0\x07\x1b[?1u\x1b[?62;22c", Some(false), ""),
            ("\x1b]11;rgb:1e/1e/2e\x1b\\\x1b[?1;2c", Some(false), ""),
            ("fix\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\ it\x1b[?6c", Some(true), "fix it"),
            ("\x1b[?62c", None, ""),
            ("a\x1b[A\r\x1b[3~b", None, "ab"),
            ("\x1b]11;rgb:12", None, ""),
            ("\x1b]11;none\x07x", None, "x"),
            ("", None, ""),
        ] {
            let tells_keys = read.contains("[?1u");
            let expected = TerminalAnswer { is_light, tells_keys, typed: typed.to_owned() };
            assert_eq!(TerminalAnswer::parse(read.as_bytes()), expected, "{read:?}");
        }
    }

    #[test]
    fn terminal_reply_ends_with_device_attributes() {
        assert!(!is_answered(b"\x1b]11;rgb:ffff/ffff/ffff\x07"));
        assert!(!is_answered(b"abc"));
        assert!(!is_answered(b"\x1b[?1u"));
        assert!(is_answered(b"\x1b[?1u\x1b[?6c"));
        assert!(is_answered(b"\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[?62;22c"));
    }
}
