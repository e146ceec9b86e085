//! Decodes the events of Interactions, and whole interactions.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use silcrow_event as event;
use silcrow_provider::ToolDeclaration;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader};
use crate::calls::AnswerCalls;
use crate::ends;
use crate::interactions::steps::{InteractionStep, OpenStep, StepDelta};
use crate::lenient::{LenientField, LenientObject};
use crate::usage;

/// Reads the events of an interaction, or a whole interaction.
#[derive(Default)]
pub(crate) struct InteractionsReader {
    seen: Arc<SharedEnd>,
    calls: AnswerCalls,
    open: OpenStep,
}

/// The end of an interaction, shared with the caller that sends the next request.
#[derive(Debug, Default)]
pub(crate) struct SharedEnd(Mutex<InteractionEnd>);

/// The end of an interaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InteractionEnd {
    pub(crate) id: Option<String>,
    /// Whether another interaction can follow it.
    pub(crate) completed: bool,
    /// The token with which it continues, if it stopped at a limit of one request.
    pub(crate) continuation: Option<String>,
}

impl SharedEnd {
    pub(crate) fn ended(&self) -> InteractionEnd {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, ended: InteractionEnd) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ended;
    }
}

impl InteractionsReader {
    pub(crate) fn new(seen: Arc<SharedEnd>, tools: &Arc<[ToolDeclaration]>) -> Self {
        Self { seen, calls: AnswerCalls::new(tools), open: OpenStep::default() }
    }

    /// Ends the answer with the status of the interaction, or with `status` if it has none.
    fn end(
        &mut self,
        interaction: &Interaction<'_>,
        status: &str,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        answer.report(interaction.usage.read::<InteractionUsage<'_>>());
        let word = interaction.status.word();
        let status = word.as_deref().unwrap_or(status);
        if status == "failed" {
            let error = interaction.errors.items().into_iter().next();
            return answer.failed(error.map_or(data, LenientField::json));
        }
        if status.is_empty() {
            return Ok(());
        }
        let owned = |field: LenientField<'_>| field.word().map(Cow::into_owned);
        let is_stopped = status == "requires_continuation";
        self.seen.set(InteractionEnd {
            completed: status == "completed"
                || status == "requires_action" && self.calls.are_declared(),
            id: owned(interaction.id),
            continuation: owned(interaction.continuation_token).filter(|_| is_stopped),
        });
        answer.end(ends::INTERACTIONS, status, "");
        // A call is complete if no part of the answer is missing.
        if answer.is_whole() {
            self.open.stop(&mut self.calls, out);
        }
        Ok(())
    }
}

impl EventReader for InteractionsReader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<ControlFlow<()>, EventError> {
        let event: InteractionEvent<'_> = serde_json::from_str(data)?;
        match &*event.event_type {
            "error" => return answer.failed(data),
            "step.start" => {
                let step = event.step.unwrap_or_default();
                self.open.start(&step, &mut self.calls, answer, out)?;
            }
            "step.delta" => {
                let delta = event.delta.unwrap_or_default();
                self.open.delta(&delta, &mut self.calls, answer, out);
            }
            "step.stop" => self.open.stop(&mut self.calls, out),
            "interaction.completed" => {
                let interaction = event.interaction.unwrap_or_default();
                self.end(&interaction, "completed", data, answer, out)?;
                return Ok(ControlFlow::Break(()));
            }
            // Other events report intermediate states, or are new.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes a whole interaction. Steps before the last input do not belong to the answer.
    fn whole(
        &mut self,
        body: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        let whole: WholeInteraction<'_> = serde_json::from_str(body)?;
        if whole.error.is_set() {
            return answer.failed(body);
        }
        let steps = whole.steps.items().into_iter();
        let mut steps: Vec<_> = steps
            .map(|step| {
                step.read::<LenientObject<InteractionStep<'_>>>()
                    .unwrap_or_default()
                    .unwrap_or_default()
            })
            .collect();
        let is_input =
            |step: &InteractionStep<'_>| step.r#type.word().as_deref() == Some("user_input");
        let asked = steps.iter().rposition(is_input);
        for step in steps.drain(asked.map_or(0, |at| at + 1)..) {
            self.open.start(&step, &mut self.calls, answer, out)?;
        }
        self.end(&serde_json::from_str(body)?, "", body, answer, out)
    }
}

#[derive(Deserialize)]
struct InteractionEvent<'a> {
    #[serde(borrow)]
    event_type: Cow<'a, str>,
    #[serde(borrow)]
    step: LenientObject<InteractionStep<'a>>,
    #[serde(borrow)]
    delta: LenientObject<StepDelta<'a>>,
    #[serde(borrow)]
    interaction: LenientObject<Interaction<'a>>,
}

/// A whole interaction without its end.
#[derive(Deserialize)]
struct WholeInteraction<'a> {
    #[serde(borrow)]
    error: LenientField<'a>,
    #[serde(borrow)]
    steps: LenientField<'a>,
}

#[derive(Default, Deserialize)]
struct Interaction<'a> {
    #[serde(borrow)]
    id: LenientField<'a>,
    #[serde(borrow)]
    status: LenientField<'a>,
    #[serde(borrow)]
    errors: LenientField<'a>,
    #[serde(borrow)]
    continuation_token: LenientField<'a>,
    #[serde(borrow)]
    usage: LenientField<'a>,
}

#[derive(Deserialize)]
struct InteractionUsage<'a> {
    #[serde(borrow)]
    total_input_tokens: LenientField<'a>,
    #[serde(borrow)]
    total_cached_tokens: LenientField<'a>,
    #[serde(borrow)]
    total_output_tokens: LenientField<'a>,
    /// The tokens of thoughts, which the output tokens do not include.
    #[serde(borrow)]
    total_thought_tokens: LenientField<'a>,
}

impl From<InteractionUsage<'_>> for event::Usage {
    fn from(usage: InteractionUsage<'_>) -> Self {
        usage::with_thoughts_apart([
            usage.total_input_tokens,
            usage.total_cached_tokens,
            usage.total_output_tokens,
            usage.total_thought_tokens,
        ])
    }
}

#[cfg(test)]
mod tests;
