//! A question to the person about a call, answered by one key.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use silcrow_exec::{ApprovalDecision, ApprovalScope};
use silcrow_term::{Line, Style, TextRole};
use tokio::sync::oneshot;

use super::draft::Draft;
use super::signs::LineSigns;

/// A question for a person, with the way back for the answer.
pub(crate) struct LiveQuestion {
    /// The rows of the question, safe to show.
    pub(crate) text: String,
    pub(crate) tool: String,
    /// Whether the call has a risk, so that only this call can be allowed.
    pub(crate) is_risky: bool,
    /// What a rule for this folder would allow and where it is kept, in words that are safe to show.
    pub(crate) folder_rule: Option<String>,
    pub(crate) wanted: WantedReply,
    pub(crate) answer: oneshot::Sender<QuestionReply>,
}

/// What answers a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedReply {
    /// A yes or a no about a call.
    Decision,
    /// Words.
    Words,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionReply {
    Decided(ApprovalDecision),
    /// Yes, and a rule that allows such calls in this folder from now on.
    AllowInFolder,
    /// No, and the run stops.
    Stop,
    /// The words that were wanted, or `None` if the person gives none.
    Words(Option<String>),
}

/// A question that is on the screen.
pub(super) struct ShownQuestion {
    question: LiveQuestion,
    /// The words that are wanted, or those of a no, while they are typed.
    words: Option<Draft>,
    /// Whether rows in the middle were never shown.
    is_partial: bool,
}

/// What a key does with a question.
pub(super) enum QuestionStep {
    /// The answer was given.
    Answered(&'static str),
    /// The run stops.
    Stopped,
    /// The meaning of the keys is asked for.
    Explain,
    /// All rows are asked for.
    ShowAll,
    /// A yes to rows that were never shown, which is not taken.
    Unseen,
    /// The question waits.
    Waits,
}

impl ShownQuestion {
    /// Takes a question for a terminal with so many rows.
    pub(super) fn new(question: LiveQuestion, screen: usize) -> Self {
        let is_partial = question.text.lines().count() > SCREENS * screen.max(MIN_SCREEN);
        let words = (question.wanted == WantedReply::Words).then(Draft::default);
        Self { question, words, is_partial }
    }

    /// Returns the rows of the question as they are shown on a terminal with so many rows. A very
    /// long question is shown in part until all of it is asked for.
    pub(super) fn text(&self, screen: usize) -> Vec<String> {
        let rows: Vec<_> = self.question.text.lines().map(str::to_owned).collect();
        if !self.is_partial {
            return rows;
        }
        let screen = screen.max(MIN_SCREEN);
        // The row about what is not shown stays on the screen, above the status and the keys.
        let (first, last) = (screen / 2, (screen * 3 / 4 - 4).max(8));
        let [number, hidden] = [rows.len(), rows.len().saturating_sub(first + last)];
        let gap =
            format!("-- {hidden} of {number} rows are not shown here; o shows all of them --");
        let end = rows.len() - last;
        [&rows[..first], &[gap], &rows[end..]].concat()
    }

    /// Returns all rows, which count as shown from now on.
    pub(super) fn show_all(&mut self) -> Vec<String> {
        self.is_partial = false;
        self.question.text.lines().map(str::to_owned).collect()
    }

    /// Returns whether nobody waits for the answer any more.
    pub(super) fn is_taken_back(&self) -> bool {
        self.question.answer.is_closed()
    }

    /// Returns the row of keys, or the words of a no.
    pub(super) fn rows(&self, signs: &LineSigns, columns: usize) -> Vec<Line> {
        if let Some(words) = &self.words {
            let label = match self.question.wanted {
                WantedReply::Decision => {
                    "No, because (Enter sends it to the model, Esc goes back):"
                }
                WantedReply::Words => "Your answer (Enter gives it, Esc gives none):",
            };
            let label = Line::styled(label, Style::of(TextRole::Warning));
            let mut rows = label.wrap(columns, 0);
            let empty = || Line::styled(signs.prompt, Style::of(TextRole::Accent));
            rows.push(words.row(signs, columns).unwrap_or_else(empty));
            return rows;
        }
        let mut line = Line::new();
        for (key, meaning) in self.keys() {
            if !line.is_empty() {
                line.push("  ", Style::PLAIN);
            }
            line.push(key, Style::of(TextRole::Accent).bold());
            line.push(&format!(" {meaning}"), Style::PLAIN);
        }
        line.wrap(columns, 0)
    }

