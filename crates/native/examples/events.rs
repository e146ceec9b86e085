//! Reads a model's output from standard input, and prints events as JSON, one a line.
//!
//! `cargo run -p silcrow-native --example events -- --form hermes < answer.txt`
//!
//! | option | meaning |
//! |---|---|
//! | `--form NAME` | the family; several are separated by commas |
//! | `--model NAME` | the model, whose name decides the family |
//! | `--in-thought` | the prompt has opened the thought |
//! | `--tools FILE` | declarations of tools, as in a request of Chat Completions |
//! | `--chunks N` | reads the text in pieces of `N` bytes, or `whole` |
//! | `--pieces` | also prints the pieces of calls |
#![expect(clippy::print_stdout, reason = "its reader sits at a terminal")]

use std::error::Error;
use std::io::Read as _;
use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_lex::{DecodedText, Utf8Decoder};
use silcrow_native::{Fragment, NativeFamily, NativeParser, TextKind, ToolSchemas};

fn main() -> Result<(), Box<dyn Error>> {
    let mut families = Vec::new();
    let (mut in_thought, mut pieces, mut size) = (false, false, usize::MAX);
    let mut tools = ToolSchemas::new();
    let mut args = std::env::args().skip(1);
    while let Some(option) = args.next() {
        match option.as_str() {
            "--in-thought" => in_thought = true,
            "--pieces" => pieces = true,
            "parse" => {}
            "--form" => {
                for name in args.next().unwrap_or_default().split(',') {
                    families.push(name.parse::<NativeFamily>()?);
                }
            }
            "--model" => families.extend(NativeFamily::of_model(&args.next().unwrap_or_default())),
            "--tools" => tools = read_tools(&args.next().unwrap_or_default())?,
            "--chunks" => size = args.next().unwrap_or_default().parse().unwrap_or(usize::MAX),
            other => return Err(format!("unknown option `{other}`").into()),
        }
    }
    let mut parser = NativeParser::for_families(&families).with_tools(Arc::new(tools));
    if in_thought {
        parser = parser.with_open_thought();
    }
    if pieces {
        parser = parser.with_call_text();
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let mut utf8 = Utf8Decoder::new();
    for chunk in text.chunks(size.max(1)) {
        utf8.push(chunk, &mut |piece: DecodedText<'_>| parser.push(piece.text, &mut print));
    }
    utf8.finish(&mut |piece: DecodedText<'_>| parser.push(piece.text, &mut print));
    parser.finish(&mut print);
    Ok(())
}

fn print(fragment: Fragment<'_>) {
    let event = match fragment {
        Fragment::Text(text) if text.kind == TextKind::Think => {
            json!({"type": "think", "part": text.part, "content": text.text})
        }
        Fragment::Text(text) => {
            json!({"type": "respond", "part": text.part, "content": text.text})
        }
        Fragment::Call(call) => {
            json!({"type": "call", "id": call.id(), "content": call.content()})
        }
        Fragment::CallText(piece) => {
            json!({"type": "call_text", "call": piece.call, "name": piece.name, "text": piece.text})
        }
        Fragment::InvalidCall(call) => {
            json!({"type": "invalid_call", "id": call.id, "why": call.why, "text": call.text})
        }
        Fragment::Diagnostic(found) => {
            json!({"type": "diagnostic", "kind": found.kind.as_str(), "content": found.content, "at": found.at})
        }
        Fragment::Execute => json!({"type": "execute"}),
        _ => return,
    };
    println!("{event}");
}

fn read_tools(path: &str) -> Result<ToolSchemas, Box<dyn Error>> {
    let declared: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    Ok(declared.iter().fold(ToolSchemas::new(), |tools, tool| {
        let tool = tool.get("function").unwrap_or(tool);
        let name = tool["name"].as_str().unwrap_or_default();
        tools.with_tool(name, tool["parameters"].clone())
    }))
}
