//! Tools, calls and results in requests to Messages.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use silcrow_event::{ContentPart, MediaRef, Message};
use silcrow_provider::{ToolDeclaration, vendor_name};

use crate::body_list::write_item;
use crate::media_parts::{MediaPiece, is_pdf, pieces};
use crate::schema::{object, object_schema};

/// A tool that a request declares.
#[derive(Serialize)]
pub(super) struct MessagesTool<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    input_schema: Cow<'a, RawValue>,
    /// Whether arguments are sent as the model writes them, and not a value at a time. Only the vendor's
    /// own server is known to take it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    eager_input_streaming: bool,
}

impl<'a> MessagesTool<'a> {
    pub(super) fn new(tool: &'a ToolDeclaration, is_eager: bool) -> Self {
        Self {
            name: tool.vendor_name(),
            description: &tool.description,
            input_schema: object_schema(&tool.schema),
            eager_input_streaming: is_eager,
        }
    }
}

/// Writes a message as blocks: results first, then the person's text; or the model's words and
/// calls in their order.
pub(super) fn write_blocks(message: &Message, out: &mut Vec<u8>) {
    let mut blocks = Vec::new();
    for part in message.content.parts() {
        blocks.extend(WrittenBlock::from_part(part));
        if let ContentPart::Media(_) = part {
            blocks.extend(pieces([part], takes).into_iter().filter_map(WrittenBlock::shown));
        }
    }
    blocks
        .sort_by_key(|block| !matches!(block, WrittenBlock::Known(KnownBlock::ToolResult { .. })));
    if !blocks.is_empty() {
        write_item(out, &WrittenBlocks { role: message.role.as_str(), content: blocks });
    }
}

#[derive(Serialize)]
struct WrittenBlocks<'a> {
    role: &'static str,
    content: Vec<WrittenBlock<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WrittenBlock<'a> {
    Known(KnownBlock<'a>),
    /// A block that goes back as it came.
    Kept(&'a RawValue),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum KnownBlock<'a> {
    Text {
        text: Cow<'a, str>,
    },
    ToolUse {
        id: &'a str,
        name: Cow<'a, str>,
        input: Cow<'a, RawValue>,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    Image {
        source: MessagesSource<'a>,
    },
    Document {
        source: MessagesSource<'a>,
        title: String,
    },
}

/// The bytes of a picture or a document.
#[derive(Serialize)]
struct MessagesSource<'a> {
    r#type: &'static str,
    media_type: &'a str,
    data: String,
}

fn takes(medium: &MediaRef) -> bool {
    medium.is_image() || is_pdf(medium)
}

impl<'a> WrittenBlock<'a> {
    /// Returns the block of a medium; the text before it has a block already.
    fn shown(piece: MediaPiece<'a>) -> Option<Self> {
        let MediaPiece::Medium(loaded) = piece else { return None };
        let source = MessagesSource {
            r#type: "base64",
            media_type: &loaded.medium.mime,
            data: loaded.base64(),
        };
        Some(Self::Known(match loaded.medium.is_image() {
            true => KnownBlock::Image { source },
            false => KnownBlock::Document { source, title: loaded.name() },
        }))
    }

    /// Returns the block of a part. A blank text has none, because the API rejects it.
    fn from_part(part: &'a ContentPart) -> Option<Self> {
        Some(Self::Known(match part {
            ContentPart::Call(call) => KnownBlock::ToolUse {
                id: &call.id,
                name: vendor_name(&call.name),
                input: object(&call.args),
            },
            ContentPart::Result(result) => KnownBlock::ToolResult {
                tool_use_id: &result.id,
                content: &result.text,
                is_error: result.is_error,
            },
            ContentPart::Opaque(data) => {
                return serde_json::from_str(data).ok().map(Self::Kept);
            }
            other => {
                let text = other.text();
                if text.trim().is_empty() {
                    return None;
                }
                KnownBlock::Text { text }
            }
        }))
    }
}
