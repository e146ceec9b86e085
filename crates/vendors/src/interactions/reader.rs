use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Finish;

use crate::answer::{Answer, Api, Broken, Out};
use crate::text::Piece;

/// Reads the events of an interaction, or a whole one.
#[derive(Default)]
pub(crate) struct Reader {
    seen: Arc<Seen>,
}

/// What the server says of an interaction besides its deltas, for whoever asks for the next.
#[derive(Debug, Default)]
pub(crate) struct Seen(Mutex<Ended>);

/// How an interaction ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) id: Option<String>,
    /// It can be followed.
    pub(crate) completed: bool,
    /// It stopped at a limit of one request, and goes on where this is sent.
    pub(crate) continuation: Option<String>,
}

impl Seen {
    pub(crate) fn ended(&self) -> Ended {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, ended: Ended) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ended;
    }
}

impl Reader {
    pub(crate) const fn new(seen: Arc<Seen>) -> Self {
        Self { seen }
    }

    /// The end by the interaction's own status; none where it has not ended.
    fn end(
        &self,
        interaction: Interaction<'_>,
        data: &str,
        answer: &mut Answer,
    ) -> Result<(), Broken> {
        // A report in another shape costs the figures, not the answer.
        let usage = interaction.usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
        answer.usage = usage.map(Usage::into).or(answer.usage);
        let finish = match interaction.status.as_deref().unwrap_or_default() {
            "failed" => {
                let error = interaction.errors.and_then(|errors| errors.into_iter().next());
                return answer.failed(error.map_or(data, RawValue::get));
            }
            "" | "queued" | "in_progress" => return Ok(()),
            "completed" => answer.stop(),
            "incomplete" | "requires_continuation" => Finish::Length,
            other => Finish::Other(other.to_owned()),
        };
        let token = |token: Cow<'_, str>| (!token.is_empty()).then(|| token.into_owned());
        let stopped = interaction.status.as_deref() == Some("requires_continuation");
        self.seen.set(Ended {
            completed: interaction.status.as_deref() == Some("completed"),
            id: interaction.id.and_then(token),
            continuation: interaction.continuation_token.filter(|_| stopped).and_then(token),
        });
        answer.finish = Some(finish);
        Ok(())
    }
}

impl Api for Reader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken> {
        let event: Event<'_> = serde_json::from_str(data)?;
        match &*event.event_type {
            "error" => return answer.failed(data),
            "step.start" => event.step.unwrap_or_default().say(answer, out)?,
            "step.delta" => event.delta.unwrap_or_default().say(answer, out),
            "interaction.completed" => {
                let interaction = event.interaction.unwrap_or_default();
                let status = interaction.status.or(Some(Cow::Borrowed("completed")));
                self.end(Interaction { status, ..interaction }, data, answer)?;
                return Ok(ControlFlow::Break(()));
            }
            // Others tell of states on the way, or are new.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// What was said before the last input is no part of the answer.
    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        let whole: Whole<'_> = serde_json::from_str(body)?;
        if whole.error.is_some() {
            return answer.failed(body);
        }
        let mut steps = whole.steps.unwrap_or_default();
        let asked = steps.iter().rposition(|step| step.r#type.as_deref() == Some("user_input"));
        for step in steps.drain(asked.map_or(0, |at| at + 1)..) {
            step.say(answer, out)?;
        }
        self.end(serde_json::from_str(body)?, body, answer)
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    event_type: Cow<'a, str>,
    #[serde(borrow)]
    step: Option<Step<'a>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    interaction: Option<Interaction<'a>>,
}

/// What a whole interaction holds besides its end.
#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    steps: Option<Vec<Step<'a>>>,
}

#[derive(Default, Deserialize)]
struct Interaction<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    errors: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    continuation_token: Option<Cow<'a, str>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// Something that the model did. Those of its own tools have neither content nor summary.
#[derive(Default, Deserialize)]
struct Step<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    content: Option<Vec<Content>>,
    summary: Option<Vec<Content>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Step<'_> {
    fn say(self, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        if let Some(error) = self.error {
            return answer.failed(error.get());
        }
        let texts = |list: Option<Vec<Content>>| {
            list.into_iter().flatten().filter_map(|content| content.text)
        };
        match self.r#type.as_deref() {
            Some("model_output") => {
                texts(self.content).for_each(|piece| answer.text(&piece, out));
            }
            Some("thought") => texts(self.summary).for_each(|piece| answer.reason(&piece, out)),
            _ => {}
        }
        Ok(())
    }
}

/// What is added to a step.
#[derive(Default, Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    text: Option<Piece>,
    /// Text for a summary of thoughts; other deltas have other things there.
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

impl Delta<'_> {
    fn say(self, answer: &mut Answer, out: &mut Out) {
        let content = || serde_json::from_str::<Content>(self.content?.get()).ok()?.text;
        match (self.r#type.as_deref(), self.text) {
            (Some("text"), Some(piece)) => answer.text(&piece, out),
            (Some("thought_summary"), _) => {
                content().iter().for_each(|piece| answer.reason(piece, out));
            }
            _ => {}
        }
    }
}

#[derive(Deserialize)]
struct Content {
    text: Option<Piece>,
}

#[derive(Deserialize)]
struct Usage {
    total_input_tokens: Option<u64>,
    total_cached_tokens: Option<u64>,
    total_output_tokens: Option<u64>,
    /// Not counted in the output.
    total_thought_tokens: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        let written = usage.total_output_tokens.unwrap_or_default();
        let thought = usage.total_thought_tokens.unwrap_or_default();
        Self {
            input: usage.total_input_tokens.unwrap_or_default(),
            output: written.saturating_add(thought),
            cached: usage.total_cached_tokens.unwrap_or_default(),
            reasoning: thought,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
