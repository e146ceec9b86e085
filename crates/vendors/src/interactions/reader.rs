use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use silcrow_event as event;

use crate::answer::{Answer, Api, Broken, Out};
use crate::ends;
use crate::lenient::{Field, Object};
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

    /// The end by the interaction's own status, or by this one where it has none.
    fn end(
        &self,
        interaction: &Interaction<'_>,
        status: &str,
        data: &str,
        answer: &mut Answer,
    ) -> Result<(), Broken> {
        answer.report(interaction.usage.read::<Usage<'_>>());
        let told = interaction.status.word();
        let status = told.as_deref().unwrap_or(status);
        if status == "failed" {
            let error = interaction.errors.items().into_iter().next();
            return answer.failed(error.map_or(data, Field::json));
        }
        if status.is_empty() {
            return Ok(());
        }
        let owned = |field: Field<'_>| field.word().map(Cow::into_owned);
        let is_stopped = status == "requires_continuation";
        self.seen.set(Ended {
            completed: status == "completed",
            id: owned(interaction.id),
            continuation: owned(interaction.continuation_token).filter(|_| is_stopped),
        });
        answer.end(ends::INTERACTIONS, status, "");
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
                self.end(&event.interaction.unwrap_or_default(), "completed", data, answer)?;
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
        if whole.error.is_set() {
            return answer.failed(body);
        }
        let steps = whole.steps.items().into_iter();
        let mut steps: Vec<_> = steps
            .map(|step| step.read::<Object<Step<'_>>>().unwrap_or_default().unwrap_or_default())
            .collect();
        let is_input = |step: &Step<'_>| step.r#type.word().as_deref() == Some("user_input");
        let asked = steps.iter().rposition(is_input);
        for step in steps.drain(asked.map_or(0, |at| at + 1)..) {
            step.say(answer, out)?;
        }
        self.end(&serde_json::from_str(body)?, "", body, answer)
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    event_type: Cow<'a, str>,
    #[serde(borrow)]
    step: Object<Step<'a>>,
    #[serde(borrow)]
    delta: Object<Delta<'a>>,
    #[serde(borrow)]
    interaction: Object<Interaction<'a>>,
}

/// What a whole interaction holds besides its end.
#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    error: Field<'a>,
    #[serde(borrow)]
    steps: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Interaction<'a> {
    #[serde(borrow)]
    id: Field<'a>,
    #[serde(borrow)]
    status: Field<'a>,
    #[serde(borrow)]
    errors: Field<'a>,
    #[serde(borrow)]
    continuation_token: Field<'a>,
    #[serde(borrow)]
    usage: Field<'a>,
}

/// Something that the model did. Those of its own tools have neither content nor summary.
#[derive(Default, Deserialize)]
struct Step<'a> {
    #[serde(borrow)]
    r#type: Field<'a>,
    #[serde(borrow)]
    content: Field<'a>,
    #[serde(borrow)]
    summary: Field<'a>,
    #[serde(borrow)]
    error: Field<'a>,
}

impl Step<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        if self.error.is_set() {
            return answer.failed(self.error.json());
        }
        match self.r#type.word().as_deref() {
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
    r#type: Field<'a>,
    #[serde(borrow)]
    text: Field<'a>,
    /// Text for a summary of thoughts; other deltas have other things there.
    #[serde(borrow)]
    content: Field<'a>,
}

impl Delta<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) {
        match self.r#type.word().as_deref() {
            Some("text") => self.text.text().iter().for_each(|piece| answer.text(piece, out)),
            Some("thought_summary") => {
                text(self.content).iter().for_each(|piece| answer.reason(piece, out));
            }
            _ => {}
        }
    }
}

fn texts(list: Field<'_>) -> impl Iterator<Item = Piece> {
    list.items().into_iter().filter_map(text)
}

/// The text of a content.
fn text(content: Field<'_>) -> Option<Piece> {
    let Object(content) = content.read()?;
    content.and_then(|Content { text }| text.text())
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Field<'a>,
}

#[derive(Deserialize)]
struct Usage<'a> {
    #[serde(borrow)]
    total_input_tokens: Field<'a>,
    #[serde(borrow)]
    total_cached_tokens: Field<'a>,
    #[serde(borrow)]
    total_output_tokens: Field<'a>,
    /// Not counted in the output.
    #[serde(borrow)]
    total_thought_tokens: Field<'a>,
}

impl From<Usage<'_>> for event::Usage {
    fn from(usage: Usage<'_>) -> Self {
        let written = usage.total_output_tokens.count().unwrap_or_default();
        let thought = usage.total_thought_tokens.count().unwrap_or_default();
        Self {
            input: usage.total_input_tokens.count().unwrap_or_default(),
            output: written.saturating_add(thought),
            cached: usage.total_cached_tokens.count().unwrap_or_default(),
            reasoning: thought,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
