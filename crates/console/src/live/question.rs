//! A question to the person about a call, answered by one key.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use silcrow_term::{Line, Style, TextRole};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::always::AlwaysWidth;
use super::draft::Draft;
use super::keyed_reply::KeyedReply;
use super::live_question::{LiveQuestion, WantedReply};
use super::question_reply::QuestionReply;
use super::signs::LineSigns;
use crate::question::picked;

/// A question that is on the screen.
pub(super) struct ShownQuestion {
    question: LiveQuestion,
    /// The rows of the question.
    rows: Vec<String>,
    /// The plan as the person saved it.
    saved: Option<String>,
    /// The wanted words, or the reason of a no, while they are typed.
    words: Option<Draft>,
    /// Whether the words are the numbers of the items that may run.
    is_picking: bool,
    /// Whether the person chooses the scope of a yes.
    is_choosing: bool,
    /// Whether rows in the middle were never shown.
    is_partial: bool,
}

/// The effect of a key on a question.
pub(super) enum QuestionStep {
    /// The answer was given.
    Answered(&'static str),
    /// The run stops.
    Stopped,
    /// The person asks for everything about the question, and for the meaning of the keys.
    Explain,
    /// A yes to rows that were never shown, which is not taken.
    Unseen,
    /// The question waits.
    Waits,
}

impl ShownQuestion {
    /// Takes a question for a terminal with so many rows, and the rows of its plan.
    pub(super) fn new(question: LiveQuestion, plan: Vec<String>, screen: usize) -> Self {
        let words = (question.wanted == WantedReply::Words).then(Draft::default);
        let mut shown = Self {
            question,
            rows: Vec::new(),
            saved: None,
            words,
            is_picking: false,
            is_choosing: false,
            is_partial: false,
        };
        shown.set_plan_rows(plan, screen);
        shown
    }

    /// Sets the rows of the plan, which come last.
    fn set_plan_rows(&mut self, plan: Vec<String>, screen: usize) {
        self.rows = self.question.text.lines().map(str::to_owned).chain(plan).collect();
        self.is_partial = self.rows.len() > room(&self.question, screen);
    }

    pub(super) fn edit_plan(&mut self, saved: String, rows: Vec<String>, screen: usize) {
        self.set_plan_rows(rows, screen);
        self.saved = Some(saved);
    }

    /// Returns the plan as it is now.
    pub(super) fn plan(&self) -> Option<&str> {
        self.saved.as_deref().or(self.question.plan.as_deref())
    }

    /// Returns whether an editor may open now.
    pub(super) const fn can_edit(&self) -> bool {
        self.words.is_none() && !self.is_choosing
    }

    /// Returns the rows of the question as they are shown on a terminal with so many rows. A long
    /// question is shown in part until the person asks for all of it.
    pub(super) fn text(&self, screen: usize) -> Vec<String> {
        let rows = self.rows.clone();
        let room = room(&self.question, screen);
        if !self.is_partial || rows.len() <= room {
            return rows;
        }
        // The rows that decide come last.
        let last = LAST.min(room / 2);
        let first = room - last - 1;
        let [number, hidden] = [rows.len(), rows.len() - first - last];
        let gap =
            format!("-- {hidden} of {number} rows are not shown here; ? shows all of them --");
        let end = rows.len() - last;
        [&rows[..first], &[gap], &rows[end..]].concat()
    }

    /// Returns all rows, which count as shown from now on.
    pub(super) fn show_all(&mut self) -> Vec<String> {
        self.is_partial = false;
        match &self.question {
            LiveQuestion { whole: Some(whole), plan: None, .. } => {
                whole.lines().map(str::to_owned).collect()
            }
            _ => self.rows.clone(),
        }
    }

    /// Returns whether nobody waits for the answer any more.
    pub(super) fn is_taken_back(&self) -> bool {
        self.question.answer.is_closed()
    }

