//! An MCP server that dies, freezes and garbles its output on request.
//!
//! The arguments of its program choose its behaviour: `modern` for the stateless revision, `deaf`,
//! `dies`, `ignores` for ignoring unknown requests, `many` for many tools, `asks` for asking the
//! client when the tool `ask` is called, and `lives` for ignoring the end of its input and TERM.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, BufRead as _, Write as _};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

/// Serves as a program: reads the arguments of the process, answers its standard input on standard
/// output, and returns at its end.
///
/// `modern` is the stateless revision, `deaf` answers nothing, `dies` ends at once, `ignores`
/// ignores unknown requests, `many` has many tools, `stuck` always names the same next page,
/// `sleeps` needs 2 s to start and `sleeps_long` 12 s, and `lives` ignores the end of its input and
/// TERM.
///
/// # Panics
///
/// Panics if a file that a call names cannot be written, and if a client answers wrongly.
pub fn serve_mcp() {
    let ways: Vec<String> = env::args().skip(1).collect();
    let mut server = TestServer { ways, grown: false, slow: None, asking: None };
    if server.is("dies") {
        say_beside("this server dies at once");
        std::process::exit(3);
    }
    if server.is("sleeps") {
        sleep(Duration::from_secs(2));
    }
    if server.is("sleeps_long") {
        sleep(Duration::from_secs(12));
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        match serde_json::from_str::<Value>(&line) {
            Ok(message) if !server.is("deaf") => server.take(&message),
            _ => {}
        }
    }
    while server.is("lives") {
        sleep(Duration::from_secs(1));
    }
}

struct TestServer {
    ways: Vec<String>,
    /// Whether there is one more tool.
    grown: bool,
    /// The call that waits until it is cancelled, and the file that records that.
    slow: Option<(Value, String)>,
    /// The call that waits for the client's answer.
    asking: Option<Value>,
}

impl TestServer {
    fn is(&self, way: &str) -> bool {
        self.ways.iter().any(|given| given == way)
    }

