//! Families whose calls are nested elements, expressions, or objects with bare keys.

use crate::body_encoding::BodyEncoding;
use crate::elements::ElementForm;
use crate::expression::ExpressionForm;
use crate::family_data::{CallOpener, FamilyData, MarkPlace};
use crate::family_kind::FamilyKind;
use crate::loose::LooseForm;

pub(crate) const FAMILIES: &[FamilyData] = &[
    FamilyData {
        name: "minimax_m3",
        models: &["minimax-m3", "mm-m3"],
        kind: FamilyKind::Elements,
        think: &["<mm:think>"],
        think_end: &["</mm:think>"],
        calls: &[
            CallOpener::new("]<]minimax[>[<tool_call>", M3_FORM),
            CallOpener::inside("]<]minimax[>[<invoke ", MarkPlace::Behind, M3_FORM),
        ],
        closers: &["]<]minimax[>[</tool_call>"],
        dropped: &["[e~["],
        calls_end_thought: true,
        ..FamilyData::BASE
    },
    FamilyData {
        name: "pythonic",
        models: &["llama-3.2-pythonic", "toolace"],
        calls: &[CallOpener::inside("[", MarkPlace::Line, UNMARKED)],
        dropped: &["<|eot_id|>", "<|eom_id|>"],
        ..EXPRESSION
    },
    FamilyData {
        name: "llama4_pythonic",
        aliases: &["llama4"],
        models: &["llama-4"],
        calls: &[
            CallOpener::new("<|python_start|>", PYTHON_START),
            CallOpener::inside("[", MarkPlace::Line, UNMARKED),
        ],
        closers: &["<|python_end|>"],
        dropped: &["<|eot|>", "<|eom|>"],
        ..EXPRESSION
    },
    FamilyData {
        name: "lfm2",
        models: &["lfm2"],
        calls: &[CallOpener::new("<|tool_call_start|>", LFM)],
        closers: &["<|tool_call_end|>"],
        dropped: &["<|im_end|>"],
        needs_special_tokens: true,
        ..EXPRESSION
    },
    FamilyData {
        name: "olmo3",
        models: &["olmo-3", "olmo3"],
        calls: &[CallOpener::new("<function_calls>", OLMO)],
        closers: &["</function_calls>"],
        ..EXPRESSION
    },
    FamilyData {
        name: "gemma4",
        models: &["gemma-4", "gemma4"],
        think: &["<|channel>thought\n", "<|channel>"],
        think_end: &["<channel|>"],
        calls: &[CallOpener::new("<|tool_call>", GEMMA)],
        closers: &["<tool_call|>"],
        dropped: &["<turn|>", "<end_of_turn>"],
        stops: &["<|tool_response>"],
        needs_special_tokens: true,
        ..LOOSE
    },
    FamilyData {
        name: "functiongemma",
        models: &["functiongemma"],
        calls: &[CallOpener::new("<start_function_call>", FUNCTION_GEMMA)],
        closers: &["<end_function_call>"],
        dropped: &["<end_of_turn>"],
        stops: &["<start_function_response>"],
        ..LOOSE
    },
];

const EXPRESSION: FamilyData = FamilyData { kind: FamilyKind::Expression, ..FamilyData::BASE };
const LOOSE: FamilyData = FamilyData { kind: FamilyKind::Loose, ..FamilyData::BASE };

const M3_FORM: BodyEncoding = BodyEncoding::Elements(&ElementForm {
    prefix: "]<]minimax[>[",
    open: "]<]minimax[>[<invoke name=\"",
    close: "]<]minimax[>[</invoke>",
});
const UNMARKED: BodyEncoding =
    BodyEncoding::Expression(&ExpressionForm { ends: &[], is_unmarked: true });
const PYTHON_START: BodyEncoding =
    BodyEncoding::Expression(&ExpressionForm { ends: &["<|python_end|>"], is_unmarked: false });
const LFM: BodyEncoding =
    BodyEncoding::Expression(&ExpressionForm { ends: &["<|tool_call_end|>"], is_unmarked: false });
const OLMO: BodyEncoding =
    BodyEncoding::Expression(&ExpressionForm { ends: &["</function_calls>"], is_unmarked: false });
const GEMMA: BodyEncoding = BodyEncoding::Loose(&LooseForm {
    prefix: "call:",
    quote: "<|\"|>",
    marks: &["<|\"|>", "<tool_call|>", "<|tool_response>"],
});
const FUNCTION_GEMMA: BodyEncoding = BodyEncoding::Loose(&LooseForm {
    prefix: "call:",
    quote: "<escape>",
    marks: &["<escape>", "<end_function_call>"],
});
