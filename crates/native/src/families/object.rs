//! Families whose call is a JSON object with a name and arguments.

use crate::body_encoding::BodyEncoding;
use crate::call_object::CallKeys;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::json_body::{JsonForm, JsonShape};

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "hermes",
        aliases: &["qwen", "qwen25", "qwen3", "qwq", "mimo_vl", "smollm3"],
        models: &["hermes", "qwen2.5", "qwen3", "qwq", "mimo-vl", "smollm3"],
        ..TAGS
    },
    FamilyData { name: "reka", models: &["reka"], ..TAGS },
    FamilyData {
        name: "ernie45",
        models: &["ernie-4.5", "ernie4.5"],
        answer: &["<response>"],
        answer_end: &["</response>"],
        ..TAGS
    },
    FamilyData {
        name: "granite4",
        models: &["granite-4"],
        dropped: &["<|end_of_text|>", "<|im_end|>"],
        ..TAGS
    },
    FamilyData {
        name: "longcat",
        models: &["longcat"],
        calls: &[CallOpener::new("<longcat_tool_call>", LONGCAT)],
        closers: &["</longcat_tool_call>"],
        think: &["<longcat_think>", "<think>"],
        think_end: &["</longcat_think>", "</think>"],
        dropped: &["</longcat_s>", "</s>"],
        ..TAGS
    },
    FamilyData {
        name: "granite20b",
        models: &["granite-20b"],
        calls: &[CallOpener::new("<function_call>", BARE)],
        closers: &["</function_call>"],
        dropped: &["<|endoftext|>"],
        ..TAGS
    },
    FamilyData {
        name: "internlm2",
        models: &["internlm2"],
        calls: &[
            CallOpener::new("<|action_start|><|plugin|>", INTERNLM),
            CallOpener::new("<|action_start|> <|plugin|>", INTERNLM),
        ],
        closers: &["<|action_end|>"],
        dropped: &["<|im_end|>", "</s>"],
        needs_special_tokens: true,
        ..TAGS
    },
    FamilyData {
        name: "llama3_json",
        aliases: &["llama3"],
        models: &["llama-3", "llama3"],
        calls: &[
            CallOpener::new("<|python_tag|>", BARE),
            CallOpener::inside("{", MarkPlace::Start, UNMARKED),
            CallOpener { place: MarkPlace::Behind, ..CallOpener::new(";", UNMARKED) },
        ],
        closers: &[],
        dropped: &["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"],
        ..TAGS
    },
    FamilyData {
        name: "gigachat3",
        models: &["gigachat3", "gigachat-3"],
        calls: &[
            CallOpener::new("<|message_sep|>\n\nfunction call<|role_sep|>\n", BARE),
            CallOpener::new("<|function_call|>", BARE),
        ],
        closers: &[],
        dropped: &["</s>", "<|message_sep|>"],
        needs_special_tokens: true,
        ..TAGS
    },
];

const TAGS: FamilyData = FamilyData {
    kind: FamilyKind::Object,
    calls: &[CallOpener::new("<tool_call>", OBJECT)],
    closers: &["</tool_call>"],
    ..FamilyData::BASE
};

const OBJECT: BodyEncoding =
    BodyEncoding::Json(&JsonForm { ends: &["</tool_call>"], ..JsonForm::OBJECT });
const LONGCAT: BodyEncoding =
    BodyEncoding::Json(&JsonForm { ends: &["</longcat_tool_call>"], ..JsonForm::OBJECT });
const INTERNLM: BodyEncoding =
    BodyEncoding::Json(&JsonForm { ends: &["<|action_end|>"], ..JsonForm::OBJECT });
const BARE: BodyEncoding = BodyEncoding::Json(&JsonForm::OBJECT);
const UNMARKED: BodyEncoding =
    BodyEncoding::Json(&JsonForm { is_unmarked: true, ..JsonForm::OBJECT });

impl JsonForm {
    /// An object with a name and arguments.
    pub(crate) const OBJECT: Self = Self {
        shape: JsonShape::Object,
        keys: CallKeys::Named,
        headers: &[],
        ends: &["</s>", "<|"],
        tail: None,
        needs_object: false,
        is_unmarked: false,
    };
}
