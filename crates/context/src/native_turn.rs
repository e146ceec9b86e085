//! Turns as a vendor's own tool calling has them (P-45).
//!
//! This module makes the parts of such messages.

use std::collections::HashMap;
use std::sync::Arc;

use silcrow_event::{
    Call, CallResult, Content, ContentPart, DataMark, Event, NativeCall, NativeResult,
    ResultOrigin, ResultStatus,
};
use silcrow_media::Senses;

use crate::media_parts::with_media;

/// The state of messages for a vendor's own calls.
#[derive(Clone)]
pub(crate) struct NativeTurns {
    /// The name of the model, which reads its own opaque data.
    model: Arc<str>,
    /// The number of the model's messages so far.
    count: u32,
    /// The ids of the calls in the last one, as they are sent, by their own ids.
    calls: HashMap<String, String>,
}

impl NativeTurns {
    pub(crate) fn new(model: &str) -> Self {
        Self { model: model.into(), count: 0, calls: HashMap::new() }
    }

    /// Returns whether these are the turns for the model with this name.
    pub(crate) fn is_for(&self, model: &str) -> bool {
        &*self.model == model
    }

    /// Returns whether a thought goes back to the model: one with data of the same model.
    pub(crate) fn keeps(&self, event: &Event) -> bool {
        match event {
            Event::Think(think) => {
                think.opaque.as_ref().is_some_and(|opaque| opaque.for_model(&self.model).is_some())
            }
            _ => false,
        }
    }

    /// Returns the message with the model's texts and calls, or nothing if it has neither.
    pub(crate) fn said<'a>(
        &mut self,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Option<Content> {
        self.count += 1;
        self.calls.clear();
        let mut parts: Vec<ContentPart> = Vec::new();
        for event in events {
            match event {
                Event::Think(think) => {
                    let data =
                        think.opaque.as_ref().and_then(|opaque| opaque.for_model(&self.model));
                    parts.extend(data.map(|data| ContentPart::Opaque(data.to_owned())));
                }
                Event::Respond(said) => {
                    let text = said.wire.as_ref().unwrap_or(&said.content);
                    match parts.last_mut() {
                        Some(ContentPart::Text(last)) => {
                            last.push_str("\n\n");
                            last.push_str(text);
                        }
                        _ => parts.push(ContentPart::Text(text.clone())),
                    }
                }
                Event::Call(call) => parts.push(ContentPart::Call(self.call(call))),
                _ => {}
            }
        }
        // A vendor takes no thought at the end.
        while matches!(parts.last(), Some(ContentPart::Opaque(_))) {
            parts.pop();
        }
        (!parts.is_empty()).then(|| parts.into_iter().collect())
    }

    /// Returns the results of the calls of the last message, and then, as text, results without a
    /// call.
    pub(crate) fn results<'a>(
        &mut self,
        results: impl IntoIterator<Item = &'a CallResult>,
        mark: Option<DataMark>,
        senses: Senses,
    ) -> Content {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let mut media = Vec::new();
        for result in results {
            // The text of a result takes no pictures. They follow the results.
            let shown = result.content.media().filter(|medium| senses.takes(&medium.mime));
            media.extend(shown.map(|medium| ContentPart::Media(Box::new(medium.clone()))));
            let blind: Vec<_> =
                result.content.media().filter(|medium| !senses.takes(&medium.mime)).collect();
            let text = text_of(result, mark);
            let text = match blind.is_empty() {
                true => text,
                false => with_media(text.into(), &blind, senses).into_text(),
            };
            let id = result.id.as_ref().and_then(|id| self.calls.remove(id));
            match id {
                Some(id) => own.push(ContentPart::Result(NativeResult {
                    id,
                    name: result.tool().unwrap_or_default().to_owned(),
                    text,
                    is_error: result.status() == ResultStatus::Failure,
                })),
                None => others.push(ContentPart::Text(text)),
            }
        }
        own.into_iter().chain(others).chain(media).collect()
    }

    fn call(&mut self, call: &Call) -> NativeCall {
        let id = self.id(call.id());
        self.calls.insert(call.id().to_owned(), id.clone());
        let data = call.opaque().and_then(|opaque| opaque.for_model(&self.model));
        NativeCall {
            id,
            name: call.name().to_owned(),
            args: call.args().to_owned(),
            opaque: data.map(str::to_owned),
        }
    }

    /// Returns the id with which a call is sent. One that a vendor made is unique; any other is so only
    /// within its turn.
    fn id(&self, id: &str) -> String {
        let is_valid = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '-';
        match (VENDORS..=LONGEST).contains(&id.len()) && id.chars().all(is_valid) {
            true => id.to_owned(),
            false => {
                let plain = id.chars().map(|char| if is_valid(char) { char } else { '_' });
                let plain: String = plain.take(LONGEST / 2).collect();
                format!("call_{}_{plain}", self.count)
            }
        }
    }
}

/// Returns the text of a result for the model: its header, its content, and its end if the middle
/// is left out. The content from a tool is between two lines with the mark.
fn text_of(result: &CallResult, mark: Option<DataMark>) -> String {
    let mut text = result.content.text().into_owned();
    if let Some(tail) = result.truncated().and_then(|cut| cut.tail.as_deref()) {
        text.push_str("\n[…]\n");
        text.push_str(tail);
    }
    if let (Some(mark), ResultOrigin::Tool) = (mark, result.origin()) {
        text = mark.wrap(&text);
    }
    let header = result.header();
    if text.is_empty() { header } else { format!("{header}\n{text}") }
}

/// The lengths of the ids that vendors make.
const VENDORS: usize = 16;
const LONGEST: usize = 64;