    /// Returns the row of keys, or the words of a no.
    pub(super) fn rows(&self, signs: &LineSigns, columns: usize) -> Vec<Line> {
        if let Some(words) = &self.words {
            let label = match self.question.wanted {
                WantedReply::Decision if self.is_picking => {
                    "Those that may run, such as 1,3-5 (Enter sends it, Esc goes back):"
                }
                WantedReply::Decision => {
                    "No, because (Enter sends it to the model, Esc goes back):"
                }
                WantedReply::Words => "Your answer (Enter gives it, Esc gives none):",
            };
            let label = Line::styled(label, Style::new(TextRole::Warning));
            let mut rows = label.wrap(columns, 0);
            let empty = || Line::styled(signs.prompt, Style::new(TextRole::Accent));
            rows.push(words.row(signs, columns).unwrap_or_else(empty));
            return rows;
        }
        if self.is_choosing {
            return self.question.always.rows(columns);
        }
        let mut line = Line::new();
        for (key, meaning) in self.keys() {
            if !line.is_empty() {
                line.push("  ", Style::PLAIN);
            }
            line.push(key, Style::new(TextRole::Accent).bold());
            line.push(&format!(" {meaning}"), Style::PLAIN);
        }
        line.wrap(columns, 0)
    }

    /// Returns the lines that explain the keys.
    pub(super) fn explanation(&self, columns: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for (key, _) in self.keys() {
            let text = match key {
                "y" if self.question.items > 1 => "yes, the calls for all items, once each",
                "y" => "yes, this call, once",
                "o" => "yes, the calls for the items whose numbers you type; no to the others",
                "a" if self.question.always.only().is_some() => {
                    "yes, and such calls until the conversation ends: what the row `always` says"
                }
                "a" => "yes, and such calls later, too; you choose which",
                "n" => "no; the model reads that you did not allow it, and may try another way",
                "w" => "no, with words of yours that the model reads",
                "s" => "no, and the run stops; the conversation can be continued",
                "?" => "all that is known about the call, and this explanation",
                EDIT => "opens the plan in your editor; what you save is what you accept",
                other => self.other(other).map_or("", |other| other.explanation),
            };
            let line = Line::styled(&format!("  {key} "), Style::new(TextRole::Accent).bold());
            lines.extend(line.with_text(text, Style::PLAIN).wrap(columns, 4));
        }
        lines
    }

