//! The texts that clients of OpenAI read.

use silcrow_event::{Entry, RunEventRef};
use silcrow_front::{
    CallItems, ChatCompletionsEncoder, CompletionHead, CompletionRequest, OpenAiError,
    OpenAiErrorKind, ResponseHead, ResponseRequest, ResponsesEncoder, RunEncoder, RunEnd,
    model_list,
};

/// Returns an encoder of responses: for the stream with calls of either form, for the rest of the
/// stream after an event, or for the whole response.
pub(super) fn responses(target: &str) -> Result<Box<dyn RunEncoder>, String> {
    let call_items = if target == "pairs" { CallItems::FunctionPairs } else { CallItems::Mcp };
    let head = ResponseHead::new("resp_1", "silcrow", CREATED).with_call_items(call_items);
    let encoder = ResponsesEncoder::new("talk", head);
    match target {
        "" | "pairs" => Ok(Box::new(encoder)),
        "whole" => Ok(Box::new(Whole { encoder, body: ResponsesEncoder::response })),
        _ => {
            let number = target.strip_prefix("after-").and_then(|number| number.parse().ok());
            let number = number.ok_or_else(|| format!("there is no target `{target}`"))?;
            Ok(Box::new(encoder.with_starting_after(number)))
        }
    }
}

/// Returns an encoder of completions: for the stream, or for the whole completion.
pub(super) fn chat_completions(target: &str) -> Result<Box<dyn RunEncoder>, String> {
    let head = CompletionHead::new("chatcmpl-1", "silcrow", CREATED).with_usage(true);
    let encoder = ChatCompletionsEncoder::new("talk", head);
    let body = |encoder: &ChatCompletionsEncoder| {
        encoder.completion().unwrap_or_else(|error| error.to_json())
    };
    match target {
        "" => Ok(Box::new(encoder)),
        "whole" => Ok(Box::new(Whole { encoder, body })),
        _ => Err(format!("there is no target `{target}`")),
    }
}

/// Returns the request as it is read, or the status and the body of the error.
pub(super) fn request(protocol: &str, body: &str) -> Result<String, String> {
    let read = match protocol {
        "responses-request" => {
            ResponseRequest::parse(body.as_bytes()).map(|request| format!("{request:?}"))
        }
        _ => CompletionRequest::parse(body.as_bytes()).map(|request| format!("{request:?}")),
    };
    Ok(read.unwrap_or_else(|error| line(&error)))
}

/// Returns an error of each kind, on a line with its status.
pub(super) fn errors() -> String {
    use OpenAiErrorKind as Kind;
    let kinds = [
        Kind::Invalid,
        Kind::Unauthorized,
        Kind::Forbidden,
        Kind::NotFound,
        Kind::Conflict,
        Kind::TooLarge,
        Kind::TooMany,
        Kind::Failed,
        Kind::Unavailable,
    ];
    let error = |kind| OpenAiError::new(kind, "This is wrong.").with_param("model");
    kinds.map(|kind| line(&error(kind))).join("\n")
}

/// Returns a list of models.
pub(super) fn models() -> String {
    model_list(["silcrow", "silcrow-plain"], CREATED)
}

fn line(error: &OpenAiError) -> String {
    format!("{} {}", error.kind().status(), error.to_json())
}

/// Writes the whole body at the end, instead of a stream.
struct Whole<E> {
    encoder: E,
    body: fn(&E) -> String,
}

impl<E: RunEncoder> RunEncoder for Whole<E> {
    fn skip(&mut self, entry: &Entry) {
        self.encoder.skip(entry);
    }

    fn begin(&mut self, _out: &mut String) {
        self.encoder.begin(&mut String::new());
    }

    fn encode(&mut self, event: RunEventRef<'_>, _out: &mut String) {
        self.encoder.encode(event, &mut String::new());
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        self.encoder.end(end, &mut String::new());
        out.push_str(&(self.body)(&self.encoder));
    }
}

const CREATED: u64 = 1_767_225_600;
