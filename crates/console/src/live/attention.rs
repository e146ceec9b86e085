//! How the terminal calls the person who looks elsewhere: notifications, the title of the window, and progress.
//!
//! All of it is escape sequences with words of this program and the name of a folder, never words
//! of a model.

use std::env;
use std::fmt::Write as _;
use std::time::Duration;

use silcrow_sanitize::sanitize_line;
use silcrow_term::fit::shortened;
use tokio::time::Instant;

use super::LiveScreen;
use crate::options::NotifyWay;

/// The calls for attention of a terminal.
#[derive(Debug)]
pub(super) struct Attention {
    way: NotifyWay,
    /// Whether sequences pass through tmux.
    is_wrapped: bool,
    /// The words after the name of the program in the title.
    name: String,
    since: Option<Instant>,
    is_titled: bool,
}

/// The state of the run in the title of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TitleState {
    Idle,
    Works,
    Waits,
}

impl Attention {
    pub(super) fn new(way: NotifyWay) -> Self {
        let is_wrapped = env::var_os("TMUX").is_some();
        let way =
            if way == NotifyWay::Auto { of_environment(|name| env::var(name).ok()) } else { way };
        Self { way, is_wrapped, name: String::new(), since: None, is_titled: false }
    }

    /// Returns the sequences for the beginning of a run.
    fn begin(&mut self) -> String {
        self.since = Some(Instant::now());
        let mut out = self.title(TitleState::Works);
        self.progress(3, &mut out);
        out
    }

    /// Returns the sequences for a question that waits.
    fn ask(&mut self) -> String {
        let mut out = self.title(TitleState::Waits);
        self.notify("waits for your answer", &mut out);
        out
    }

    /// Returns the sequences for an answered question.
    fn answered(&mut self) -> String {
        self.title(TitleState::Works)
    }

    /// Returns the sequences for the end of a run.
    fn end(&mut self) -> String {
        let mut out = self.title(TitleState::Idle);
        self.progress(0, &mut out);
        if self.since.take().is_some_and(|since| since.elapsed() >= LONG) {
            self.notify("has finished", &mut out);
        }
        out
    }

    /// Returns the sequence that restores the title of the window.
    fn leave(&mut self) -> String {
        match std::mem::take(&mut self.is_titled) {
            true => "\x1b[23;2t".to_owned(),
            false => String::new(),
        }
    }

    fn title(&mut self, state: TitleState) -> String {
        if self.way == NotifyWay::Off {
            return String::new();
        }
        let first = if std::mem::replace(&mut self.is_titled, true) { "" } else { "\x1b[22;2t" };
        let sign = match state {
            TitleState::Idle => "",
            TitleState::Works => "\u{25cf} ",
            TitleState::Waits => "? ",
        };
        format!("{first}\x1b]2;{sign}silcrow: {}\x07", self.name)
    }

    /// Adds a notification with the name of the program.
    fn notify(&self, text: &str, out: &mut String) {
        let (name, text) = (&self.name, format!("silcrow {text}"));
        let sequence = match self.way {
            NotifyWay::Off => return,
            NotifyWay::Osc9 => format!("\x1b]9;{text}: {name}\x07"),
            NotifyWay::Osc777 => format!("\x1b]777;notify;{text};{name}\x07"),
            NotifyWay::Osc99 => format!("\x1b]99;;{text}: {name}\x1b\\"),
            NotifyWay::Bell | NotifyWay::Auto => String::new(),
        };
        if self.is_wrapped && !sequence.is_empty() {
            let _ = write!(out, "\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"));
        } else {
            out.push_str(&sequence);
        }
        // In tmux only a bell marks the window.
        if sequence.is_empty() || self.is_wrapped {
            out.push('\x07');
        }
    }

    /// Adds the sign that work goes on, or that it has ended. A terminal that does not support this
    /// would show a notification.
    fn progress(&self, state: u8, out: &mut String) {
        if self.way == NotifyWay::Osc9 && !self.is_wrapped {
            let _ = write!(out, "\x1b]9;4;{state}\x07");
        }
    }
}

