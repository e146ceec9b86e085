//! A server with tools that a test opens, and a client that speaks lines.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use silcrow_agent::{Agent, Workflow};
use silcrow_event::{Call, CallKind};
use silcrow_mcp_server::{DeclaredTool, McpEndpoint, Options};
use silcrow_parser::Dialect;
use silcrow_provider::ScriptedModel;
use silcrow_server::{RunPlace, Server, ServerUser};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{
    ApprovalNeed, CallContext, ParkAll, Permission, PermissionRequest, Permissions, Preview, Tool,
    ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox, WithPermissions,
};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// A server, and the effects of its tools.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) server: Server,
    pub(crate) endpoint: McpEndpoint,
    pub(crate) acts: Arc<Acts>,
}

/// State that the tools share with the test.
pub(crate) struct Acts {
    /// The number of calls of `write` that have run.
    pub(crate) written: AtomicUsize,
    /// A call of `wait` takes a permit.
    pub(crate) gate: Semaphore,
    /// Is released when a call of `wait` has begun.
    pub(crate) waits: Semaphore,
    /// Is released when a call of `wait` is dropped before its end.
    pub(crate) dropped: Semaphore,
    /// The doors that opened for each call of `open`.
    pub(crate) opened: Mutex<Vec<String>>,
}

impl Host {
    /// Makes a server whose model writes these answers, which lines `%%` separate.
    pub(crate) fn new(script: &str) -> Self {
        Self::over(Arc::new(MemoryStore::new()), script, Duration::from_secs(3_600))
    }

