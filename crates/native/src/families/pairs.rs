//! Families whose parameters are pairs of a key and a value, each between marks.

use crate::body_encoding::BodyEncoding;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::header::HeaderPart;
use crate::json_body::JsonForm;
use crate::parameter_form::{NameForm, ParameterForm, TagForm};

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData { name: "glm45", models: &["glm-4.5", "glm-4.6"], ..GLM },
    FamilyData { name: "glm47", aliases: &["glm5"], models: &["glm-4.7", "glm-5"], ..GLM },
    FamilyData {
        name: "ling3",
        models: &["ling-3", "ling3", "ring-3"],
        dropped: &["<|role_end|>", "<|im_end|>", "<|endoftext|>"],
        stops: &[],
        ..GLM
    },
    FamilyData {
        name: "spark25",
        models: &["spark-2.5", "spark2.5"],
        dropped: &["<|End|>", "<|im_end|>", "</s>"],
        stops: &[],
        ..GLM
    },
    FamilyData {
        name: "poolside",
        aliases: &["laguna"],
        models: &["poolside", "laguna"],
        dropped: &["</assistant>", "<|im_end|>"],
        stops: &[],
        ..GLM
    },
    FamilyData {
        name: "hy_v3",
        aliases: &["hy_v4"],
        models: &["hy-v3", "hunyuan-3", "hy3", "hy-v4", "hunyuan-4"],
        calls: &[CallOpener::new("<tool_calls>", HY_FORM), CallOpener::new("<tool_call>", HY_FORM)],
        closers: &["</tool_calls>", "</tool_call>"],
        dropped: &["<|eos|>", "<|im_end|>"],
        stops: &[],
        ..GLM
    },
    FamilyData {
        name: "k2_horizon",
        models: &["k2-horizon"],
        think: &["<ifm|think>", "<ifm|think_fast>", "<ifm|think_faster>"],
        think_end: &["</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>"],
        calls: &[
            CallOpener::new("<ifm|tool_calls>", K2_FORM),
            CallOpener::new("<ifm|tool_calls>", K2_JSON_SECTION),
            CallOpener::new("<ifm|tool_call>", K2_FORM),
            CallOpener::new("<ifm|tool_call>", K2_JSON),
        ],
        closers: &["</ifm|tool_calls>", "</ifm|tool_call>"],
        dropped: &["<|im_end|>", "<|endoftext|>", "<ifm|end>"],
        stops: &[],
        ..GLM
    },
    FamilyData {
        name: "kimi_k3",
        models: &["kimi-k3"],
        think: &["<|open|>think<|sep|>"],
        think_end: &["<|close|>think<|sep|>"],
        answer: &["<|open|>response<|sep|>"],
        answer_end: &["<|close|>response<|sep|>"],
        calls: &[
            CallOpener::new("<|open|>tools<|sep|>", K3_FORM),
            CallOpener::inside("<|open|>call ", MarkPlace::Anywhere, K3_FORM),
        ],
        closers: &["<|close|>tools<|sep|>", "<|close|>call<|sep|>"],
        dropped: &["<|close|>message<|sep|>", "<|end_of_msg|>", "<|im_end|>"],
        stops: &[],
        needs_special_tokens: true,
        ..GLM
    },
];

const GLM: FamilyData = FamilyData {
    kind: FamilyKind::Parameters,
    calls: &[CallOpener::new("<tool_call>", GLM_FORM)],
    closers: &["</tool_call>"],
    dropped: &["<|endoftext|>", "<|im_end|>", "<|assistant|>"],
    stops: &["<|observation|>", "<|user|>"],
    calls_end_thought: true,
    ..FamilyData::BASE
};

const PAIRS: ParameterForm = ParameterForm {
    name: NameForm::Bare,
    key: TagForm::bare("<arg_key>", "</arg_key>"),
    value_open: "<arg_value>",
    value_close: "</arg_value>",
    ends: &["</tool_call>"],
    opens: &["<tool_call>"],
    ..ParameterForm::BASE
};
const GLM_FORM: BodyEncoding = BodyEncoding::Parameters(&PAIRS);
const HY_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::BareBehind("<tool_call>"),
    outer: &["</tool_calls>"],
    skipped: &["<tool_sep>"],
    ..PAIRS
});
const K2_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::BareBehind("<ifm|tool_call>"),
    key: TagForm::bare("<ifm|arg_key>", "</ifm|arg_key>"),
    kind: Some(TagForm::bare("<ifm|arg_type>", "</ifm|arg_type>")),
    value_open: "<ifm|arg_value>",
    value_close: "</ifm|arg_value>",
    ends: &["</ifm|tool_call>"],
    outer: &["</ifm|tool_calls>"],
    opens: &["<ifm|tool_call>"],
    ..ParameterForm::BASE
});
const K2_JSON: BodyEncoding = BodyEncoding::Json(&JsonForm {
    ends: &["</ifm|tool_call>", "</ifm|tool_calls>"],
    ..JsonForm::OBJECT
});
const K2_JSON_SECTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[HeaderPart::Blanks, HeaderPart::Text("<ifm|tool_call>"), HeaderPart::Blanks]],
    ends: &["</ifm|tool_call>", "</ifm|tool_calls>"],
    ..JsonForm::OBJECT
});
const K3_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::Tag(TagForm {
        decodes_entities: true,
        ..TagForm::with("<|open|>call ", "tool", "<|sep|>")
    }),
    key: TagForm { decodes_entities: true, ..TagForm::with("<|open|>argument ", "key", "<|sep|>") },
    value_close: "<|close|>argument<|sep|>",
    ends: &["<|close|>call<|sep|>"],
    outer: &["<|close|>tools<|sep|>"],
    opens: &["<|open|>call "],
    ..ParameterForm::BASE
});
