//! Families whose call is a name between marks, and then arguments in JSON.

use crate::body_encoding::BodyEncoding;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::header::HeaderPart::{Blanks, Id, Name, NameInId, Text};
use crate::json_body::{JsonForm, JsonShape};

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "mistral_args",
        aliases: &["mistral", "devstral", "magistral", "ministral"],
        models: &["devstral", "magistral", "ministral", "mistral-small-3", "mistral-small-3.2"],
        think: &["[THINK]", "<think>"],
        think_end: &["[/THINK]", "</think>"],
        calls: &[
            CallOpener::new("[TOOL_CALLS]", MISTRAL),
            CallOpener::new("[TOOL_CALLS]", BodyEncoding::Json(&JsonForm::LIST)),
        ],
        needs_special_tokens: true,
        ..HEADER
    },
    FamilyData {
        name: "kimi_k2",
        models: &["kimi-k2"],
        calls: &[
            CallOpener::new("<|tool_calls_section_begin|>", KIMI_SECTION),
            CallOpener::new("<|tool_call_section_begin|>", KIMI_SECTION),
            CallOpener::new("<|tool_call_begin|>", KIMI),
        ],
        closers: &["<|tool_calls_section_end|>", "<|tool_call_section_end|>", "<|tool_call_end|>"],
        dropped: &["<|im_end|>"],
        calls_end_thought: true,
        needs_special_tokens: true,
        ..HEADER
    },
    FamilyData {
        name: "deepseek_v3",
        models: &["deepseek-v3", "deepseek-r1"],
        calls: &[
            CallOpener::new(DEEPSEEK_CALLS, DEEPSEEK_V3_SECTION),
            CallOpener::new(DEEPSEEK_CALL, DEEPSEEK_V3),
            CallOpener::new(DEEPSEEK_CALLS, DEEPSEEK_V31_SECTION),
            CallOpener::new(DEEPSEEK_CALL, DEEPSEEK_V31),
            CallOpener::new("<｜tool_calls_begin｜>", DEEPSEEK_V3_SECTION),
            CallOpener::new("<｜tool calls begin｜>", DEEPSEEK_V3_SECTION),
            CallOpener::new("<｜tool\\_calls\\_begin｜>", DEEPSEEK_V3_SECTION),
        ],
        ..DEEPSEEK
    },
    FamilyData {
        name: "deepseek_v31",
        models: &["deepseek-v3.1", "deepseek-v3.2-exp", "deepseek-chat"],
        calls: &[
            CallOpener::new(DEEPSEEK_CALLS, DEEPSEEK_V31_SECTION),
            CallOpener::new(DEEPSEEK_CALL, DEEPSEEK_V31),
            CallOpener::new(DEEPSEEK_CALLS, DEEPSEEK_V3_SECTION),
            CallOpener::new(DEEPSEEK_CALL, DEEPSEEK_V3),
        ],
        ..DEEPSEEK
    },
    FamilyData {
        name: "functionary31",
        models: &["functionary-v3.1", "functionary-small-v3.1", "functionary-medium-v3.1"],
        calls: &[CallOpener::new("<function=", FUNCTIONARY31)],
        closers: &["</function>"],
        dropped: &["<|eot_id|>", "<|eom_id|>"],
        ..HEADER
    },
    FamilyData {
        name: "functionary32",
        models: &["functionary"],
        answer: &[">>>all\n"],
        calls: &[CallOpener { place: MarkPlace::Line, ..CallOpener::new(">>>", FUNCTIONARY32) }],
        dropped: &["<|eot_id|>", "<|eom_id|>"],
        prompt: ">>>",
        ..HEADER
    },
    FamilyData {
        name: "solar_open",
        models: &["solar-open"],
        think: &["<|think|>"],
        think_end: &["<|end|>"],
        answer: &["<|content|>"],
        calls: &[
            CallOpener::new("<|tool_calls|>", SOLAR_SECTION),
            CallOpener::new("<|tool_call:begin|>", SOLAR),
        ],
        closers: &["<|calls|>", "<|tool_call:end|>"],
        dropped: &["<|flush|>", "<|begin|>assistant", "<|end|>"],
        calls_end_thought: true,
        needs_special_tokens: true,
        ..HEADER
    },
    FamilyData {
        name: "plamo3",
        models: &["plamo-3", "plamo3"],
        think: &["<|plamo:begin_think:plamo|>"],
        think_end: &["<|plamo:end_think:plamo|>"],
        calls: &[
            CallOpener::new("<|plamo:begin_tool_requests:plamo|>", PLAMO_SECTION),
            CallOpener::new("<|plamo:begin_tool_request:plamo|>", PLAMO),
        ],
        closers: &[
            "<|plamo:end_tool_requests:plamo|>",
            "<|plamo:end_tool_request:plamo|>",
            "<|plamo:end_tool_arguments:plamo|>",
        ],
        dropped: &["<|plamo:eos|>", "<|plamo:msg|>", "<|plamo:op|>"],
        needs_special_tokens: true,
        ..HEADER
    },
];

