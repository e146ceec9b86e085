//! Tools, calls and results of `generateContent`, in requests and in answers.
//!
//! A call comes whole, and may have a signature, which goes back with it.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use silcrow_event::{ContentPart, Message, Role};
use silcrow_provider::{ToolDeclaration, vendor_name};

use crate::body_list::write_item;
use crate::media_parts::{MediaPiece, pieces};
use crate::schema::{object, object_schema};

/// The tools that a request declares.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GeminiTools<'a> {
    function_declarations: Vec<DeclaredGeminiTool<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeclaredGeminiTool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    parameters_json_schema: Cow<'a, RawValue>,
}

/// Returns the list of tools, which is empty without any.
pub(super) fn tools(tools: &[ToolDeclaration]) -> Vec<GeminiTools<'_>> {
    let declared = tools.iter().map(|tool| DeclaredGeminiTool {
        name: tool.vendor_name(),
        description: &tool.description,
        parameters_json_schema: object_schema(&tool.schema),
    });
    let function_declarations: Vec<_> = declared.collect();
    match function_declarations.is_empty() {
        true => Vec::new(),
        false => vec![GeminiTools { function_declarations }],
    }
}

/// Writes a message with its calls or results.
pub(super) fn write_parts(message: &Message, out: &mut Vec<u8>) {
    let is_model = message.role == Role::Assistant;
    let mut parts: Vec<WrittenGeminiPart<'_>> = Vec::new();
    let mut has_call = false;
    for part in message.content.parts() {
        parts.push(match part {
            ContentPart::Call(call) => {
                // Of parallel calls only the first one is signed. A call of another model gets the
                // documented stand-in, because one without any is refused.
                let is_first = !std::mem::replace(&mut has_call, true);
                let foreign = is_first.then_some(FOREIGN);
                WrittenGeminiPart {
                    function_call: Some(WrittenGeminiCall {
                        name: vendor_name(&call.name),
                        args: object(&call.args),
                    }),
                    thought_signature: call.opaque.as_deref().or(foreign),
                    ..WrittenGeminiPart::default()
                }
            }
            ContentPart::Result(result) => WrittenGeminiPart {
                function_response: Some(WrittenGeminiResult {
                    name: vendor_name(&result.name),
                    response: match result.is_error {
                        true => GeminiOutcome { error: Some(&result.text), output: None },
                        false => GeminiOutcome { output: Some(&result.text), error: None },
                    },
                }),
                ..WrittenGeminiPart::default()
            },
            ContentPart::Opaque(_) => continue,
            ContentPart::Media(_) => {
                let shown = pieces([part], |_| true).into_iter();
                parts.extend(shown.map(WrittenGeminiPart::shown));
                continue;
            }
            other => {
                let text = other.text();
                if text.is_empty() {
                    continue;
                }
                WrittenGeminiPart { text: Some(text), ..WrittenGeminiPart::default() }
            }
        });
    }
    if !parts.is_empty() {
        let role = if is_model { "model" } else { "user" };
        write_item(out, &WrittenGeminiTurn { role, parts });
    }
}

#[derive(Serialize)]
struct WrittenGeminiTurn<'a> {
    role: &'static str,
    parts: Vec<WrittenGeminiPart<'a>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenGeminiPart<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<WrittenGeminiCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<WrittenGeminiResult<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inline_data: Option<GeminiBlob<'a>>,
}

/// The bytes of a picture, a document or a sound.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GeminiBlob<'a> {
    mime_type: &'a str,
    data: String,
}

impl<'a> WrittenGeminiPart<'a> {
    /// Returns the part of a medium, or of the line before it.
    fn shown(piece: MediaPiece<'a>) -> Self {
        match piece {
            MediaPiece::Text(text) => Self { text: Some(text.into()), ..Self::default() },
            MediaPiece::Medium(loaded) => {
                let (mime_type, data) = (&*loaded.medium.mime, loaded.base64());
                Self { inline_data: Some(GeminiBlob { mime_type, data }), ..Self::default() }
            }
        }
    }
}

#[derive(Serialize)]
struct WrittenGeminiCall<'a> {
    name: Cow<'a, str>,
    args: Cow<'a, RawValue>,
}

#[derive(Serialize)]
struct WrittenGeminiResult<'a> {
    name: Cow<'a, str>,
    response: GeminiOutcome<'a>,
}

#[derive(Serialize)]
struct GeminiOutcome<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

/// The placeholder for the signature of a call that another model made.
pub(crate) const FOREIGN: &str = "skip_thought_signature_validator";
