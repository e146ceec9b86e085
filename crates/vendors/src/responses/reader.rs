//! Decodes the events of Responses, and whole responses.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use silcrow_event as event;
use silcrow_provider::ToolDeclaration;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader};
use crate::calls::AnswerCalls;
use crate::ends;
use crate::lenient::{LenientField, LenientObject};
use crate::responses::native::AnswerItem;
use crate::usage::{self, InputTokenDetails, OutputTokenDetails};

/// Reads the events of a response, or a whole response.
///
/// A response may have several messages, such as a comment and the answer. Each begins a line.
#[derive(Default)]
pub(crate) struct ResponsesReader {
    /// The id of the message whose text arrived last.
    item: Option<String>,
    /// The id of the response, if the server sent it.
    pub(crate) id: Option<String>,
    calls: AnswerCalls,
}

impl EventReader for ResponsesReader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<ControlFlow<()>, EventError> {
        let event: ResponsesEvent<'_> = serde_json::from_str(data)?;
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
            "response.output_item.added" if self.calls.are_declared() => {
                AnswerItem::read(event.item).begin(&mut self.calls, answer, out)?;
            }
            "response.output_item.done" if self.calls.are_declared() => {
                let item = AnswerItem::read(event.item);
                item.end(event.item.json(), &mut self.calls, answer, out)?;
            }
            "response.function_call_arguments.delta" => {
                let item = event.item_id.word();
                if item.is_none_or(|item| self.calls.is_open(&item)) {
                    event.delta.text().iter().for_each(|piece| self.calls.args(piece, out));
                } else if self.calls.are_declared() {
                    return answer.late();
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                end(&response, &event.r#type, data, answer)?;
                return Ok(ControlFlow::Break(()));
            }
            "error" => return answer.failed(data),
            // Other events belong to the server's own tools, repeat text, or are new.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(
        &mut self,
        body: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        let response: ResponsesResponse<'_> = serde_json::from_str(body)?;
        for item in response.output.items() {
            // Other shapes belong to the server's own tools, or are new.
            if self.calls.are_declared() {
                AnswerItem::read(item).keep_phase(out);
            }
            if let Some(LenientObject(Some(read))) = item.read::<LenientObject<OutputItem<'_>>>() {
                read.add_to(answer, out);
            }
            if self.calls.are_declared() {
                AnswerItem::read(item).end(item.json(), &mut self.calls, answer, out)?;
            }
        }
        end(&response, "", body, answer)
    }
}

impl ResponsesReader {
    pub(crate) fn new(tools: &Arc<[ToolDeclaration]>) -> Self {
        Self { calls: AnswerCalls::new(tools), ..Self::default() }
    }

    /// Records that the text that follows belongs to this message.
    fn enter(&mut self, item: LenientField<'_>, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        let item = item.word();
        if item.is_some() && self.item.as_deref() != item.as_deref() {
            if self.item.is_some() {
                answer.begin_line(out);
            }
            self.item = item.map(Cow::into_owned);
        }
    }
}

/// Ends the answer with the status of the response, or with the event's type if it has none.
fn end(
    response: &ResponsesResponse<'_>,
    r#type: &str,
    data: &str,
    answer: &mut AnswerBuilder,
) -> Result<(), EventError> {
    if response.error.is_set() {
        return answer.failed(response.error.json());
    }
    answer.report(response.usage.read::<ResponsesUsage<'_>>());
    match response.status.word().as_deref().unwrap_or(r#type) {
        "failed" | "response.failed" => return answer.failed(data),
        "incomplete" | "response.incomplete" => {
            let details =
                response.incomplete_details.read().and_then(|LenientObject(details)| details);
            let reason = details.and_then(|IncompleteDetails { reason }| reason.word());
            answer.end(ends::INCOMPLETE, reason.as_deref().unwrap_or("max_output_tokens"), "");
        }
        // A body without a status is incomplete.
        "" => {}
        status => answer.end(ends::RESPONSES, status, ""),
    }
    Ok(())
}

#[derive(Deserialize)]
struct ResponsesEvent<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    item_id: LenientField<'a>,
    #[serde(borrow)]
    item: LenientField<'a>,
    /// The text of the types that are read; other types have other contents.
    #[serde(borrow)]
    delta: LenientField<'a>,
    #[serde(borrow)]
    response: LenientObject<ResponsesResponse<'a>>,
}

#[derive(Default, Deserialize)]
struct ResponsesResponse<'a> {
    #[serde(borrow)]
    id: LenientField<'a>,
    #[serde(borrow)]
    status: LenientField<'a>,
    #[serde(borrow)]
    error: LenientField<'a>,
    #[serde(borrow)]
    incomplete_details: LenientField<'a>,
    #[serde(borrow)]
    output: LenientField<'a>,
    #[serde(borrow)]
    usage: LenientField<'a>,
}

#[derive(Deserialize)]
struct IncompleteDetails<'a> {
    #[serde(borrow)]
    reason: LenientField<'a>,
}

#[derive(Deserialize)]
struct OutputItem<'a> {
    #[serde(borrow)]
    r#type: LenientField<'a>,
    #[serde(borrow)]
    content: LenientField<'a>,
    #[serde(borrow)]
    summary: LenientField<'a>,
}

#[derive(Default, Deserialize)]
struct OutputPart<'a> {
    #[serde(borrow)]
    text: LenientField<'a>,
    #[serde(borrow)]
    refusal: LenientField<'a>,
}

impl OutputItem<'_> {
    fn add_to(&self, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
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

/// Returns the parts of a content. A bare text is one part.
fn parts(content: LenientField<'_>) -> impl Iterator<Item = OutputPart<'_>> {
    content.items().into_iter().map(|item| match item.read() {
        Some(LenientObject(Some(part))) => part,
        _ => OutputPart { text: item, ..OutputPart::default() },
    })
}

#[derive(Deserialize)]
struct ResponsesUsage<'a> {
    #[serde(borrow)]
    input_tokens: LenientField<'a>,
    #[serde(borrow)]
    output_tokens: LenientField<'a>,
    #[serde(borrow)]
    input_tokens_details: LenientObject<InputTokenDetails<'a>>,
    #[serde(borrow)]
    output_tokens_details: LenientObject<OutputTokenDetails<'a>>,
}

impl From<ResponsesUsage<'_>> for event::Usage {
    fn from(usage: ResponsesUsage<'_>) -> Self {
        usage::with_details(
            [usage.input_tokens, usage.output_tokens],
            usage.input_tokens_details,
            usage.output_tokens_details,
        )
    }
}

#[cfg(test)]
mod tests;