    /// Takes a key. Keys that the row does not name are ignored, so that nothing is answered by
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
                (shown.words, shown.is_picking) = (None, false);
            } else if shown.is_picking {
                let count = shown.question.items;
                let typed = words.key(key);
                let Some(typed) = typed else { return QuestionStep::Waits };
                let Some(allowed) = picked(&typed, count) else {
                    shown.words = Some(Draft::default());
                    return QuestionStep::Waits;
                };
                return Self::answer(this, some_items(allowed), "yes, some");
            } else if let Some(words) = words.key(key) {
                return Self::answer(this, no(Some(&words)), "no");
            }
            return QuestionStep::Waits;
        }
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return QuestionStep::Waits;
        }
        if shown.is_choosing {
            return Self::choose(this, key.code);
        }
        let KeyCode::Char(char) = key.code else { return QuestionStep::Waits };
        let typed = char.to_ascii_lowercase().to_string();
        if !shown.keys().any(|(key, _)| key == typed) {
            return QuestionStep::Waits;
        }
        if shown.is_partial
            && (matches!(char, 'y' | 'a' | 'A' | 'o') || shown.other(&typed).is_some())
        {
            return QuestionStep::Unseen;
        }
        let allow = |scope| QuestionReply::Decided(ApprovalDecision::Allow(scope));
        match &*typed {
            "y" if shown.question.items > 1 => {
                let all = (0..shown.question.items).collect();
                Self::answer(this, some_items(all), "yes, all")
            }
            "y" => Self::answer(this, allow(ApprovalScope::Once), "yes"),
            "o" if shown.question.items > 1 => {
                (shown.words, shown.is_picking) = (Some(Draft::default()), true);
                QuestionStep::Waits
            }
            "a" => match shown.question.always.only().map(|only| only.reply.clone()) {
                Some(reply) => Self::answer(this, reply, "yes, always"),
                None => {
                    shown.is_choosing = true;
                    QuestionStep::Waits
                }
            },
            "n" => Self::answer(this, no(None), "no"),
            "w" => {
                shown.words = Some(Draft::default());
                QuestionStep::Waits
            }
            "s" => {
                Self::answer(this, QuestionReply::Stop, "no");
                QuestionStep::Stopped
            }
            "?" => QuestionStep::Explain,
            other => match shown.other(other).cloned() {
                Some(KeyedReply { reply, .. }) => Self::answer(this, reply, "yes"),
                None => QuestionStep::Waits,
            },
        }
    }

    fn other(&self, key: &str) -> Option<&KeyedReply> {
        self.question.others.iter().find(|other| other.key == key)
    }

    /// Takes a text that was pasted, which only words of a no may be.
    pub(super) fn paste(&mut self, text: &str) {
        if let Some(words) = &mut self.words {
            words.paste(text);
        }
    }

    /// Takes the key of a choice, or goes back to the question.
    fn choose(this: &mut Option<Self>, code: KeyCode) -> QuestionStep {
        let Some(shown) = this else { return QuestionStep::Waits };
        let chosen = match code {
            KeyCode::Esc => {
                shown.is_choosing = false;
                None
            }
            KeyCode::Char(key) => shown.question.always.chosen(key).cloned(),
            _ => None,
        };
        let Some(chosen) = chosen else { return QuestionStep::Waits };
        let said = match chosen.width {
            AlwaysWidth::Same | AlwaysWidth::Wider => "yes, always",
            AlwaysWidth::Folder => "yes, always in this folder",
        };
        Self::answer(this, chosen.reply, said)
    }

    /// Returns the keys and their meanings.
    fn keys(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let always = &self.question.always;
        let choices = if always.only().is_some() { "always" } else { "always …" };
        let (has_always, has_more) = (!always.is_empty(), self.question.whole.is_some());
        let more = if has_more { "more" } else { "help" };
        let is_one = self.question.items == 1;
        let yes = if is_one { "yes" } else { "yes, all" };
        let yes = [("y", yes), ("o", "only some …"), ("a", choices)];
        let no = [("n", "no"), ("w", "words")];
        let others = self.question.others.iter().map(|other| (other.key, other.meaning));
        let edit = self.question.plan.as_ref().map(|_| (EDIT, "edit"));
        let keys = yes.into_iter().chain(others).chain(edit).chain(no);
        let keys = keys.chain([("s", "stop"), ("?", more)]);
        keys.filter(move |(key, _)| match *key {
            "a" => has_always,
            "o" => !is_one,
            _ => true,
        })
    }

    fn answer(this: &mut Option<Self>, reply: QuestionReply, said: &'static str) -> QuestionStep {
        if let Some(shown) = this.take() {
            let reply = match reply.with_plan(shown.saved.clone()) {
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

/// Returns the number of rows that a question may take on a terminal with so many.
fn room(question: &LiveQuestion, screen: usize) -> usize {
    // The status, the keys and a call above them stay on the screen.
    question.most_rows.min(screen * 3 / 4).max(MIN_ROWS)
}

/// The key that opens an editor.
const EDIT: &str = "Ctrl-G";

/// The number of rows at the end of a question that are always shown.
const LAST: usize = 6;

/// The least number of rows that a question may take.
const MIN_ROWS: usize = 10;

/// Returns the answer that these calls may run, and the others not.
fn some_items(allowed: Vec<usize>) -> QuestionReply {
    let denied = "the person allowed other items, and not this one".to_owned();
    QuestionReply::Decided(ApprovalDecision::Items { allowed, denied })
}

fn no(words: Option<&str>) -> QuestionReply {
    QuestionReply::Decided(ApprovalDecision::Deny(words.unwrap_or_default().trim().to_owned()))
}
