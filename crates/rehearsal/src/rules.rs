//! The rules: which prompts match, and the next step for each.

use serde_json::json;
use silcrow_event::{Call, Event};
use silcrow_parser::MAX_BODY;

use crate::markdown::code;
use crate::report::{self, FolderListing};
use crate::task::PromptTask;
use crate::wish::{self, Intent};

/// A kind of prompt that has an answer.
struct PromptRule {
    /// The rule in words for a person.
    says: &'static str,
    /// Returns the request of a prompt of this kind, and `None` for all others.
    wish: fn(&str) -> Option<Intent>,
}

/// All rules; the first one that fits decides.
const RULES: [PromptRule; 4] = [
    PromptRule { says: "`note: TEXT` or `write TEXT to FILE` writes a file", wish: wish::write },
    PromptRule {
        says: "`search TEXT in FOLDER` finds the lines that hold a text",
        wish: wish::search,
    },
    PromptRule { says: "`read FILE` shows the beginning of a file", wish: wish::read },
    PromptRule { says: "`list FOLDER` or `What is in FOLDER?` lists a folder", wish: wish::list },
];

/// Returns the model's next text: a thought and calls up to the execution point, or an answer and
/// the end.
pub(crate) fn next(task: &PromptTask) -> Vec<Event> {
    let Some(wish) = RULES.iter().find_map(|rule| (rule.wish)(&task.prompt)) else {
        return answer(help());
    };
    match wish {
        Intent::List { path } => list(task, &path),
        Intent::Read { file } => match task.first("file_read") {
            Some(done) => answer(report::read(&file, &done.result)),
            None => call(
                task,
                format!("A rule fits: read {}.", code(&file)),
                [("file_read", json!({"file": file}))],
            ),
        },
        Intent::Search { query, path } => match task.first("file_search") {
            Some(done) => answer(report::search(&query, &done.result)),
            None => call(
                task,
                format!("A rule fits: search for {}.", code(&query)),
                [("file_search", json!({"query": query, "path": path}))],
            ),
        },
        Intent::Write { file, content } => match task.first("file_write") {
            Some(done) => answer(report::write(&file, &done.result)),
            None => call(
                task,
                format!("A rule fits: write {}.", code(&file)),
                [("file_write", json!({"file": file, "content": content}))],
            ),
        },
    }
}

/// Lists a folder, then reads the files that describe it, then answers.
fn list(task: &PromptTask, path: &str) -> Vec<Event> {
    let Some(listed) = task.first("file_list") else {
        return call(
            task,
            format!("A rule fits: list the folder {}.", code(path)),
            [("file_list", json!({"path": path}))],
        );
    };
    let Some(entries) = FolderListing::read(&listed.result) else {
        return answer(report::failure(&format!("list {}", code(path)), &listed.result));
    };
    let reads: Vec<_> = task.done.iter().filter(|done| done.tool == "file_read").collect();
    let telling = entries.telling();
    if reads.is_empty() && !telling.is_empty() && !task.is_last_step {
        let names: Vec<_> = telling.iter().map(|name| code(name)).collect();
        let think = format!("{} may tell what the folder is for.", names.join(" and "));
        let within = path.trim_end_matches('/');
        let calls = telling.iter().map(|name| {
            let file = match within {
                "." => (*name).to_owned(),
                _ => format!("{within}/{name}"),
            };
            ("file_read", json!({"file": file}))
        });
        return call(task, think, calls);
    }
    answer(report::list(path, &entries, &reads))
}

/// Returns calls and the execution point, or an answer if no call may run any more.
fn call(
    task: &PromptTask,
    think: String,
    calls: impl IntoIterator<Item = (&'static str, serde_json::Value)>,
) -> Vec<Event> {
    if task.is_last_step {
        return answer(report::LAST_STEP.to_owned());
    }
    let mut events = vec![Event::think(think)];
    for (number, (name, args)) in calls.into_iter().enumerate() {
        let content = format!("{{\"name\": \"{name}\", \"args\": {args}}}");
        if content.len() > MAX_BODY {
            return answer(format!("That is too long for one call of `{name}`."));
        }
        let call = Call::parse(format!("a{}", number + 1), content)
            .expect("a name and an object are a call");
        events.push(Event::Call(call));
    }
    events.push(Event::Execute);
    events
}

fn answer(text: String) -> Vec<Event> {
    vec![Event::respond(text.trim()), Event::End]
}

fn help() -> String {
    let rules: Vec<_> = RULES.iter().map(|rule| format!("- {}", rule.says)).collect();
    format!(
        "This is the rehearsal model: plain rules, no model, and none of them fits what you \
         said. What it can do:\n\n{}\n\nFor a real model, use `--model openai:MODEL` with \
         `OPENAI_API_KEY` set, or `--model compatible:URL#MODEL`.",
        rules.join("\n")
    )
}
