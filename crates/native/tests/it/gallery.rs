//! The output over time, for a text of each kind that arrives in small pieces.

use std::fmt::Write as _;

use silcrow_native::Fragment;

use crate::reading::Setup;

const TEXTS: &[(&str, &str)] = &[
    (
        "hermes",
        "<think>Hm.</think>On it. <tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a<b\"}}\n</tool_call> done",
    ),
    (
        "mistral_json",
        "Sure.[TOOL_CALLS][{\"name\": \"ls\", \"arguments\": {\"n\": 1}, \"id\": \"123456789\"}]",
    ),
    (
        "kimi_k2",
        "<think>Hm<|tool_calls_section_begin|><|tool_call_begin|>functions.ls:0<|tool_call_argument_begin|>{\"n\": 1}<|tool_call_end|><|tool_calls_section_end|>",
    ),
    (
        "qwen3_coder",
        "Use <tool_call> so:\n<tool_call>\n<function=ls>\n<parameter=path>\n</par\n</parameter>\n</function>\n</tool_call>",
    ),
    (
        "minimax_m3",
        "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"ls\">]<]minimax[>[<n>1]<]minimax[>[</n>]<]minimax[>[</invoke>]<]minimax[>[</tool_call>",
    ),
    ("pythonic", "Look:\n[ls(path='a'), pwd()]\nand [1, 2]"),
    (
        "gemma4",
        "<|channel>thought\nHm<channel|><|tool_call>call:ls{n:1,s:<|\"|>a}<|\"|>}<tool_call|>",
    ),
    (
        "harmony",
        "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>commentary to=functions.ls<|message|>{\"n\": 1}<|call|>",
    ),
];

#[test]
fn gallery() {
    let mut out = String::new();
    for (family, text) in TEXTS {
        let _ = writeln!(out, "{family}");
        let mut parser = Setup::new(family.parse().unwrap()).parser().with_call_text();
        let pieces: Vec<char> = text.chars().collect();
        for piece in pieces.chunks(8) {
            let piece: String = piece.iter().collect();
            let mut emitted = Vec::new();
            parser.push(&piece, &mut |fragment| emitted.push(name(&fragment)));
            let _ = writeln!(out, "{:<16}{}", format!("{piece:?}"), emitted.join("  "));
        }
        let mut emitted = Vec::new();
        parser.finish(&mut |fragment| emitted.push(name(&fragment)));
        let _ = writeln!(out, "{:<16}{}\n", "end", emitted.join("  "));
    }
    insta::assert_snapshot!(out);
}

fn name(fragment: &Fragment<'_>) -> String {
    match fragment {
        Fragment::Text(text) => format!("{} {:?}", text.kind.type_name(), text.text),
        Fragment::CallText(piece) => format!("piece {:?}", piece.text),
        Fragment::Call(call) => format!("call {} {} {}", call.id(), call.name(), call.args()),
        Fragment::Close { part } => format!("close {part}"),
        Fragment::Diagnostic(found) => format!("{} {:?}", found.kind, found.content),
        other => format!("{other:?}"),
    }
}
