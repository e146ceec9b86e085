//! The summary of a conversation that continues, for a person: the last prompts, the last answer,
//! and open work.

use silcrow_console::attend::lock;
use silcrow_event::{Entry, Event};
use silcrow_history::age;
use silcrow_store::verify::{Report, read_whole};
use silcrow_term::{Line, Style, TextRole};

use super::ChatSession;
use super::said::MOST_COLUMNS;
use crate::error::Error;

/// The end of a conversation.
#[derive(Debug, Default, PartialEq, Eq)]
struct LastTurns {
    /// The last prompts, the oldest first.
    prompts: Vec<String>,
    /// The answer to the last prompt.
    answer: String,
    /// The open work.
    open: Option<OpenEnd>,
}

/// The reason why a conversation has no answer at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenEnd {
    Unanswered,
    Stopped,
    Waits,
}

impl LastTurns {
    fn read<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Self {
        let mut last = Self::default();
        for entry in entries.into_iter().filter(|entry| entry.agent_path.is_none()) {
            match &entry.event {
                Event::User { content, steer: false } => {
                    last.prompts.push(
                        content
                            .parts()
                            .first()
                            .map_or_else(String::new, |words| words.text().into_owned()),
                    );
                    let surplus = last.prompts.len().saturating_sub(PROMPTS);
                    last.prompts.drain(..surplus);
                    last.answer.clear();
                    last.open = Some(OpenEnd::Unanswered);
                }
                Event::Respond(said) if said.malformed.is_none() => {
                    if !last.answer.is_empty() {
                        last.answer.push('\n');
                    }
                    last.answer.push_str(&said.content);
                    if said.last {
                        last.open = None;
                    }
                }
                // It was not an answer, and the model was asked again.
                Event::Notice { .. } => last.answer.clear(),
                Event::Cancelled { .. } => last.open = Some(OpenEnd::Stopped),
                Event::Parked(_) => last.open = Some(OpenEnd::Waits),
                _ => {}
            }
        }
        last
    }
}

impl OpenEnd {
    fn line(self, conversation: &str) -> String {
        match self {
            Self::Unanswered => "the last prompt has no answer; /retry asks it again".to_owned(),
            Self::Stopped => "the answer was stopped; /retry asks again".to_owned(),
            Self::Waits => {
                format!("the run waits for your answer; /attach {conversation} asks you here")
            }
        }
    }
}

impl ChatSession {
    /// Shows the end of the conversation that continues, and has Esc Esc take its last prompt back.
    pub(super) async fn show_resumed(&mut self) -> Result<(), Error> {
        self.use_kept_mode().await?;
        let store = self.session.store();
        let head = store.head(&self.conversation).await?;
        if head == 0 {
            return Ok(());
        }
        // Damaged events are left out; `silcrow log verify` reports them.
        let mut damage = Report::default();
        let first = head.saturating_sub(ENTRIES) + 1;
        let entries = read_whole(&*store, &self.conversation, first..=head, &mut damage).await?;
        let last = LastTurns::read(&entries);
        if let Some(lines) = &mut self.lines {
            lines.set_last(last.prompts.last().map(String::as_str));
        }
        let agents = self.open_subagents().await?;
        let time = entries.last().and_then(|entry| entry.timestamp).unwrap_or_default();
        let mut screen = lock(&self.screen);
        let age = age(time, std::time::SystemTime::now().into());
        let all = if first > 1 { "; /log shows all of it" } else { "" };
        screen.show_line(&format!("last used {age}{all}"));
        for prompt in &last.prompts {
            let sign = Line::styled(screen.prompt_sign(), Style::new(TextRole::Accent));
            let line = prompt.trim().lines().next().unwrap_or_default();
            screen.show_lines(&[sign
                .with_text(&format!(" {line}"), Style::PLAIN)
                .shortened(MOST_COLUMNS)]);
        }
        screen.show_answer(&last.answer, MOST_ROWS);
        if let Some(open) = last.open {
            screen.show_line(&open.line(&self.conversation));
        }
        screen.show_lines(&agents);
        screen.draw();
        Ok(())
    }
}

/// The number of prompts that are shown.
const PROMPTS: usize = 2;

/// The number of rows of an answer that are shown.
const MOST_ROWS: usize = 40;

/// The number of events at the end that are read.
const ENTRIES: u64 = 400;

#[cfg(test)]
mod tests {
    use super::*;

    fn last(events: Vec<Event>) -> LastTurns {
        let entries: Vec<Entry> = events.into_iter().map(Entry::from).collect();
        LastTurns::read(&entries)
    }

    #[test]
    fn last_prompts_and_answer_are_found() {
        let found = last(vec![
            Event::user("one"),
            Event::respond("1"),
            Event::user("two"),
            Event::respond("2"),
            Event::user("three"),
            Event::steer("and quickly"),
            Event::respond("3"),
        ]);
        let prompts = vec!["two".to_owned(), "three".to_owned()];
        assert_eq!(found, LastTurns { prompts, answer: "3".to_owned(), open: None });
    }

    #[test]
    fn unfinished_ends_are_recognized() {
        let stopped = Event::Cancelled { content: "stopped".to_owned() };
        let open = |events| last(events).open;
        assert_eq!(open(vec![Event::user("one")]), Some(OpenEnd::Unanswered));
        assert_eq!(open(vec![Event::user("one"), stopped.clone()]), Some(OpenEnd::Stopped));
        let again = vec![Event::user("one"), stopped, Event::respond("1")];
        assert_eq!(open(again), None);
    }
}
