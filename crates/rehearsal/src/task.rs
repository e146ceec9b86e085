//! The task of a conversation: the last prompt, and the steps so far.

use serde_json::Value;
use silcrow_event::{Call, CallResult, Event, Fragment, Message, Role};
use silcrow_parser::{Dialect, Options, Parser, read_results, write};

/// The person's request, and the calls for it so far.
#[derive(Debug, Default)]
pub(crate) struct PromptTask {
    /// The last prompt.
    pub(crate) prompt: String,
    /// The calls since the prompt, in order.
    pub(crate) done: Vec<FinishedCall>,
    /// The framework runs no further call.
    pub(crate) is_last_step: bool,
}

/// A call and its result.
#[derive(Debug)]
pub(crate) struct FinishedCall {
    /// The name of the tool.
    pub(crate) tool: String,
    /// The arguments of the call.
    pub(crate) args: Value,
    /// The result of the call.
    pub(crate) result: CallResult,
}

impl PromptTask {
    pub(crate) fn read(messages: &[Message], options: Options) -> Self {
        let mut task = Self::default();
        let mut asked = Vec::new();
        for message in messages {
            match message.role {
                Role::System => {}
                Role::Assistant => asked = calls(&message.text(), options),
                Role::User => task.push(&message.text(), std::mem::take(&mut asked), options),
            }
        }
        task
    }

    /// Returns the first call of this tool.
    pub(crate) fn first(&self, tool: &str) -> Option<&FinishedCall> {
        self.done.iter().find(|done| done.tool == tool)
    }

    /// Takes a user message: results, a prompt, or results and then a prompt.
    fn push(&mut self, content: &str, asked: Vec<Option<Call>>, options: Options) {
        let end = format!("\n{}\n", write([&Event::End], options));
        let (before, after) = content.split_once(&end).unwrap_or((content, ""));
        let results = read_results(before, options);
        let words = if results.is_empty() { content } else { after };
        self.take(asked, results);

        let last_step = words.trim_end().strip_suffix(LAST_STEP);
        self.is_last_step = last_step.is_some();
        let words = last_step.unwrap_or(words);
        let words = since_notice(words);
        if !words.is_empty() {
            self.prompt = plain(words, options);
            self.done.clear();
        }
    }

    /// Pairs calls and results by position.
    fn take(&mut self, asked: Vec<Option<Call>>, results: Vec<CallResult>) {
        let mut results = results.into_iter();
        for call in asked {
            let result =
                results.next().unwrap_or_else(|| CallResult::failure("", None, "", NO_RESULT));
            if let Some(call) = call {
                let args = serde_json::from_str(call.args()).unwrap_or_default();
                self.done.push(FinishedCall { tool: call.name().to_owned(), args, result });
            }
        }
    }
}

impl FinishedCall {
    /// Returns a text among the arguments, or an empty text.
    pub(crate) fn arg(&self, key: &str) -> &str {
        self.args.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Returns the calls of a turn. `None` marks a call that could not run, which has a result, too.
fn calls(wire: &str, options: Options) -> Vec<Option<Call>> {
    let mut calls = Vec::new();
    parse(wire, options, &mut |fragment| match fragment {
        Fragment::Call(call) => calls.push(Some(call)),
        Fragment::InvalidCall(_) => calls.push(None),
        _ => {}
    });
    calls
}

/// Returns a prompt as it was typed, before delimiters in it were escaped (P-3).
fn plain(words: &str, options: Options) -> String {
    let mut plain = String::new();
    // If results look like results in `phase`, so do the escapes beside them (P-18).
    let dialect = match options.dialect {
        Dialect::Action => Dialect::Phase,
        dialect => dialect,
    };
    parse(words, Options::new(dialect).with_inline(options.inline), &mut |fragment| {
        if let Fragment::Text(text) = fragment {
            plain.push_str(text.text);
        }
    });
    plain
}

fn parse(wire: &str, options: Options, sink: &mut dyn FnMut(Fragment<'_>)) {
    let mut parser = Parser::new(options);
    parser.push(wire, sink);
    parser.finish(sink);
}

/// Returns the words after the last notice of the framework.
fn since_notice(words: &str) -> &str {
    let after = NOTICES.iter().filter_map(|notice| Some(words.rfind(notice)? + notice.len()));
    words[after.max().unwrap_or(0)..].trim()
}

/// The notice after the last message of the last request of a run.
const LAST_STEP: &str =
    "[This is the last step of the run: answer now with what you have, and call nothing.]";

/// The notices of the framework in user messages.
const NOTICES: [&str; 4] = [
    "[The run was stopped here.]",
    "[You said that this was not your final answer: continue.]",
    "[The beginning of this conversation is not shown.]",
    "[Your last answer left a code fence open: nothing after its opening counted as a delimiter, and \
     no call in it ran.]",
];

const NO_RESULT: &str = "no result came";
