//! Families whose parameters are in tags, with the key in the tag.

use crate::body_encoding::BodyEncoding;
use crate::call_object::CallKeys;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::json_body::{JsonForm, JsonShape};
use crate::parameter_form::{NameForm, ParameterForm, TagForm};

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "qwen3_coder",
        models: &["qwen3-coder", "qwen3.5", "qwen3.6", "qwen3.7", "qwen3.8"],
        ..QWEN
    },
    FamilyData {
        name: "nemotron3",
        models: &["nemotron-3", "nemotron-nano-3", "nemotron3"],
        ..QWEN
    },
    FamilyData {
        name: "step35",
        aliases: &["step37", "step5"],
        models: &["step-3.5", "step3p5", "step-3.7", "step-5"],
        ..QWEN
    },
    FamilyData {
        name: "mimo",
        models: &["mimo-v2"],
        calls: &[
            CallOpener::new("<tool_call>", MIMO_FORM),
            CallOpener::inside("<function=", MarkPlace::Anywhere, MIMO_FORM),
        ],
        ..QWEN
    },
    FamilyData {
        name: "seed_oss",
        models: &["seed-oss"],
        think: &["<seed:think>"],
        think_end: &["</seed:think>"],
        calls: &[
            CallOpener::new("<seed:tool_call>", SEED_FORM),
            CallOpener::inside("<function=", MarkPlace::Behind, SEED_FORM),
        ],
        closers: &["</seed:tool_call>", "</function>"],
        dropped: &["<seed:eos>"],
        ..QWEN
    },
    FamilyData {
        name: "deepseek_v32",
        models: &["deepseek-v3.2"],
        calls: &[
            CallOpener::new("<｜DSML｜function_calls>", DSML_FORM),
            CallOpener::inside("<｜DSML｜invoke ", MarkPlace::Anywhere, DSML_FORM),
        ],
        closers: &["</｜DSML｜function_calls>", "</｜DSML｜invoke>"],
        ..DSML
    },
    FamilyData {
        name: "deepseek_v4",
        models: &["deepseek-v4"],
        calls: &[
            CallOpener::new("<｜DSML｜tool_calls>", DSML_FORM),
            CallOpener::inside("<｜DSML｜invoke ", MarkPlace::Anywhere, DSML_FORM),
        ],
        closers: &["</｜DSML｜tool_calls>", "</｜DSML｜invoke>"],
        ..DSML
    },
    FamilyData {
        name: "deepseek_v41",
        models: &["deepseek-v4.1"],
        calls: &[
            CallOpener::new("<｜DSML｜ calls>", DSML41_FORM),
            CallOpener::new("<｜DSML｜ calls>", DSML41_JSON),
            CallOpener::inside("<｜DSML｜ invoke ", MarkPlace::Anywhere, DSML41_FORM),
        ],
        closers: &["</｜DSML｜ calls>", "</｜DSML｜ invoke>"],
        ..DSML
    },
    FamilyData {
        name: "minimax_m2",
        models: &["minimax"],
        calls: &[
            CallOpener::new("<minimax:tool_call>", MINIMAX_FORM),
            CallOpener::inside("<invoke ", MarkPlace::Behind, MINIMAX_FORM),
        ],
        closers: &["</minimax:tool_call>", "</invoke>"],
        dropped: &["[e~["],
        ..QWEN
    },
    FamilyData {
        name: "step3",
        models: &["step3"],
        calls: &[
            CallOpener::new("<｜tool_calls_begin｜>", STEP_FORM),
            CallOpener::new("<｜tool_call_begin｜>", STEP_FORM),
        ],
        closers: &["<｜tool_calls_end｜>", "<｜tool_call_end｜>", "</steptml:invoke>"],
        ..QWEN
    },
    FamilyData {
        name: "minicpm5",
        models: &["minicpm5", "minicpm-5"],
        calls: &[CallOpener::inside("<function ", MarkPlace::Anywhere, MINICPM_FORM)],
        closers: &["</function>"],
        ..QWEN
    },
    FamilyData {
        name: "dots",
        models: &["dots"],
        calls: &[
            CallOpener::new("<dots_function_call>", DOTS_FORM),
            CallOpener::new("<dots_function_call>", DOTS_JSON),
            CallOpener::inside("<invoke ", MarkPlace::Behind, DOTS_FORM),
        ],
        closers: &["</dots_function_call>", "</invoke>"],
        dropped: &["<|endofassistant|>", "<|endoftext|>"],
        ..QWEN
    },
];

