//! The command of a session that lists, shows and stops the agents that calls run.
//!
//! Their past work follows from the log. Only this process knows which of them run, and their cost.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_console::attend::lock;
use silcrow_console::cost::{dollars, tokens};
use silcrow_console::quantity::elapsed;
use silcrow_event::{Event, RunEventRef, Usage};
use silcrow_exec::ModelPrice;
use silcrow_history::{InnerRun, InnerRunState, entry_line};
use silcrow_sanitize::sanitize_line;
use silcrow_session::RunningSubagents;
use silcrow_store::Store;
use silcrow_store::verify::{Report, read_whole};
use silcrow_term::{Line, Style, TextRole};

use super::ChatSession;
use crate::error::Error;

/// The agents that the calls of a conversation have started.
pub(super) struct ConversationAgents {
    pub(super) store: Arc<dyn Store>,
    pub(super) conversation: String,
    pub(super) running: RunningSubagents,
    pub(super) used: SubagentUsage,
    pub(super) price: Option<ModelPrice>,
    /// Whether a run of the conversation is at work.
    pub(super) is_at_work: bool,
}

/// The usage of the agents of calls in this process, by their conversations.
#[derive(Clone, Debug, Default)]
pub(super) struct SubagentUsage(Arc<Mutex<BTreeMap<String, Usage>>>);

impl SubagentUsage {
    /// Takes an event of a run.
    pub(super) fn take(&self, event: RunEventRef<'_>) {
        let RunEventRef::Entry(entry) = event else { return };
        if let (Event::Metric(metric), Some(_), Some(opening)) =
            (&entry.event, &entry.agent_path, &entry.opening)
        {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(opening.conversation.clone(), metric.total);
        }
    }

    fn usage(&self, conversation: &str) -> Option<Usage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(conversation).copied()
    }
}

impl ChatSession {
    /// Returns the agents of the conversation.
    pub(super) fn subagents(&self, is_at_work: bool) -> ConversationAgents {
        ConversationAgents {
            store: self.session.store(),
            conversation: self.conversation.clone(),
            running: self.session.subagents().clone(),
            used: self.used.clone(),
            price: self.session.price(),
            is_at_work,
        }
    }

    /// Carries out `/agents`.
    pub(super) async fn show_subagents(&mut self, words: &[&str]) -> Result<(), Error> {
        self.finish_reading().await?;
        let lines = self.subagents(false).lines(words).await?;
        lock(&self.screen).show_lines(&lines);
        Ok(())
    }

    /// Returns the lines about agents that have not ended, for a conversation that continues.
    pub(super) async fn open_subagents(&self) -> Result<Vec<Line>, Error> {
        let agents = self.subagents(false);
        let runs = InnerRun::list(&*agents.store, &agents.conversation).await?;
        let is_open =
            |run: &InnerRun| matches!(run.state, InnerRunState::Open | InnerRunState::Waits);
        let open = runs.iter().enumerate().filter(|(_, run)| is_open(run));
        Ok(open.flat_map(|(index, run)| agents.row(index, run)).collect())
    }
}

impl ConversationAgents {
    /// Carries out the arguments of `/agents`: no argument lists, a number shows the text of one,
    /// and `stop` with a number or `all` stops.
    pub(super) async fn lines(&self, words: &[&str]) -> Result<Vec<Line>, Error> {
        let runs = InnerRun::list(&*self.store, &self.conversation).await?;
        match words {
            [] if runs.is_empty() => {
                Ok(vec![Line::styled("no agent has run in this conversation", Style::PLAIN.dim())])
            }
            [] => {
                let rows = runs.iter().enumerate().flat_map(|(index, run)| self.row(index, run));
                Ok(rows.collect())
            }
            ["stop"] => {
                Err(Error::given("name an agent, as in /agents stop 1 or /agents stop all"))
            }
            ["stop", "all"] => {
                let stopped = runs.iter().enumerate().filter(|(_, run)| self.stop(run));
                let lines: Vec<_> = stopped.map(|(index, run)| stopped_line(index, run)).collect();
                match lines.is_empty() {
                    true => Ok(vec![Line::styled("no agent runs", Style::PLAIN.dim())]),
                    false => Ok(lines),
                }
            }
            ["stop", number] => {
                let (index, run) = find(&runs, number)?;
                match self.stop(run) {
                    true => Ok(vec![stopped_line(index, run)]),
                    false if self.works(run) => {
                        Err(Error::given("this agent ends with the run; Esc stops both"))
                    }
                    false => Err(Error::given(format!("agent {number} does not run"))),
                }
            }
            [number] => {
                let (index, run) = find(&runs, number)?;
                self.transcript(index, run).await
            }
            _ => Err(Error::given("use /agents, /agents N, /agents stop N or /agents stop all")),
        }
    }

