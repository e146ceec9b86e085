//! The line of status: the model, the time, the usage, and the reason of a wait.

use std::time::Duration;

use silcrow_event::Usage;
use silcrow_exec::ModelPrice;
use silcrow_term::{Line, Style, TextRole};
use tokio::time::Instant;

use super::signs::LineSigns;
use super::walls::ShownWalls;
use crate::cost::{dollars, round_tokens, tokens};
use crate::quantity::elapsed_so_far;

/// The state of a run for its line of status.
pub(super) struct RunStatus {
    model: String,
    since: Instant,
    /// The time of the last sign of life.
    heard: Instant,
    usage: Usage,
    /// The price of the model, if it is known.
    price: Option<ModelPrice>,
    /// The tokens of the last request, and the window of the model.
    window: Option<(u64, u64)>,
    /// Whether the model has answered, so that it can only write a summary.
    is_answered: bool,
    /// The mode and the sandbox, if the run says them.
    walls: Option<ShownWalls>,
}

/// The thing that a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitReason {
    Model,
    Calls,
    Person,
}

impl RunStatus {
    pub(super) fn new(model: &str, price: Option<ModelPrice>) -> Self {
        let now = Instant::now();
        let (model, usage) = (model.to_owned(), Usage::default());
        let (window, is_answered, walls) = (None, false, None);
        Self { model, since: now, heard: now, usage, price, window, is_answered, walls }
    }

    /// Begins another run.
    pub(super) fn begin(&mut self, model: &str) {
        *self = Self { walls: self.walls, ..Self::new(model, self.price) };
    }

    /// Sets the mode and the sandbox that the line names.
    pub(super) const fn set_walls(&mut self, walls: Option<ShownWalls>) {
        self.walls = walls;
    }

    pub(super) const fn walls(&self) -> Option<ShownWalls> {
        self.walls
    }

    /// Notes that the run does something.
    pub(super) fn hear(&mut self) {
        self.heard = Instant::now();
    }

    /// Sets whether the last event was the end of an answer.
    pub(super) const fn set_answered(&mut self, is_answered: bool) {
        self.is_answered = is_answered;
    }

    /// Sets the usage of the run so far.
    pub(super) fn set_usage(&mut self, usage: Usage) {
        self.usage = usage;
    }

    pub(super) const fn set_price(&mut self, price: Option<ModelPrice>) {
        self.price = price;
    }

    /// Returns the cost of this usage, if the price of the model is known.
    pub(super) fn cost(&self, usage: &Usage) -> Option<String> {
        let about = if usage.estimated { "~" } else { "" };
        self.price.map(|price| format!("{about}{}", dollars(price.spending(usage).cost)))
    }

    /// Sets how many tokens the last request of a step had, and how many the model can read. Other
    /// requests name no window.
    pub(super) fn set_window(&mut self, tokens: u64, window: Option<u64>) {
        if let Some(window) = window {
            self.window = Some((tokens, window.max(1)));
        }
    }

    /// Returns the line, which names the reason of a wait once the run has done nothing for a
    /// while, or says that a request waits to be repeated.
    pub(super) fn line(&self, waits: WaitReason, pause: Option<String>, signs: &LineSigns) -> Line {
        let mut facts = vec![self.model.clone(), elapsed_so_far(self.since.elapsed())];
        let used = tokens(&self.usage);
        if !used.is_empty() {
            facts.push(used);
            facts.extend(self.cost(&self.usage));
        }
        if let Some((tokens, window)) = self.window {
            let part = tokens.saturating_mul(100) / window;
            facts.push(format!("{part} % of {}", round_tokens(window)));
        }
        let silent = self.heard.elapsed();
        let is_stalled = silent >= PATIENCE;
        let silent = elapsed_so_far(silent);
        let wait = match waits {
            WaitReason::Person => Some("waits for your answer".to_owned()),
            WaitReason::Model if pause.is_some() => pause,
            WaitReason::Model if is_stalled && self.is_answered => {
                Some(format!("the model summarizes older messages, {silent}"))
            }
            WaitReason::Model if is_stalled => Some(format!("the model is silent for {silent}")),
            WaitReason::Calls if is_stalled => Some(format!("waits for calls, {silent}")),
            WaitReason::Model | WaitReason::Calls => None,
        };
        let mut line = Line::styled(signs.note, Style::new(TextRole::Sign));
        line.push(" ", Style::PLAIN);
        if let Some(walls) = self.walls {
            walls.write_to(&mut line, signs.between);
        }
        line.push(&facts.join(signs.between), Style::PLAIN.dim());
        if let Some(wait) = wait {
            line.push(&format!("{}{wait}", signs.between), Style::new(TextRole::Warning));
        }
        line.push(&format!("{}Esc stops", signs.between), Style::PLAIN.dim());
        line
    }
}

/// The time after which a wait is shown.
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
