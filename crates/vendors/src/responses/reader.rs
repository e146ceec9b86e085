use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use silcrow_event as event;

use crate::answer::{Answer, Api, Broken, Out};
use crate::ends;
use crate::lenient::{Field, Object};

/// Reads the events of a response, or a whole one.
///
/// A response may hold several messages, such as a comment and the answer: each begins a line.
#[derive(Default)]
pub(crate) struct Reader {
    /// The message whose text came last.
    item: Option<String>,
    /// The name that the server gave the response, if it told it.
    pub(crate) id: Option<String>,
}

impl Api for Reader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken> {
        let event: Event<'_> = serde_json::from_str(data)?;
        let response = event.response.unwrap_or_default();
        if let Some(id) = response.id.word() {
            self.id = Some(id.into_owned());
        }
        match &*event.r#type {
            "response.output_text.delta" => {
                self.enter(event.item_id, answer, out);
                event.delta.text().iter().for_each(|piece| answer.text(piece, out));
            }
            "response.refusal.delta" => {
                self.enter(event.item_id, answer, out);
                event.delta.text().iter().for_each(|piece| answer.refuse(piece, out));
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                event.delta.text().iter().for_each(|piece| answer.reason(piece, out));
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                end(&response, &event.r#type, data, answer)?;
                return Ok(ControlFlow::Break(()));
            }
            "error" => return answer.failed(data),
            // Others belong to the server's own tools, repeat what came, or are new.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        let response: Response<'_> = serde_json::from_str(body)?;
        for item in response.output.items() {
            // What has another shape belongs to the server's own tools, or is new.
            if let Some(Object(Some(item))) = item.read::<Object<Item<'_>>>() {
                item.say(answer, out);
            }
        }
        end(&response, "", body, answer)
    }
}

impl Reader {
    /// The text that follows is of this message.
    fn enter(&mut self, item: Field<'_>, answer: &mut Answer, out: &mut Out) {
        let item = item.word();
        if item.is_some() && self.item.as_deref() != item.as_deref() {
            if self.item.is_some() {
                answer.begin_line(out);
            }
            self.item = item.map(Cow::into_owned);
        }
    }
}

/// The end by the response's own status, or, where it has none, by the event's type.
fn end(
    response: &Response<'_>,
    r#type: &str,
    data: &str,
    answer: &mut Answer,
) -> Result<(), Broken> {
    if response.error.is_set() {
        return answer.failed(response.error.json());
    }
    answer.report(response.usage.read::<Usage<'_>>());
    match response.status.word().as_deref().unwrap_or(r#type) {
        "failed" | "response.failed" => return answer.failed(data),
        "incomplete" | "response.incomplete" => {
            let details = response.incomplete_details.read().and_then(|Object(details)| details);
            let reason = details.and_then(|Details { reason }| reason.word());
            answer.end(ends::INCOMPLETE, reason.as_deref().unwrap_or("max_output_tokens"), "");
        }
        // A whole body without a status is half a body.
        "" => {}
        status => answer.end(ends::RESPONSES, status, ""),
    }
    Ok(())
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    item_id: Field<'a>,
    /// Text for the types that are read; others have other things there.
    #[serde(borrow)]
    delta: Field<'a>,
    #[serde(borrow)]
    response: Object<Response<'a>>,
}

#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    id: Field<'a>,
    #[serde(borrow)]
    status: Field<'a>,
    #[serde(borrow)]
    error: Field<'a>,
    #[serde(borrow)]
    incomplete_details: Field<'a>,
    #[serde(borrow)]
    output: Field<'a>,
    #[serde(borrow)]
    usage: Field<'a>,
}

#[derive(Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    reason: Field<'a>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: Field<'a>,
    #[serde(borrow)]
    content: Field<'a>,
    #[serde(borrow)]
    summary: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Field<'a>,
    #[serde(borrow)]
    refusal: Field<'a>,
}

impl Item<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) {
        match self.r#type.word().as_deref() {
            Some("message") => {
                answer.begin_line(out);
                for part in parts(self.content) {
                    part.text.text().iter().for_each(|piece| answer.text(piece, out));
                    part.refusal.text().iter().for_each(|piece| answer.refuse(piece, out));
                }
            }
            Some("reasoning") => {
                for part in [self.summary, self.content].into_iter().flat_map(parts) {
                    part.text.text().iter().for_each(|piece| answer.reason(piece, out));
                }
            }
            _ => {}
        }
    }
}

/// Parts of a content; a bare text is one.
fn parts(content: Field<'_>) -> impl Iterator<Item = Part<'_>> {
    content.items().into_iter().map(|item| match item.read() {
        Some(Object(Some(part))) => part,
        _ => Part { text: item, ..Part::default() },
    })
}

#[derive(Deserialize)]
struct Usage<'a> {
    #[serde(borrow)]
    input_tokens: Field<'a>,
    #[serde(borrow)]
    output_tokens: Field<'a>,
    #[serde(borrow)]
    input_tokens_details: Object<Read<'a>>,
    #[serde(borrow)]
    output_tokens_details: Object<Written<'a>>,
}

#[derive(Default, Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    cached_tokens: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    reasoning_tokens: Field<'a>,
}

impl From<Usage<'_>> for event::Usage {
    fn from(usage: Usage<'_>) -> Self {
        Self {
            input: usage.input_tokens.count().unwrap_or_default(),
            output: usage.output_tokens.count().unwrap_or_default(),
            cached: usage
                .input_tokens_details
                .unwrap_or_default()
                .cached_tokens
                .count()
                .unwrap_or_default(),
            reasoning: usage
                .output_tokens_details
                .unwrap_or_default()
                .reasoning_tokens
                .count()
                .unwrap_or_default(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