    /// Returns the lines that explain the keys.
    pub(super) fn explanation(&self, columns: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for (key, _) in self.keys() {
            let text = match key {
                "y" => "yes, this call, once",
                "a" => {
                    "yes, and such calls until the conversation ends: what the row `always` says"
                }
                "f" => {
                    "yes, and such calls in this folder from now on, also in other conversations"
                }
                "n" => "no; the model reads that you did not allow it, and may try another way",
                "o" => "all rows of the question; a yes before that is Y",
                "w" => "no, with words of yours that the model reads",
                "s" => "no, and the run stops; the conversation can be continued",
                _ => "this explanation",
            };
            let text = match (key, &self.question.folder_rule) {
                ("f", Some(rule)) => format!("{text} ({rule})"),
                _ => text.to_owned(),
            };
            let line = Line::styled(&format!("  {key} "), Style::of(TextRole::Accent).bold());
            lines.extend(line.with(&text, Style::PLAIN).wrap(columns, 4));
        }
        lines
    }

    /// Takes a key. Every other key than those of the row is ignored, so that nothing is answered by
    /// mistake.
    pub(super) fn key(this: &mut Option<Self>, key: KeyEvent) -> QuestionStep {
        let Some(shown) = this else { return QuestionStep::Waits };
        if let Some(words) = &mut shown.words {
            if shown.question.wanted == WantedReply::Words {
                return match (key.code, words.key(key)) {
                    (KeyCode::Esc, _) => Self::answer(this, QuestionReply::Words(None), "none"),
                    (_, Some(words)) => {
                        Self::answer(this, QuestionReply::Words(Some(words)), "sent")
                    }
                    (_, None) => QuestionStep::Waits,
                };
            }
            if key.code == KeyCode::Esc {
                shown.words = None;
            } else if let Some(words) = words.key(key) {
                return Self::answer(this, no(Some(&words)), "no");
            }
            return QuestionStep::Waits;
        }
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return QuestionStep::Waits;
        }
        let KeyCode::Char(char) = key.code else { return QuestionStep::Waits };
        let typed = char.to_ascii_lowercase().to_string();
        if !shown.keys().any(|(key, _)| key == typed) {
            return QuestionStep::Waits;
        }
        if shown.is_partial && matches!(char, 'y' | 'a' | 'A' | 'f' | 'F') {
            return QuestionStep::Unseen;
        }
        let allow = |scope| QuestionReply::Decided(ApprovalDecision::Allow(scope));
        match &*typed {
            "y" => Self::answer(this, allow(ApprovalScope::Once), "yes"),
            "a" => Self::answer(this, allow(ApprovalScope::Conversation), "yes, always here"),
            "f" => Self::answer(this, QuestionReply::AllowInFolder, "yes, always in this folder"),
            "n" => Self::answer(this, no(None), "no"),
            "o" => QuestionStep::ShowAll,
            "w" => {
                shown.words = Some(Draft::default());
                QuestionStep::Waits
            }
            "s" => {
                Self::answer(this, QuestionReply::Stop, "no");
                QuestionStep::Stopped
            }
            _ => QuestionStep::Explain,
        }
    }

    /// Takes a text that was pasted, which only words of a no may be.
    pub(super) fn paste(&mut self, text: &str) {
        if let Some(words) = &mut self.words {
            words.paste(text);
        }
    }

    /// Returns the keys and what they mean.
    fn keys(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let LiveQuestion { is_risky, folder_rule, .. } = &self.question;
        let (is_risky, has_rule) = (*is_risky, folder_rule.is_some());
        let is_partial = self.is_partial;
        [
            ("o", "show all"),
            ("y", "yes"),
            ("a", "always in this conversation"),
            ("f", "always in this folder"),
            ("n", "no"),
            ("w", "no, with words"),
            ("s", "stop"),
            ("?", "help"),
        ]
        .into_iter()
        .filter(move |(key, _)| *key != "o" || is_partial)
        .filter(move |(key, _)| !(is_risky && *key == "a"))
        .filter(move |(key, _)| *key != "f" || (has_rule && !is_risky))
    }

    fn answer(this: &mut Option<Self>, reply: QuestionReply, said: &'static str) -> QuestionStep {
        if let Some(shown) = this.take() {
            let reply = match reply {
                QuestionReply::Decided(ApprovalDecision::Deny(words)) => {
                    let tool = &shown.question.tool;
                    let words = match &*words {
                        "" => format!("the person did not allow `{tool}`"),
                        words => format!("the person did not allow `{tool}`, and said: {words}"),
                    };
                    QuestionReply::Decided(ApprovalDecision::Deny(words))
                }
                reply => reply,
            };
            // The call may have been cancelled meanwhile.
            let _ = shown.question.answer.send(reply);
        }
        QuestionStep::Answered(said)
    }
}

/// The number of screens that a question may have to be shown whole at once.
const SCREENS: usize = 3;

/// The least number of rows that a terminal is taken to have.
const MIN_SCREEN: usize = 10;

fn no(words: Option<&str>) -> QuestionReply {
    QuestionReply::Decided(ApprovalDecision::Deny(words.unwrap_or_default().trim().to_owned()))
}
