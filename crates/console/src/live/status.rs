//! The line of status: the model, the time, the usage, and the reason of a wait.

use std::time::Duration;

use silcrow_event::Usage;
use silcrow_exec::ModelPrice;
use silcrow_term::{Line, Style, TextRole};
use tokio::time::Instant;

use super::place::ShownPlace;
use super::signs::LineSigns;
use super::walls::ShownWalls;
use crate::cost::{dollars, round_tokens, tokens};
use crate::options::{StatusPart, StatusParts};
use crate::plural::count;
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
    parts: StatusParts,
    place: Option<ShownPlace>,
    /// The branch as the run began.
    branch: Option<String>,
}

/// What the line of status says of other rows.
pub(super) struct StatusRest {
    pub(super) waits: WaitReason,
    /// Why the model is not asked just now.
    pub(super) pause: Option<String>,
    /// How much of the agent's list is done.
    pub(super) todo: Option<String>,
    /// The number of subagents at work.
    pub(super) agents: usize,
}

/// The thing that a run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitReason {
    Model,
    Calls,
    Person,
}

impl RunStatus {
    pub(super) fn new(model: &str, price: Option<ModelPrice>, parts: StatusParts) -> Self {
        let now = Instant::now();
        Self {
            model: model.to_owned(),
            since: now,
            heard: now,
            usage: Usage::default(),
            price,
            window: None,
            is_answered: false,
            walls: None,
            parts,
            place: None,
            branch: None,
        }
    }

    /// Begins another run.
    pub(super) fn begin(&mut self, model: &str) {
        let place = self.place.take();
        let named = place.as_ref().filter(|_| self.parts.has(StatusPart::Branch));
        let branch = named.and_then(|place| (place.branch)());
        let next = Self::new(model, self.price, self.parts);
        *self = Self { walls: self.walls, place, branch, ..next };
    }

    /// Sets where the runs work.
    pub(super) fn set_place(&mut self, place: ShownPlace) {
        self.place = Some(place);
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

    /// Returns the line: the parts that the person chose, what the run waits for once it has done
    /// nothing for a while, or that a request waits to be repeated.
    pub(super) fn line(&self, rest: StatusRest, signs: &LineSigns) -> Line {
        let mut line = Line::styled(signs.note, Style::new(TextRole::Sign));
        line.push(" ", Style::PLAIN);
        let mut add = |text: &str, style: Style| {
            line.push(text, style);
            line.push(signs.between, Style::PLAIN.dim());
        };
        let hides_sandbox = !self.parts.has(StatusPart::Sandbox);
        let forced = hides_sandbox.then_some(StatusPart::Sandbox);
        for part in forced.into_iter().chain(self.parts.iter()) {
            if let Some((text, style)) = self.part(part, &rest) {
                add(&text, style);
            }
        }
        if let Some(wait) = self.wait(rest.waits, rest.pause) {
            add(&wait, Style::new(TextRole::Warning));
        }
        line.push("Esc stops", Style::PLAIN.dim());
        line
    }

    /// Returns a part of the line, if there is something to say.
    fn part(&self, part: StatusPart, rest: &StatusRest) -> Option<(String, Style)> {
        let text = match part {
            StatusPart::Mode => {
                let walls = self.walls?;
                return Some((walls.mode.as_str().to_owned(), walls.mode_style()));
            }
            StatusPart::Sandbox => {
                self.walls?.is_sandbox_off.then_some(())?;
                return Some(("sandbox off".to_owned(), Style::new(TextRole::Warning).bold()));
            }
            StatusPart::Model => self.model.clone(),
            StatusPart::Time => elapsed_so_far(self.since.elapsed()),
            StatusPart::Tokens => Some(tokens(&self.usage)).filter(|used| !used.is_empty())?,
            StatusPart::Cost => {
                (!tokens(&self.usage).is_empty()).then(|| self.cost(&self.usage)).flatten()?
            }
            StatusPart::Window => {
                let (tokens, window) = self.window?;
                let part = tokens.saturating_mul(100) / window;
                format!("{part} % of {}", round_tokens(window))
            }
            StatusPart::Todo => rest.todo.clone()?,
            StatusPart::Agents => (rest.agents > 0).then(|| count(rest.agents as u64, "agent"))?,
            StatusPart::Folder => self.place.as_ref()?.folder.clone(),
            StatusPart::Branch => self.branch.clone()?,
        };
        Some((text, Style::PLAIN.dim()))
    }

    /// Returns what the run waits for, if it is worth a word.
    fn wait(&self, waits: WaitReason, pause: Option<String>) -> Option<String> {
        let silent = self.heard.elapsed();
        let is_stalled = silent >= PATIENCE;
        let silent = elapsed_so_far(silent);
        match waits {
            WaitReason::Person => Some("waits for your answer".to_owned()),
            WaitReason::Model if pause.is_some() => pause,
            WaitReason::Model if is_stalled && self.is_answered => {
                Some(format!("the model summarizes older messages, {silent}"))
            }
            WaitReason::Model if is_stalled => Some(format!("the model is silent for {silent}")),
            WaitReason::Calls if is_stalled => Some(format!("waits for calls, {silent}")),
            WaitReason::Model | WaitReason::Calls => None,
        }
    }
}

/// The time after which a wait is shown.
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
