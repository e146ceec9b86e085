use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Finish;

use crate::answer::{Answer, Api, Broken, Out};
use crate::text::Piece;

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
        if let Some(id) = event.response.as_ref().and_then(|response| response.id.as_deref()) {
            self.id = Some(id.to_owned());
        }
        match &*event.r#type {
            "response.output_text.delta" => {
                self.enter(event.item_id, answer, out);
                answer.text(&piece(event.delta)?, out);
            }
            "response.refusal.delta" => {
                self.enter(event.item_id, answer, out);
                answer.refuse(&piece(event.delta)?, out);
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                answer.reason(&piece(event.delta)?, out);
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                end(event.response.unwrap_or_default(), &event.r#type, data, answer)?;
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
        for item in list::<&RawValue>(response.output)? {
            // What has another shape belongs to the server's own tools, or is new.
            if let Ok(item) = serde_json::from_str::<Item<'_>>(item.get()) {
                item.say(answer, out)?;
            }
        }
        end(response, "", body, answer)
    }
}

impl Reader {
    /// The text that follows is of this message.
    fn enter(&mut self, item: Option<Cow<'_, str>>, answer: &mut Answer, out: &mut Out) {
        if item.is_some() && self.item.as_deref() != item.as_deref() {
            if self.item.is_some() {
                answer.begin_line(out);
            }
            self.item = item.map(Cow::into_owned);
        }
    }
}

fn piece(delta: Option<&RawValue>) -> Result<Piece, Broken> {
    Ok(serde_json::from_str(delta.map_or("\"\"", RawValue::get))?)
}

/// The end by the response's own status, or, where it has none, by the event's type.
fn end(
    response: Response<'_>,
    r#type: &str,
    data: &str,
    answer: &mut Answer,
) -> Result<(), Broken> {
    let status = response.status.as_deref().unwrap_or_default();
    let reason = response.incomplete_details.unwrap_or_default().reason.unwrap_or_default();
    let finish = match if status.is_empty() { r#type } else { status } {
        _ if response.error.is_some() => {
            return answer.failed(response.error.map_or(data, RawValue::get));
        }
        "failed" | "response.failed" => return answer.failed(data),
        "incomplete" | "response.incomplete" => match &*reason {
            "" | "max_output_tokens" | "max_tokens" => Finish::Length,
            "content_filter" => Finish::Filter,
            other => Finish::Other(other.to_owned()),
        },
        "completed" | "response.completed" => answer.stop(),
        // A whole body without a status is half a body.
        "" => return Ok(()),
        other => Finish::Other(other.to_owned()),
    };
    // A report in another shape costs the figures, not the answer.
    let usage = response.usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
    answer.usage = usage.map(Usage::into);
    answer.finish = Some(finish);
    Ok(())
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    item_id: Option<Cow<'a, str>>,
    /// Text for the types that are read; others have other things there.
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<Response<'a>>,
}

#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    incomplete_details: Option<Details<'a>>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Details<'a> {
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<Piece>,
    refusal: Option<Piece>,
}

impl Item<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        match self.r#type.as_deref() {
            Some("message") => {
                answer.begin_line(out);
                for part in list::<Part>(self.content)? {
                    part.text.iter().for_each(|piece| answer.text(piece, out));
                    part.refusal.iter().for_each(|piece| answer.refuse(piece, out));
                }
            }
            Some("reasoning") => {
                for list in [self.summary, self.content].map(list::<Part>) {
                    // Thoughts in another shape cost themselves, not the answer.
                    let texts = list.into_iter().flatten().filter_map(|part| part.text);
                    texts.for_each(|piece| answer.reason(&piece, out));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn list<'a, T: Deserialize<'a>>(list: Option<&'a RawValue>) -> serde_json::Result<Vec<T>> {
    list.map_or_else(|| Ok(Vec::new()), |list| serde_json::from_str(list.get()))
}

#[derive(Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<Read>,
    output_tokens_details: Option<Written>,
}

#[derive(Deserialize)]
struct Read {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Written {
    reasoning_tokens: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.input_tokens.unwrap_or_default(),
            output: usage.output_tokens.unwrap_or_default(),
            cached: usage.input_tokens_details.and_then(|of| of.cached_tokens).unwrap_or_default(),
            reasoning: usage
                .output_tokens_details
                .and_then(|of| of.reasoning_tokens)
                .unwrap_or_default(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