    /// Makes a server over a store that becomes a task after this time.
    pub(crate) fn over(store: Arc<MemoryStore>, script: &str, task_after: Duration) -> Self {
        let acts = Arc::new(Acts {
            written: AtomicUsize::new(0),
            gate: Semaphore::new(0),
            waits: Semaphore::new(0),
            dropped: Semaphore::new(0),
            opened: Mutex::default(),
        });
        let mut tools = Toolbox::new();
        for name in ["write", "wait", "fail", "open"] {
            tools.add(HostTool { name, acts: Arc::clone(&acts) }).unwrap();
        }
        let agent = Agent::new(ScriptedModel::parse(script, 1), Arc::clone(&store))
            // The scripts are actions. A declared tool is one in an agent of any dialect.
            .with_dialect(if script.is_empty() { Dialect::Sigil } else { Dialect::Action })
            .with_approver(WithPermissions::new(AskedDoors, ParkAll));
        let host = agent.clone().with_tools(tools.clone());
        for (name, call) in [
            ("digest", r#"{"name":"write","args":{"text":"$text"}}"#),
            ("broken", r#"{"name":"fail","args":{}}"#),
        ] {
            let (call, host) = (Call::parse("a", call).unwrap(), host.clone());
            let workflow = Workflow::new(name, "Does it.", [call], move || host.clone())
                .with_inputs(r#"{"type":"object","properties":{"text":{"type":"string"}}}"#, [])
                .with_output("a");
            tools.add_as(CallKind::Workflow, workflow).unwrap();
        }
        let agent = agent.with_tools(tools);
        let workflows = agent.tools().iter_as(CallKind::Workflow);
        let declared: Vec<_> =
            workflows.map(|tool| DeclaredTool::from_tool(CallKind::Workflow, tool)).collect();
        let made = agent;
        let server = Server::new(Arc::clone(&store), move |_: &RunPlace| made.clone());
        let mut options = Options::default();
        options.task_after = task_after;
        options.sessions_of_user = 2;
        let endpoint =
            McpEndpoint::new(server.clone()).with_declared(&declared).with_options(options);
        Self { store, server, endpoint, acts }
    }

    /// Connects a client.
    pub(crate) fn connect(&self) -> Client {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(far);
        let endpoint = self.endpoint.clone();
        tokio::spawn(async move {
            endpoint.serve_lines(ServerUser::default(), input, output).await.unwrap();
        });
        let (read, write) = tokio::io::split(near);
        Client { lines: BufReader::new(read).lines(), write, last: 0, can: json!({}), told: vec![] }
    }

    pub(crate) fn written(&self) -> usize {
        self.acts.written.load(Ordering::Relaxed)
    }

    /// Waits until the log of a conversation has an event of a type.
    pub(crate) async fn until_stored(&self, conversation: &str, kind: &str) {
        let found = async {
            loop {
                let log = self.store.read(conversation, 1..=u64::MAX).await.unwrap();
                if log.iter().any(|entry| entry.to_json().contains(&format!("\"type\":\"{kind}\"")))
                {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, found).await.unwrap();
    }

    /// Returns the only conversation, without the conversations of calls.
    pub(crate) async fn conversation(&self) -> String {
        let list = self.store.list(None).await.unwrap();
        let mut own = list.into_iter().map(|one| one.conversation).filter(|id| !id.contains('/'));
        let only = own.next().unwrap();
        assert_eq!(own.next(), None);
        only
    }
}

/// A client that speaks lines.
pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    last: u64,
    /// The capabilities in each request of 2026-07-28.
    pub(crate) can: Value,
    /// The notifications so far.
    pub(crate) told: Vec<Value>,
}

impl Client {
    /// Shakes hands as clients do before 2026-07-28.
    pub(crate) async fn initialize(&mut self, can: Value) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": can,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.request("initialize", params).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        answer
    }

    /// Sends a request, and returns its answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    /// Sends a request of 2026-07-28.
    pub(crate) async fn stateless(&mut self, method: &str, params: Value) -> Value {
        let params = self.with_meta(params);
        self.request(method, params).await
    }

    pub(crate) fn with_meta(&self, mut params: Value) -> Value {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.can.clone();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] =
            json!({"name": "test", "version": "1"});
        params
    }

    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Waits for the answer to a request.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
            self.told.push(message);
        }
    }

    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Value {
        let line = timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.expect("the server is silent").unwrap().expect("the server is gone");
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the messages of the progress so far.
    pub(crate) fn progress(&self) -> Vec<String> {
        let told = self.told.iter().filter(|told| told["method"] == "notifications/progress");
        told.map(|told| told["params"]["message"].as_str().unwrap().to_owned()).collect()
    }
}

/// A tool of the server.
struct HostTool {
    name: &'static str,
    acts: Arc<Acts>,
}

impl Tool for HostTool {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "Does what a test wants."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn policy(&self) -> ToolPolicy {
        let approval = match self.name {
            "write" | "open" => ApprovalNeed::Always,
            _ => ApprovalNeed::Never,
        };
        ToolPolicy { approval, timeout: Duration::from_secs(3_600), ..ToolPolicy::default() }
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        async move {
            if self.name != "open" {
                return Ok(Preview::new(args.as_str()));
            }
            let args: Value = args.read()?;
            let what = args["what"].as_str().unwrap_or_default();
            let needs = args["needs"].as_str().unwrap_or_default();
            let needs = needs.split_whitespace().map(|door| door.parse().unwrap());
            Ok(Preview::new(what).with_needs(needs.collect()))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            match self.name {
                "open" => {
                    let opened = context.grants().to_string();
                    self.acts.opened.lock().unwrap().push(opened);
                    Ok(ToolOutput::new("open", "It is open."))
                }
                "write" => {
                    self.acts.written.fetch_add(1, Ordering::Relaxed);
                    Ok(ToolOutput::new("written", format!("wrote {}", args.as_str())))
                }
                "wait" => {
                    let mut noted = NotesDrop(Some(&self.acts.dropped));
                    self.acts.waits.add_permits(1);
                    self.acts.gate.acquire().await.unwrap().forget();
                    noted.0 = None;
                    Ok(ToolOutput::new("waited", "It has waited."))
                }
                _ => Err(ToolError::new("it is broken")),
            }
        }
        .boxed()
    }
}

/// Permissions that offer two wider scopes for each call of `open`: by its first word, and for all.
struct AskedDoors;

impl Permissions for AskedDoors {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        request.by_tool()
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        let Some(first) = request.preview.scope.split(' ').next() else { return Vec::new() };
        match request.tool {
            "open" => vec![format!("{first} *"), "everything".to_owned()],
            _ => Vec::new(),
        }
    }
}

struct NotesDrop<'a>(Option<&'a Semaphore>);

impl Drop for NotesDrop<'_> {
    fn drop(&mut self) {
        if let Some(dropped) = self.0 {
            dropped.add_permits(1);
        }
    }
}

/// A script that writes once and says so.
pub(crate) const WRITES: &str = "<action id=\"w\" mode=\"async\">{\"name\":\"write\",\"parameters\":{\"file\":\"a.txt\"}}</action>\n<response>It says: $w</response>";

/// A script that waits once and says so.
pub(crate) const WAITS: &str = "<action id=\"w\" mode=\"async\">{\"name\":\"wait\",\"parameters\":{}}</action>\n<response>$w</response>";

/// A script that answers.
pub(crate) const ANSWERS: &str = "<response>Four.</response>";

/// The time limit for anything that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a permit.
pub(crate) async fn taken(semaphore: &Semaphore) {
    timeout(PATIENCE, semaphore.acquire()).await.expect("it must happen").unwrap().forget();
}

/// Returns the structured part of a result.
pub(crate) fn structured(answer: &Value) -> &Value {
    &answer["result"]["structuredContent"]
}
