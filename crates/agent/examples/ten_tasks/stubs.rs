//! The tools of the tasks, whose outputs have the length of real ones.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, Toolbox};
use tokio::time::sleep;

/// The answer of a tool to its arguments; the flag says whether it was called with them before.
type Says = fn(&Value, bool) -> Result<Value, String>;

/// A tool that answers by a function.
struct StubTool {
    name: &'static str,
    description: &'static str,
    says: Says,
    called: Mutex<BTreeSet<String>>,
}

/// Returns the tools of all tasks.
pub(crate) fn toolbox() -> Toolbox {
    let tools: [(&str, &str, Says); 12] = [
        ("list", "Lists the files of a folder, with sizes.", |_, _| Ok(files())),
        ("read", "Reads a file.", |args, _| Ok(file(&args["path"]))),
        ("write", "Writes a file.", |args, _| {
            Ok(json!(format!("{} is written", text(&args["path"]))))
        }),
        ("edit", "Replaces a text in a file.", |args, _| {
            Ok(json!(format!("{}: 3 replaced", text(&args["path"]))))
        }),
        ("customer", "Returns a customer.", |_, _| {
            Ok(json!({"id": 7, "name": "Ada", "address": 70, "notes": filler(300)}))
        }),
        ("orders", "Returns the orders of a customer.", |_, _| {
            Ok((0..12).map(|id| json!({"id": id, "item": 100 + id, "at": "2026-01-31"})).collect())
        }),
        ("item", "Returns an item.", |args, _| {
            let price = args["id"].as_i64().unwrap_or_default() % 10;
            Ok(json!({"id": args["id"], "price": price, "about": filler(300)}))
        }),
        ("fetch", "Fetches a page, which may fail once.", |args, again| {
            let number = args["page"].as_i64().unwrap_or_default();
            match number % 5 == 0 && !again {
                true => Err("the server is busy".to_owned()),
                false => Ok(json!({"page": number, "words": 100 + number, "text": filler(500)})),
            }
        }),
        ("test", "Runs the tests.", |_, _| Err(format!("3 tests failed\n{}", filler(1_500)))),
        ("send", "Sends a message to a person.", |args, _| {
            match text(&args["to"]).ends_with('7') {
                true => Err("no such address".to_owned()),
                false => Ok(json!("sent")),
            }
        }),
        ("people", "Lists the people of a team.", |_, _| {
            Ok((0..25).map(|id| json!({"id": id, "address": format!("p{id}")})).collect())
        }),
        ("mirror", "Asks a mirror for the version.", |args, _| match args["number"].as_i64() {
            Some(2) => Ok(json!("4.2.1")),
            _ => Err("it does not answer".to_owned()),
        }),
    ];
    let mut toolbox = Toolbox::new();
    for (name, description, says) in tools {
        let called = Mutex::default();
        let tool = StubTool { name, description, says, called };
        toolbox.add(tool).expect("the names differ");
    }
    toolbox
}

impl Tool for StubTool {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        self.description
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            sleep(Duration::from_millis(200)).await;
            let known =
                self.called.lock().map(|mut called| !called.insert(args.as_str().to_owned()));
            let args: Value = serde_json::from_str(args.as_str()).unwrap_or_default();
            match (self.says)(&args, known.unwrap_or_default()) {
                Ok(Value::String(text)) => Ok(ToolOutput::new("", text)),
                Ok(value) => Ok(ToolOutput::new("", value.to_string())),
                Err(why) => Err(ToolError::new(why)),
            }
        }
        .boxed()
    }
}

/// The number of files of the folder.
pub(crate) const FILES: i64 = 30;

fn files() -> Value {
    let entry =
        |number| json!({"path": format!("reports/2026-{number:02}.json"), "size": size(number)});
    (0..FILES).map(entry).collect()
}

/// Returns the size of a file; every fifth one is large.
pub(crate) const fn size(number: i64) -> i64 {
    if number % 5 == 0 { 20_000 + number } else { 400 + number }
}

fn file(path: &Value) -> Value {
    let number: i64 =
        text(path).trim_matches(|c: char| !c.is_ascii_digit())[5..].parse().unwrap_or(0);
    json!({"amount": 10 + number, "text": filler(600)})
}

/// Returns the text of an argument.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns prose of this length.
pub(crate) fn filler(bytes: usize) -> String {
    "All figures are checked by hand before they are entered. "
        .chars()
        .cycle()
        .take(bytes)
        .collect()
}