const HEADER: FamilyData = FamilyData { kind: FamilyKind::Header, ..FamilyData::BASE };

const DEEPSEEK: FamilyData = FamilyData {
    closers: &[
        "<｜tool▁calls▁end｜>",
        "<｜tool▁call▁end｜>",
        "<｜tool_calls_end｜>",
        "<｜tool_call_end｜>",
    ],
    dropped: &["<｜end▁of▁sentence｜>", "<｜Assistant｜>"],
    calls_end_thought: true,
    ..HEADER
};
const DEEPSEEK_CALLS: &str = "<｜tool▁calls▁begin｜>";
const DEEPSEEK_CALL: &str = "<｜tool▁call▁begin｜>";
const DEEPSEEK_ENDS: &[&str] =
    &["<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "<｜end▁of▁sentence｜>"];

/// Arguments after a header.
const ARGUMENTS: JsonForm = JsonForm { shape: JsonShape::Arguments, ..JsonForm::OBJECT };

const MISTRAL: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[
        &[Blanks, Name, Text("[ARGS]")],
        &[Blanks, Name, Text("[CALL_ID]"), Id, Text("[ARGS]")],
    ],
    ends: &["</s>"],
    ..ARGUMENTS
});
const KIMI_ENDS: &[&str] = &["<|tool_call_end|>", "<|tool_calls_section_end|>", "<|im_end|>"];
const KIMI: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Blanks, NameInId, Blanks, Text("<|tool_call_argument_begin|>")]],
    ends: KIMI_ENDS,
    ..ARGUMENTS
});
const KIMI_SECTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[
        Blanks,
        Text("<|tool_call_begin|>"),
        Blanks,
        NameInId,
        Blanks,
        Text("<|tool_call_argument_begin|>"),
    ]],
    ends: KIMI_ENDS,
    ..ARGUMENTS
});
const DEEPSEEK_V3: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[
        &[Blanks, Text("function<｜tool▁sep｜>"), Name, Blanks, Text("```json")],
        &[Blanks, Text("function<｜tool▁sep｜>"), Name, Blanks],
    ],
    ends: DEEPSEEK_ENDS,
    tail: Some("```"),
    ..ARGUMENTS
});
const DEEPSEEK_V3_SECTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[
        &[
            Blanks,
            Text(DEEPSEEK_CALL),
            Text("function<｜tool▁sep｜>"),
            Name,
            Blanks,
            Text("```json"),
        ],
        &[Blanks, Text(DEEPSEEK_CALL), Text("function<｜tool▁sep｜>"), Name, Blanks],
    ],
    ends: DEEPSEEK_ENDS,
    tail: Some("```"),
    ..ARGUMENTS
});
const DEEPSEEK_V31: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Blanks, Name, Text("<｜tool▁sep｜>")]],
    ends: DEEPSEEK_ENDS,
    ..ARGUMENTS
});
const DEEPSEEK_V31_SECTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Blanks, Text(DEEPSEEK_CALL), Name, Text("<｜tool▁sep｜>")]],
    ends: DEEPSEEK_ENDS,
    ..ARGUMENTS
});
const FUNCTIONARY31: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Name, Text(">")]],
    ends: &["</function>"],
    ..ARGUMENTS
});
const FUNCTIONARY32: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Name, Text("\n"), Blanks]],
    needs_object: true,
    ..ARGUMENTS
});
const SOLAR_ENDS: &[&str] = &["<|tool_call:end|>", "<|calls|>"];
const SOLAR: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Id, Text("<|tool_call:name|>"), Name, Text("<|tool_call:args|>")]],
    ends: SOLAR_ENDS,
    ..ARGUMENTS
});
const SOLAR_SECTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[
        Blanks,
        Text("<|tool_call:begin|>"),
        Id,
        Text("<|tool_call:name|>"),
        Name,
        Text("<|tool_call:args|>"),
    ]],
    ends: SOLAR_ENDS,
    ..ARGUMENTS
});
const PLAMO_ENDS: &[&str] =
    &["<|plamo:end_tool_arguments:plamo|>", "<|plamo:end_tool_request:plamo|>"];
const PLAMO_NAME: &str = "<|plamo:begin_tool_name:plamo|>";
const PLAMO_ARGUMENTS: &str = "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|>";
const PLAMO: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[Text(PLAMO_NAME), Name, Text(PLAMO_ARGUMENTS), Text(PLAMO_JSON)]],
    ends: PLAMO_ENDS,
    ..ARGUMENTS
});
const PLAMO_SECTION: BodyEncoding = BodyEncoding::Json(&JsonForm {
    headers: &[&[
        Blanks,
        Text("<|plamo:begin_tool_request:plamo|>"),
        Text(PLAMO_NAME),
        Name,
        Text(PLAMO_ARGUMENTS),
        Text(PLAMO_JSON),
    ]],
    ends: PLAMO_ENDS,
    ..ARGUMENTS
});
const PLAMO_JSON: &str = "<|plamo:constrain|>json<|plamo:msg|>";
