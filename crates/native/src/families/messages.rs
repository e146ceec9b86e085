//! Families that write messages with headers, which name their recipients.

use crate::body_encoding::BodyEncoding;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::json_body::{JsonForm, JsonShape};
use crate::messages::{HeaderStyle, MessageForm};
use crate::parameter_form::{NameForm, ParameterForm, TagForm};

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "harmony",
        aliases: &["gpt_oss"],
        models: &["gpt-oss"],
        dropped: &["<|end|>", "<|return|>", "<|call|>"],
        prompt: "<|start|>assistant",
        messages: Some(&HARMONY),
        ..MESSAGES
    },
    FamilyData {
        name: "beam",
        models: &["beam"],
        dropped: &["<|end|>", "<|return|>", "<|call|>"],
        prompt: "<|start|>assistant",
        messages: Some(&BEAM),
        ..MESSAGES
    },
    FamilyData {
        name: "muse",
        aliases: &["glimmer"],
        models: &["muse", "glimmer"],
        calls: &[CallOpener::inside("<atem:invoke ", MarkPlace::Behind, MUSE_FORM)],
        closers: &["</atem:function_calls>", "</atem:invoke>"],
        dropped: &["<|eom|>", "<|eot|>"],
        prompt: "<|start|>assistant",
        messages: Some(&MUSE),
        ..MESSAGES
    },
    FamilyData {
        name: "inkling",
        models: &["inkling"],
        dropped: &["<|end_message|>", "<|content_model_end_sampling|>"],
        messages: Some(&INKLING),
        ..MESSAGES
    },
];

const MESSAGES: FamilyData = FamilyData {
    kind: FamilyKind::Messages,
    think: &[],
    think_end: &[],
    needs_special_tokens: true,
    ..FamilyData::BASE
};

const HARMONY: MessageForm = MessageForm {
    starts: &["<|start|>", "<|channel|>"],
    bodies: &["<|message|>"],
    style: HeaderStyle::Channel,
    call: BodyEncoding::Json(&JsonForm {
        shape: JsonShape::Arguments,
        ends: &["<|call|>", "<|end|>", "<|return|>", "<|start|>", "<|channel|>"],
        ..JsonForm::OBJECT
    }),
};
const BEAM: MessageForm = MessageForm {
    call: BodyEncoding::Parameters(&ParameterForm {
        name: NameForm::Bare,
        key: TagForm::with("<rfl:parameter ", "name", ">"),
        value_close: "</rfl:parameter>",
        outer: &["<|call|>", "<|end|>", "<|return|>", "<|start|>"],
        has_framing: true,
        may_end_open: true,
        ..ParameterForm::BASE
    }),
    ..HARMONY
};
const MUSE: MessageForm = MessageForm {
    starts: &["<|start|>"],
    bodies: &["<|message|>"],
    style: HeaderStyle::Recipient,
    call: MUSE_FORM,
};
const MUSE_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::Tag(TagForm::with("<atem:invoke ", "name", ">")),
    key: TagForm::with("<atem:parameter ", "name", ">"),
    value_close: "</atem:parameter>",
    ends: &["</atem:invoke>"],
    outer: &["</atem:function_calls>", "<|eom|>", "<|eot|>"],
    opens: &["<atem:invoke "],
    skipped: &["<atem:function_calls>"],
    ..ParameterForm::BASE
});
const INKLING: MessageForm = MessageForm {
    starts: &[
        "<|message_model|>",
        "<|content_text|>",
        "<|content_thinking|>",
        "<|content_invoke_tool_json|>",
        "<|content_invoke_tool_text|>",
    ],
    bodies: &[
        "<|content_text|>",
        "<|content_thinking|>",
        "<|content_invoke_tool_json|>",
        "<|content_invoke_tool_text|>",
    ],
    style: HeaderStyle::Mark,
    call: BodyEncoding::Json(&JsonForm {
        ends: &["<|end_message|>", "<|message_model|>", "<|content_model_end_sampling|>"],
        ..JsonForm::OBJECT
    }),
};
