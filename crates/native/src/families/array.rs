//! Families whose calls are the elements of a JSON array.

use crate::body_encoding::BodyEncoding;
use crate::call_object::CallKeys;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::json_body::{JsonForm, JsonShape};

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "mistral_json",
        models: &["mistral-", "mixtral-"],
        calls: &[CallOpener::new("[TOOL_CALLS]", LIST)],
        needs_special_tokens: true,
        ..ARRAY
    },
    FamilyData {
        name: "phi4mini",
        aliases: &["phi4_mini"],
        models: &["phi-4-mini", "phi4-mini"],
        calls: &[CallOpener::new("functools", LIST)],
        dropped: &["<|end|>", "<|endoftext|>"],
        ..ARRAY
    },
    FamilyData {
        name: "firefunction",
        models: &["firefunction"],
        calls: &[CallOpener::new("functools", LIST)],
        dropped: &["<|eot_id|>"],
        ..ARRAY
    },
    FamilyData { name: "jamba", models: &["jamba"], ..ARRAY },
    FamilyData {
        name: "hunyuan_a13b",
        models: &["hunyuan-a13b"],
        answer: &["<answer>"],
        answer_end: &["</answer>"],
        dropped: &["<|eos|>", "</s>"],
        ..ARRAY
    },
    FamilyData {
        name: "granite33",
        models: &["granite-3"],
        think: &["Here is my thought process:", "Here's my thought process:", "<think>"],
        think_end: &["Here is my response:", "Here's my response:", "</think>"],
        answer: &["<response>"],
        answer_end: &["</response>"],
        calls: &[CallOpener::new("<|tool_call|>", LIST), CallOpener::new("<tool_call>", LIST)],
        closers: &["</tool_call>", "<|/tool_call|>"],
        dropped: &["<|end_of_text|>"],
        ..ARRAY
    },
    FamilyData {
        name: "nemotron_nano_v2",
        models: &["nemotron-nano-v2", "nemotron-nano-9b-v2", "nemotron-nano-12b-v2"],
        calls: &[CallOpener::new("<TOOLCALL>", TOOLCALL)],
        closers: &["</TOOLCALL>"],
        dropped: &["<SPECIAL_12>", "</s>"],
        ..ARRAY
    },
    FamilyData {
        name: "apriel",
        models: &["apriel"],
        think: &["Here are my reasoning steps:", "<think>"],
        think_end: &["[BEGIN FINAL RESPONSE]", "</think>"],
        answer_end: &["[END FINAL RESPONSE]"],
        dropped: &["<|end|>", "</s>"],
        ..ARRAY
    },
    FamilyData {
        name: "xlam",
        models: &["xlam"],
        calls: &[
            CallOpener::inside("[", MarkPlace::Start, UNMARKED),
            CallOpener::new("```json", FENCED),
            CallOpener::new("```", FENCED),
            CallOpener::new("[TOOL_CALLS]", LIST),
            CallOpener::new("<tool_call>", TOOL_CALL),
        ],
        closers: &["</tool_call>"],
        ..ARRAY
    },
    FamilyData {
        name: "cohere_cmd",
        aliases: &["cohere"],
        models: &["command-r7b", "command-a", "command", "cohere", "c4ai"],
        think: &["<|START_THINKING|>"],
        think_end: &["<|END_THINKING|>"],
        answer: &["<|START_RESPONSE|>", "<|START_TEXT|>"],
        answer_end: &["<|END_RESPONSE|>", "<|END_TEXT|>"],
        calls: &[CallOpener::new("<|START_ACTION|>", ACTION)],
        closers: &["<|END_ACTION|>"],
        dropped: &["<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|START_OF_TURN_TOKEN|>"],
        calls_end_thought: true,
        needs_special_tokens: true,
        ..ARRAY
    },
    FamilyData {
        name: "command_r_plus",
        models: &["command-r-plus", "command-r-v01"],
        answer: &["Answer:", "Grounded answer:"],
        calls: &[
            CallOpener { place: MarkPlace::Line, ..CallOpener::new("Action:\n```json", FENCED) },
            CallOpener { place: MarkPlace::Line, ..CallOpener::new("Action: ```json", FENCED) },
        ],
        closers: &[],
        dropped: &["<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>"],
        ..ARRAY
    },
    FamilyData {
        name: "apertus",
        models: &["apertus"],
        think: &["<|inner_prefix|>"],
        think_end: &["<|inner_suffix|>"],
        calls: &[CallOpener::new("<|tools_prefix|>", APERTUS)],
        closers: &["<|tools_suffix|>"],
        dropped: &["<|assistant_end|>"],
        needs_special_tokens: true,
        ..ARRAY
    },
    FamilyData {
        name: "sarashina",
        models: &["sarashina"],
        calls: &[
            CallOpener::new("<|tool_calls|>", PYTHON),
            CallOpener::inside("[", MarkPlace::Start, UNMARKED_PYTHON),
        ],
        closers: &["<|/tool_calls|>"],
        needs_special_tokens: true,
        ..ARRAY
    },
];

const ARRAY: FamilyData = FamilyData {
    kind: FamilyKind::Array,
    calls: &[CallOpener::new("<tool_calls>", TOOL_CALLS)],
    closers: &["</tool_calls>"],
    ..FamilyData::BASE
};

const LIST: BodyEncoding = BodyEncoding::Json(&JsonForm::LIST);
const TOOL_CALLS: BodyEncoding =
    BodyEncoding::Json(&JsonForm { ends: &["</tool_calls>"], ..JsonForm::LIST });
const TOOL_CALL: BodyEncoding = BodyEncoding::Json(&JsonForm {
    shape: JsonShape::ObjectOrList,
    ends: &["</tool_call>"],
    ..JsonForm::LIST
});
const TOOLCALL: BodyEncoding =
    BodyEncoding::Json(&JsonForm { ends: &["</TOOLCALL>"], ..JsonForm::LIST });
const UNMARKED: BodyEncoding =
    BodyEncoding::Json(&JsonForm { is_unmarked: true, ..JsonForm::LIST });
const FENCED: BodyEncoding =
    BodyEncoding::Json(&JsonForm { is_unmarked: true, tail: Some("```"), ..JsonForm::LIST });
const ACTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    shape: JsonShape::ObjectOrList,
    ends: &["<|END_ACTION|>", "<|END_OF_TURN_TOKEN|>"],
    ..JsonForm::LIST
});
const APERTUS: BodyEncoding = BodyEncoding::Json(&JsonForm {
    keys: CallKeys::NameIsKey,
    ends: &["<|tools_suffix|>", "<|assistant_end|>"],
    ..JsonForm::LIST
});
const PYTHON: BodyEncoding =
    BodyEncoding::Json(&JsonForm { keys: CallKeys::Python, ..JsonForm::LIST });
const UNMARKED_PYTHON: BodyEncoding =
    BodyEncoding::Json(&JsonForm { keys: CallKeys::Python, is_unmarked: true, ..JsonForm::LIST });

impl JsonForm {
    /// A list of objects, which may also be one object.
    pub(crate) const LIST: Self = Self { shape: JsonShape::List, ..Self::OBJECT };
}