impl LiveScreen {
    /// Sets how the terminal calls the person, and the name of the work, such as a folder.
    pub fn set_attention(&mut self, way: NotifyWay, name: &str) {
        self.attention = Attention::new(way);
        self.attention.name = shortened(&sanitize_line(name), LONGEST);
    }

    /// Gives the window its title back. It is called when the screen is not needed any more.
    pub fn leave(&mut self) {
        let sequence = self.attention.leave();
        self.area.write(&sequence);
        self.area.settle();
    }

    pub(super) fn call_at_begin(&mut self) {
        let sequence = self.attention.begin();
        self.area.write(&sequence);
    }

    pub(super) fn call_at_question(&mut self) {
        let sequence = self.attention.ask();
        self.area.write(&sequence);
    }

    pub(super) fn call_after_question(&mut self) {
        let sequence = self.attention.answered();
        self.area.write(&sequence);
    }

    pub(super) fn call_at_end(&mut self) {
        let sequence = self.attention.end();
        self.area.write(&sequence);
    }
}

/// Returns the sequence that the terminal of this environment supports. Any terminal supports a
/// bell.
fn of_environment(variable: impl Fn(&str) -> Option<String>) -> NotifyWay {
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    let term = variable("TERM").unwrap_or_default();
    let is_set = |name: &str| variable(name).is_some();
    match &*program {
        "iTerm.app" | "WezTerm" | "ghostty" => NotifyWay::Osc9,
        _ if term.contains("kitty") || is_set("KITTY_WINDOW_ID") => NotifyWay::Osc99,
        _ if term.starts_with("foot") || term.starts_with("rxvt") => NotifyWay::Osc777,
        _ if is_set("VTE_VERSION") || is_set("KONSOLE_VERSION") => NotifyWay::Osc777,
        _ => NotifyWay::Bell,
    }
}

/// The time after which the end of a run is worth a call.
const LONG: Duration = Duration::from_secs(15);

/// The number of characters of a name.
const LONGEST: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn attention(way: NotifyWay, is_wrapped: bool) -> Attention {
        Attention { way, is_wrapped, name: "site".to_owned(), since: None, is_titled: false }
    }

    #[tokio::test(start_paused = true)]
    async fn questions_and_long_run_ends_alert_the_person() {
        let mut calls = attention(NotifyWay::Osc9, false);
        let begin = calls.begin();
        assert_eq!(begin, "\x1b[22;2t\x1b]2;\u{25cf} silcrow: site\x07\x1b]9;4;3\x07");
        let asked = "\x1b]2;? silcrow: site\x07\x1b]9;silcrow waits for your answer: site\x07";
        assert_eq!(calls.ask(), asked);
        assert_eq!(calls.end(), "\x1b]2;silcrow: site\x07\x1b]9;4;0\x07", "it was short");
        calls.begin();
        tokio::time::advance(LONG).await;
        assert!(calls.end().ends_with("\x1b]9;silcrow has finished: site\x07"));
        assert_eq!((calls.leave(), calls.leave()), ("\x1b[23;2t".to_owned(), String::new()));
    }

    #[test]
    fn tmux_forwards_sequences_and_gets_a_bell() {
        let mut calls = attention(NotifyWay::Osc777, true);
        let asked = calls.ask();
        let inner =
            "\x1bPtmux;\x1b\x1b]777;notify;silcrow waits for your answer;site\x07\x1b\\\x07";
        assert!(asked.ends_with(inner), "{asked:?}");
        assert!(attention(NotifyWay::Bell, false).ask().ends_with("site\x07\x07"));
        assert_eq!(attention(NotifyWay::Off, false).ask(), "");
    }

    #[test]
    fn environment_identifies_the_terminal() {
        for (name, value, way) in [
            ("TERM_PROGRAM", "WezTerm", NotifyWay::Osc9),
            ("TERM", "xterm-kitty", NotifyWay::Osc99),
            ("VTE_VERSION", "7600", NotifyWay::Osc777),
            ("TERM_PROGRAM", "Apple_Terminal", NotifyWay::Bell),
        ] {
            let found = of_environment(|asked| (asked == name).then(|| value.to_owned()));
            assert_eq!(found, way, "{name}={value}");
        }
    }
}