    fn stop(&self, run: &InnerRun) -> bool {
        self.running.stop(&self.conversation, run.turn, &run.call)
    }

    /// Returns whether a run works in this process.
    fn works(&self, run: &InnerRun) -> bool {
        run.state == InnerRunState::Open
            && (self.is_at_work || self.running.is_running(&self.conversation, run.turn, &run.call))
    }

    /// Returns the rows of an agent: its task, its state and its usage.
    fn row(&self, index: usize, run: &InnerRun) -> Vec<Line> {
        let line = Line::styled(&format!("{:<3}", index + 1), Style::new(TextRole::Accent).bold());
        let line = line.with_text(&run.name, Style::PLAIN.bold());
        let line = line.with_text(&format!(": {}", sanitize_line(&run.task)), Style::PLAIN);
        let (state, style) = match &run.state {
            InnerRunState::Open if self.works(run) => {
                ("works".to_owned(), Style::new(TextRole::Accent))
            }
            InnerRunState::Open => {
                let cut = "was cut off when its process ended".to_owned();
                (cut, Style::new(TextRole::Warning))
            }
            InnerRunState::Waits if self.is_at_work => {
                ("waits for your answer".to_owned(), Style::new(TextRole::Warning))
            }
            InnerRunState::Waits => {
                let id = &self.conversation;
                let waits = format!("waits for your answer; /attach {id} asks you here");
                (waits, Style::new(TextRole::Warning))
            }
            InnerRunState::Answered => ("answered".to_owned(), Style::new(TextRole::Success)),
            InnerRunState::Failed(why) => {
                (sanitize_line(why).into_owned(), Style::new(TextRole::Failure))
            }
            _ => return vec![line],
        };
        let mut facts = vec![match run.calls {
            1 => "1 call".to_owned(),
            calls => format!("{calls} calls"),
        }];
        if let (Some(began), Some(last)) = (run.began, run.last) {
            let end = if self.works(run) { std::time::SystemTime::now().into() } else { last };
            facts.push(elapsed(end.duration_since(began)));
        }
        if let Some(usage) = self.used.usage(&run.conversation) {
            facts.push(tokens(&usage));
            facts.extend(self.price.map(|price| dollars(price.spending(&usage).cost)));
        }
        let below = Line::styled("   ", Style::PLAIN).with_text(&state, style);
        vec![
            line,
            below.with_text(&format!(" \u{b7} {}", facts.join(" \u{b7} ")), Style::PLAIN.dim()),
        ]
    }

    /// Returns the last part of an agent's text and of its calls' results.
    async fn transcript(&self, index: usize, run: &InnerRun) -> Result<Vec<Line>, Error> {
        let head = self.store.head(&run.conversation).await?;
        let positions = 1..=head;
        let mut report = Report::default();
        let entries = read_whole(&*self.store, &run.conversation, positions, &mut report).await?;
        let mut rows = Vec::new();
        for entry in &entries {
            let text = entry_line(entry);
            let most = if matches!(entry.event, Event::Respond(_)) { usize::MAX } else { SHORT };
            let lines: Vec<_> = text.lines().collect();
            rows.extend(lines.iter().take(most).map(|line| Line::styled(line, Style::PLAIN)));
            let hidden = lines.len().saturating_sub(most);
            if hidden > 0 {
                let more = format!("              ({hidden} more lines)");
                rows.push(Line::styled(&more, Style::PLAIN.dim()));
            }
        }
        let mut lines = self.row(index, run);
        let hidden = rows.len().saturating_sub(MOST_ROWS);
        if hidden > 0 {
            let before = format!("({hidden} rows before; silcrow log show {})", run.conversation);
            lines.push(Line::styled(&before, Style::PLAIN.dim()));
        }
        lines.extend(rows.drain(hidden..));
        Ok(lines)
    }
}

fn find<'r>(runs: &'r [InnerRun], number: &str) -> Result<(usize, &'r InnerRun), Error> {
    let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let found = index.and_then(|index| runs.get(index).map(|run| (index, run)));
    found.ok_or_else(|| {
        Error::given(match runs.len() {
            0 => "no agent has run in this conversation".to_owned(),
            1 => format!("unknown agent {number}; there is agent 1"),
            most => format!("unknown agent {number}; there are 1 to {most}"),
        })
    })
}

fn stopped_line(index: usize, run: &InnerRun) -> Line {
    let line = Line::styled(&format!("agent {} is stopped", index + 1), Style::PLAIN);
    line.with_text(&format!(": {}", sanitize_line(&run.task)), Style::PLAIN.dim())
}

/// The number of lines that are shown of a call, a result or a thought.
const SHORT: usize = 3;

/// The number of rows of a transcript.
const MOST_ROWS: usize = 60;