    fn take(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let stateless = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
        match message["method"].as_str() {
            None => self.take_answer(message),
            Some("server/discover") if self.is("modern") => {
                let info = json!({"supportedVersions": ["2026-07-28"], "ttlMs": 0,
                    "cacheScope": "private", "resultType": "complete",
                    "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"}}});
                answer(id, &info);
            }
            Some("initialize") if self.is("modern") => {
                let data = json!({"supported": ["2026-07-28"], "requested": "2025-11-25"});
                let error =
                    json!({"code": -32022, "message": "there is no handshake", "data": data});
                write(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            Some("initialize") => {
                let can = json!({"tools": {"listChanged": true}, "prompts": {}, "resources": {}});
                let info = json!({"name": "test", "version": "1"});
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": can,
                    "serverInfo": info});
                answer(id, &result);
            }
            Some("tools/list") => {
                let mut result = json!({"tools": self.tools()});
                if self.is("stuck") {
                    result["nextCursor"] = json!("same");
                }
                if self.is("modern") {
                    result.as_object_mut().unwrap().extend(stateless.as_object().unwrap().clone());
                }
                answer(id, &result);
            }
            Some("prompts/list") => answer(id, &prompts(&stateless)),
            Some("prompts/get") => {
                let who = params["arguments"]["who"].as_str().unwrap_or("nobody");
                let content = json!({"type": "text", "text": format!("Greet {who}.")});
                let messages = json!([{"role": "user", "content": content}]);
                answer(id, &json!({"messages": messages, "resultType": "complete"}));
            }
            Some("resources/list") => {
                let mut result = stateless;
                result["resources"] = json!([{"uri": "note://1", "name": "one"}]);
                answer(id, &result);
            }
            Some("resources/read") if params["uri"].as_str() == Some("nothing:1") => {
                let error = json!({"code": -32602, "message": "there is no note of this address"});
                write(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            Some("resources/read") => {
                let uri = &params["uri"];
                let contents = json!([{"uri": uri, "text": format!("the text of {uri}")}]);
                let mut result = stateless;
                result["contents"] = contents;
                answer(id, &result);
            }
            Some("tools/call") => self.call(id, params),
            Some("notifications/cancelled") => {
                if let Some((_, file)) = self.slow.take() {
                    note(&file, "cancelled");
                }
            }
            Some(method) if !id.is_null() && !self.is("ignores") => {
                let error = json!({"code": -32601, "message": format!("no method {method}")});
                write(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
            Some(_) => {}
        }
    }

    #[expect(clippy::zombie_processes, reason = "the process is to outlive its parent")]
    fn call(&mut self, id: &Value, params: &Value) {
        let args = &params["arguments"];
        let given = |name: &str| args[name].as_str().unwrap_or_default().to_owned();
        if let Some(file) = args["file"].as_str() {
            note(file, "called");
        }
        match params["name"].as_str().unwrap_or_default() {
            "echo" | "later" => text(id, &given("text")),
            "die" | "die_reading" => {
                say_beside("about to die");
                std::process::exit(9);
            }
            "die_once" if !std::path::Path::new(&given("mark")).exists() => {
                note(&given("mark"), "died");
                std::process::exit(9);
            }
            "die_once" => text(id, "alive"),
            "freeze" => {
                let pid = std::process::id().to_string();
                Command::new("kill").args(["-STOP", &pid]).status().unwrap();
                text(id, "thawed");
            }
            "garble" => print(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"resu\xff\xfe\n\0\0garbage\n"),
            "traced" => text(id, &params["_meta"]["traceparent"].to_string()),
            "noisy" => {
                print(b"a greeting\nand a warning\n");
                text(id, "after noise");
            }
            "huge" => text(id, &"0123456789".repeat(20_000)),
            "slow" => {
                let token = &params["_meta"]["progressToken"];
                let progress = json!({"progressToken": token, "progress": 1, "total": 2,
                    "message": "half"});
                let method = "notifications/progress";
                write(&json!({"jsonrpc": "2.0", "method": method, "params": progress}));
                self.slow = Some((id.clone(), given("file")));
            }
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                let most = args["times"].as_u64().unwrap_or(u64::MAX);
                for time in 1..=most {
                    sleep(Duration::from_millis(200));
                    let progress = json!({"progressToken": token, "progress": time});
                    let method = "notifications/progress";
                    write(&json!({"jsonrpc": "2.0", "method": method, "params": progress}));
                }
                text(id, "done at last");
            }
            "fail" => {
                let content = json!([{"type": "text", "text": "it did not work"}]);
                answer(id, &json!({"content": content, "isError": true}));
            }
            "structured" => {
                let value = json!({"sum": 5});
                answer(id, &json!({"content": [], "structuredContent": value}));
            }
            "image" => {
                let image = json!({"type": "image", "data": "AAEC", "mimeType": "image/png"});
                let words = json!({"type": "text", "text": "a picture"});
                answer(id, &json!({"content": [words, image]}));
            }
            "spawn" => {
                let mut command = Command::new("sleep");
                command.arg("1000").stdin(Stdio::null()).stdout(Stdio::null());
                let child = command.stderr(Stdio::null()).spawn().unwrap();
                text(id, &child.id().to_string());
            }
            "reads" => text(id, "read"),
            "variable" => {
                let value = env::var(given("name")).unwrap_or_default();
                text(id, &format!("{value} {}", value.len()));
            }
            "variables" => {
                let names: Vec<_> = env::vars().map(|(name, _)| name).collect();
                text(id, &names.join(" "));
            }
            "grow" => {
                self.grown = true;
                let method = "notifications/tools/list_changed";
                write(&json!({"jsonrpc": "2.0", "method": method}));
                text(id, "grown");
            }
            "ask" if self.is("modern") => self.ask_by_result(id, params),
            "ask" => {
                self.asking = Some(id.clone());
                let request = json!({"message": "Which colour?", "requestedSchema": colour()});
                let method = "elicitation/create";
                write(&json!({"jsonrpc": "2.0", "id": 77, "method": method, "params": request}));
            }
            name => {
                let error = json!({"code": -32602, "message": format!("no tool {name}")});
                write(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
        }
    }

    /// Asks as the stateless revision does: by a result that wants more.
    fn ask_by_result(&self, id: &Value, params: &Value) {
        let given = &params["inputResponses"]["colour"];
        if !given.is_null() {
            assert_eq!(params["requestState"], "half done");
            return text(id, &given.to_string());
        }
        let form = json!({"mode": "form", "message": "Which colour?", "requestedSchema": colour()});
        let requests = json!({"colour": {"method": "elicitation/create", "params": form}});
        let result = json!({"resultType": "input_required", "inputRequests": requests,
            "requestState": "half done"});
        answer(id, &result);
    }

    fn take_answer(&mut self, message: &Value) {
        if let (Some(id), Value::Number(_)) = (self.asking.take(), &message["id"]) {
            text(&id, &message["result"].to_string());
        }
    }

    fn tools(&self) -> Value {
        let any = json!({"type": "object"});
        let reads = json!({"readOnlyHint": true});
        let names = [
            "ask",
            "die",
            "echo",
            "fail",
            "freeze",
            "garble",
            "grow",
            "huge",
            "image",
            "noisy",
            "progress",
            "slow",
            "spawn",
            "structured",
            "traced",
            "variable",
            "variables",
        ];
        let mut tools: Vec<_> = names
            .iter()
            .map(|name| json!({"name": name, "description": "A tool.", "inputSchema": any}))
            .collect();
        for name in ["die_reading", "die_once", "reads"] {
            tools.push(json!({"name": name, "inputSchema": any, "annotations": reads}));
        }
        tools.push(json!({"name": "not a name", "inputSchema": any}));
        if self.grown {
            tools.push(json!({"name": "later", "inputSchema": any}));
        }
        if self.is("many") {
            let words = json!({"type": "object", "properties": {"x": {"type": "string"}},
                "required": ["x"]});
            tools.extend((0..40).map(|n| {
                let about = format!("Does the thing {n}. And more than that.");
                json!({"name": format!("many_{n}"), "description": about, "inputSchema": words})
            }));
        }
        json!(tools)
    }
}

fn prompts(stateless: &Value) -> Value {
    let args = json!([{"name": "who", "required": true}]);
    let prompts = json!([{"name": "greet", "description": "Greets.", "arguments": args}]);
    let mut result = stateless.clone();
    result["prompts"] = prompts;
    result
}

fn colour() -> Value {
    json!({"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]})
}

fn text(id: &Value, text: &str) {
    let content = json!([{"type": "text", "text": text}]);
    answer(id, &json!({"content": content, "resultType": "complete"}));
}

fn answer(id: &Value, result: &Value) {
    write(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn write(message: &Value) {
    print(format!("{message}\n").as_bytes());
}

fn print(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    // It fails if the client is gone, and then the input ends, too.
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn say_beside(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Adds a line to a file.
fn note(file: &str, line: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(file).unwrap();
    writeln!(file, "{line}").unwrap();
}
