//! Parses the tool-call formats that models were trained to write: thoughts, answers and calls of
//! sixty model families, chunk by chunk.
//!
//! A model trained for tools writes calls in its own form: `<tool_call>` with JSON, `[TOOL_CALLS]`,
//! a header with a recipient, and many more. An inference server or a gateway has to find them in a
//! stream whose chunks may be cut anywhere. This crate reads every family with the same few
//! readers, and emits thoughts, answers, and calls with JSON arguments as soon as they are certain.
//!
//! ```toml
//! [dependencies]
//! serde_json = "1"
//! silcrow-native = "0.1"
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use serde_json::json;
//! use silcrow_native::{Fragment, NativeFamily, NativeParser, ToolSchemas};
//!
//! let schema = json!({"properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}});
//! let tools = Arc::new(ToolSchemas::new().with_tool("head", schema));
//! let family = NativeFamily::of_model("Qwen/Qwen3-Coder-30B").expect("its name is known");
//!
//! let mut parser = NativeParser::new(family).with_tools(tools).with_call_text();
//! let (mut answer, mut written, mut calls) = (String::new(), String::new(), Vec::new());
//! let mut take = |fragment: Fragment<'_>| match fragment {
//!     Fragment::Text(text) if text.kind.is_respond() => answer.push_str(text.text),
//!     // A server sends these as deltas of `tool_calls[].function.arguments`.
//!     Fragment::CallText(piece) => written.push_str(piece.text),
//!     Fragment::Call(call) => calls.push((call.name().to_owned(), call.args().to_owned())),
//!     _ => {}
//! };
//! for chunk in [
//!     "I look at it.<too", "l_call>\n<function=head>\n<parameter=pa", "th>\nsrc/ma",
//!     "in.rs\n</para", "meter>\n<parameter=lines>\n5\n</parameter>\n</function>\n</tool_call>",
//! ] {
//!     parser.push(chunk, &mut take);
//! }
//! parser.finish(&mut take);
//! assert_eq!(answer, "I look at it.");
//! assert_eq!(calls, [("head".to_owned(), r#"{"path":"src/main.rs","lines":5}"#.to_owned())]);
//! assert_eq!(written, calls[0].1);
//! ```
//!
//! Create one parser for each answer. It takes text; `silcrow-lex` decodes bytes. Choose the family
//! by its name or by the model's name, and say with [`NativeParser::with_open_thought`] whether the prompt
//! has already opened the thought. [`NativeParser::for_families`] reads several families at once. The
//! fragments are the same as in [`silcrow-parser`], which also shows how to keep them.
//!
//! [`MixedForms`] reads native calls in the answers of another parser, for a model that was asked
//! to write a dialect and falls back into its trained form.
//!
//! # Families
//!
//! | encoding | one call is | families |
//! |---|---|---|
//! | [`Object`] | a JSON object with a name and arguments | `hermes` (Qwen2.5, Qwen3, QwQ), `reka`, `ernie45`, `granite4`, `longcat`, `granite20b`, `internlm2`, `llama3_json`, `gigachat3` |
//! | [`Array`] | an element of a JSON array | `mistral_json`, `phi4mini`, `firefunction`, `jamba`, `hunyuan_a13b`, `granite33`, `nemotron_nano_v2`, `apriel`, `xlam`, `cohere_cmd`, `command_r_plus`, `apertus`, `sarashina` |
//! | [`Header`] | a name between marks, then JSON | `mistral_args` (Devstral, Magistral), `kimi_k2`, `deepseek_v3`, `deepseek_v31`, `functionary31`, `functionary32`, `solar_open`, `plamo3` |
//! | [`Parameters`] | a name, then values of bare text | `qwen3_coder` (Qwen3.5 to 3.8), `nemotron3`, `step35`, `mimo`, `seed_oss`, `deepseek_v32`, `deepseek_v4`, `deepseek_v41`, `minimax_m2`, `step3`, `minicpm5`, `dots`, `glm45`, `glm47` (GLM 5), `ling3`, `spark25`, `poolside`, `hy_v3`, `k2_horizon`, `kimi_k3` |
//! | [`Elements`] | nested elements | `minimax_m3` |
//! | [`Expression`] | a call as in Python | `pythonic`, `llama4_pythonic`, `lfm2`, `olmo3` |
//! | [`Loose`] | an object with bare keys | `gemma4`, `functiongemma` |
//! | [`Messages`] | a message with a recipient | `harmony` (gpt-oss), `beam`, `muse`, `inkling` |
//! | [`Thought`] | none | `deepseek_r1`, `granite_think`, `olmo3_think`, `minicpm_v`, `holo2`, `exaone4`, `identity` |
//!
//! A family is a table of marks over one of these readers. [`NativeFamily::needs_special_tokens`]
//! says whether a server has to keep special tokens in the text.
//!
//! # What holds
//!
//! - Wherever the text is cut, the joined fragments are the same, including diagnostics.
//! - Parsing never fails. A call that cannot be read is an [`InvalidCall`], and a mark that does
//!   not count is text.
//! - A mark inside a JSON string, a literal or a quoted value is text. The last bracket of the JSON
//!   ends a call, whatever follows.
//! - A bare value ends at its closing mark only if the format allows the text after it: in
//!   `qwen3_coder` a `</parameter>` counts before another `<parameter=` or `</function>`, so that a
//!   value may quote it.
//! - An opening mark counts only if the format allows the text after it, so prose may mention it.
//! - Quoted text is never a call: text in a code fence, in inline code, in a quoted line, or after
//!   a quotation mark. The exceptions are families that write calls in fences, and messages, whose
//!   marks are tokens that text cannot spell.
//! - A call is complete when its arguments are, even without the marks after it. A value that runs
//!   into the end of the input is cut off, and never a call. After a broken connection
//!   [`NativeParser::finish_cut`] emits no [`Execute`](silcrow_event::Fragment::Execute) for complete
//!   calls either.
//! - An argument without a type gets its type from the tool's schema. A value that does not fit
//!   stays a string. Numbers keep their digits.
//! - Text before, between and after calls stays, in order. No mark reaches the answer; one that
//!   is out of place is reported as a [`Diagnostic`].
//! - The time is linear in the length of the text, and no memory is allocated for text.
//! - A call keeps the id that the model wrote, unless the turn has used it already.
//!
//! # What it does not do
//!
//! - It does not run calls or check their names and arguments against your tools: a call of an
//!   unknown tool is a call, which you can refuse.
//! - It does not render prompts or history; a chat template does.
//! - It does not repair JSON: a call with invalid JSON is an [`InvalidCall`] with the reason.
//! - It does not guess the family, or whether a thought is open, from the text.
//! - It does not bound the length of a call, which it holds until the call is complete: limit the
//!   length of an answer in front of it, such as with `silcrow_accumulate::AnswerCap`.
//! - It has no clock, no I/O and no global state, and never waits.
//! - Arguments may be nested 128 levels deep, as in [`Call`].
//!
//! `examples/events.rs` reads standard input and prints events as JSON.
//!
//! [`silcrow-parser`]: https://docs.rs/silcrow-parser
//! [`Object`]: FamilyKind::Object
//! [`Array`]: FamilyKind::Array
//! [`Header`]: FamilyKind::Header
//! [`Parameters`]: FamilyKind::Parameters
//! [`Elements`]: FamilyKind::Elements
//! [`Expression`]: FamilyKind::Expression
//! [`Loose`]: FamilyKind::Loose
//! [`Messages`]: FamilyKind::Messages
//! [`Thought`]: FamilyKind::Thought

#![warn(clippy::disallowed_types)]

mod body;
mod body_encoding;
mod body_reader;
mod body_state;
mod call_object;
mod call_sink;
mod elements;
mod expression;
mod families;
mod family_data;
mod family_kind;
mod header;
mod header_state;
mod json_body;
mod json_text;
mod loose;
mod marks;
mod messages;
mod mixed_forms;
mod native_family;
mod native_parser;
mod parameter_form;
mod parameter_values;
mod parameters;
mod python_literal;
mod quote_tracker;
mod tag_text;
mod text_state;
mod tool_schemas;
mod typed_value;
mod value_state;

pub use silcrow_event::{
    Call, CallTextFragment, Diagnostic, DiagnosticKind, Fragment, InvalidCall, TextFragment,
    TextKind,
};

pub use family_kind::FamilyKind;
pub use mixed_forms::MixedForms;
pub use native_family::{NativeFamily, UnknownFamily};
pub use native_parser::NativeParser;
pub use tool_schemas::ToolSchemas;