const QWEN: FamilyData = FamilyData {
    kind: FamilyKind::Parameters,
    calls: &[
        CallOpener::new("<tool_call>", QWEN_FORM),
        CallOpener::inside("<function=", MarkPlace::Anywhere, QWEN_FORM),
    ],
    closers: &["</tool_call>", "</function>"],
    calls_end_thought: true,
    ..FamilyData::BASE
};
const DSML: FamilyData =
    FamilyData { dropped: &["<｜end▁of▁sentence｜>", "<｜Assistant｜>"], ..QWEN };

const FUNCTION: ParameterForm = ParameterForm {
    name: NameForm::Tag(TagForm::bare("<function=", ">")),
    ends: &["</function>"],
    outer: &["</tool_call>"],
    opens: &["<tool_call>", "<function="],
    ..ParameterForm::BASE
};
const QWEN_FORM: BodyEncoding =
    BodyEncoding::Parameters(&ParameterForm { has_framing: true, ..FUNCTION });
const MIMO_FORM: BodyEncoding = BodyEncoding::Parameters(&FUNCTION);
const SEED_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    outer: &["</seed:tool_call>"],
    opens: &["<seed:tool_call>", "<function="],
    has_framing: true,
    ..FUNCTION
});
const DSML_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::Tag(TagForm::with("<｜DSML｜invoke ", "name", ">")),
    key: TagForm::with("<｜DSML｜parameter ", "name", ">"),
    value_close: "</｜DSML｜parameter>",
    ends: &["</｜DSML｜invoke>"],
    outer: &["</｜DSML｜function_calls>", "</｜DSML｜tool_calls>"],
    opens: &["<｜DSML｜invoke "],
    ..ParameterForm::BASE
});
const DSML41_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::Tag(TagForm::with("<｜DSML｜ invoke ", "name", ">")),
    key: TagForm::with("<｜DSML｜ parameter ", "name", ">"),
    value_close: "</｜DSML｜ parameter>",
    ends: &["</｜DSML｜ invoke>"],
    outer: &["</｜DSML｜ calls>"],
    opens: &["<｜DSML｜ invoke "],
    ..ParameterForm::BASE
});
const DSML41_JSON: BodyEncoding = BodyEncoding::Json(&JsonForm {
    shape: JsonShape::ObjectOrList,
    keys: CallKeys::Named,
    ends: &["</｜DSML｜ calls>"],
    ..JsonForm::OBJECT
});
const INVOKE: ParameterForm = ParameterForm {
    name: NameForm::Tag(TagForm::with("<invoke ", "name", ">")),
    key: TagForm::with("<parameter ", "name", ">"),
    ends: &["</invoke>"],
    opens: &["<invoke "],
    ..ParameterForm::BASE
};
const MINIMAX_FORM: BodyEncoding =
    BodyEncoding::Parameters(&ParameterForm { outer: &["</minimax:tool_call>"], ..INVOKE });
const DOTS_FORM: BodyEncoding =
    BodyEncoding::Parameters(&ParameterForm { outer: &["</dots_function_call>"], ..INVOKE });
const DOTS_JSON: BodyEncoding = BodyEncoding::Json(&JsonForm {
    shape: JsonShape::ObjectOrList,
    ends: &["</dots_function_call>"],
    ..JsonForm::OBJECT
});
const STEP_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::Tag(TagForm::with("<steptml:invoke ", "name", ">")),
    key: TagForm::with("<steptml:parameter ", "name", ">"),
    value_close: "</steptml:parameter>",
    ends: &["</steptml:invoke>"],
    outer: &["<｜tool_call_end｜>", "<｜tool_calls_end｜>"],
    skipped: &["<｜tool_call_begin｜>", "function", "<｜tool_sep｜>"],
    ..ParameterForm::BASE
});
const MINICPM_FORM: BodyEncoding = BodyEncoding::Parameters(&ParameterForm {
    name: NameForm::Tag(TagForm::with("<function ", "name", ">")),
    key: TagForm::with("<param ", "name", ">"),
    value_close: "</param>",
    ends: &["</function>"],
    opens: &["<function "],
    cdata_close: "]]></param>",
    ..ParameterForm::BASE
});
