//! The window of a model that its server lists: asked beside the first answer, and remembered.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{request, serve};
use crate::support::{CommandOutput, Sandbox, command_output, file};

/// A server with a list of models.
struct ListingServer {
    model: String,
    /// The first lines of the requests, in order.
    requests: Arc<Mutex<Vec<String>>>,
}

impl ListingServer {
    /// Starts a server whose answers end when `may_end` returns true of the number of requests for a
    /// list. Without a list it answers these with an error.
    fn start(
        list: Option<Value>,
        may_end: impl Fn(usize) -> bool + Clone + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let model = format!("compatible:http://{}/v1#m", listener.local_addr().unwrap());
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&requests);
        serve(listener, move |mut stream: TcpStream| {
            let asked = request(&mut stream);
            let line = asked.lines().next().unwrap().to_owned();
            let is_list = line.starts_with("GET ");
            seen.lock().unwrap().push(line);
            if is_list {
                let status = if list.is_some() { "200 OK" } else { "404 Not Found" };
                let body = list.clone().unwrap_or_default().to_string();
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}", body.len());
                let _ = write!(stream, "{head}\r\nconnection: close\r\n\r\n{body}");
                return;
            }
            let event = |text: &str, finish: Value| {
                let choice =
                    json!({"index": 0, "delta": {"content": text}, "finish_reason": finish});
                format!("data: {}\n\n", json!({"choices": [choice]}))
            };
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
            let begin = event("§respond: hel", Value::Null);
            write!(stream, "{head}\r\n\r\n{begin}").unwrap();
            let lists = || {
                let seen = seen.lock().unwrap();
                seen.iter().filter(|line| line.starts_with("GET ")).count()
            };
            let until = Instant::now() + Duration::from_secs(20);
            while !may_end(lists()) && Instant::now() < until {
                thread::yield_now();
            }
            let end = event("lo\n§end", json!("stop"));
            let _ = write!(stream, "{end}data: [DONE]\n\n");
        });
        Self { model, requests }
    }

    /// Returns the paths of the requested lists.
    fn lists(&self) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        let lists = requests.iter().filter_map(|line| line.strip_prefix("GET "));
        lists.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    }

    fn run(&self, sandbox: &Sandbox, more: &[&str]) -> CommandOutput {
        let run = ["run", "hi", "--json", "--model", &self.model];
        let mut command = sandbox.command(&[&run, more].concat());
        let command = command.env_remove("SILCROW_ASK_WINDOW").stdin(Stdio::null());
        command_output(command.output().unwrap())
    }
}

/// The files of remembered windows.
fn remembered(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    let files = files.map(|file| file.unwrap().path());
    // A file that is written at the moment has another name.
    files.filter(|file| file.extension().is_none()).collect()
}

fn folder(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("state/silcrow-windows")
}

/// Ends answers once a window is remembered.
fn once_remembered(sandbox: &Sandbox) -> impl Fn(usize) -> bool + Clone + Send + 'static {
    let folder = folder(sandbox);
    move |_| remembered(&folder).iter().any(|path| file(path) != OLD)
}

/// A window that a run remembered long ago.
const OLD: &str = r#"{"window":1000,"asked":1}"#;

#[track_caller]
fn window(said: &CommandOutput) -> Value {
    let events = said.ends(0).events();
    let metric = events.iter().rfind(|event| event["type"] == "metric").unwrap();
    metric["window"].clone()
}

#[test]
fn listed_window_is_remembered_for_a_day() {
    let sandbox = Sandbox::new();
    let list = json!({"data": [{"id": "m", "owned_by": "vllm", "max_model_len": 32768}]});
    let server = ListingServer::start(Some(list), once_remembered(&sandbox));
    assert_eq!(window(&server.run(&sandbox, &[])), 32768);
    assert_eq!(server.lists(), ["/v1/models"]);
    assert!(server.requests.lock().unwrap()[0].starts_with("POST "), "the answer comes first");

    // The next run knows it before it asks anything, and so does a command that asks nothing.
    assert_eq!(window(&server.run(&sandbox, &[])), 32768);
    let shown = sandbox.silcrow(&["context", "--json", "--model", &server.model]);
    assert!(shown.ends(0).out.contains("32768"), "{}", shown.out);
    assert_eq!(server.lists().len(), 1);

    let [kept] = &remembered(&folder(&sandbox))[..] else { panic!("one file") };
    std::fs::write(kept, OLD).unwrap();
    assert_eq!(window(&server.run(&sandbox, &[])), 32768);
    assert_eq!(server.lists().len(), 2);
}

#[test]
fn missing_listed_window_is_remembered_too() {
    let sandbox = Sandbox::new();
    let list = json!({"data": [{"id": "m", "owned_by": "me"}, {"id": "n", "owned_by": "me"}]});
    let server = ListingServer::start(Some(list), once_remembered(&sandbox));
    for _ in 0..2 {
        assert_eq!(window(&server.run(&sandbox, &[])), Value::Null);
    }
    assert_eq!(server.lists(), ["/v1/models"]);
}

#[test]
fn server_without_list_does_not_affect_runs() {
    let sandbox = Sandbox::new();
    let server = ListingServer::start(None, |lists| lists == 2);
    let said = server.run(&sandbox, &[]);
    assert_eq!(window(&said), Value::Null);
    assert_eq!(said.err, "");
    assert_eq!(server.lists(), ["/v1/models", "/api/tags"]);
    assert_eq!(remembered(&folder(&sandbox)), [] as [PathBuf; 0]);
}

#[test]
fn known_or_unneeded_windows_cause_no_request() {
    let sandbox = Sandbox::new();
    let server = ListingServer::start(None, |_| true);
    assert_eq!(window(&server.run(&sandbox, &["--window", "8000"])), 8000);
    let run = ["run", "hi", "--model", &server.model];
    let with = |value: &str| {
        let mut command = sandbox.command(&run);
        command_output(command.env("SILCROW_ASK_WINDOW", value).output().unwrap())
    };
    with("0").ends(0);
    let wrong = with("maybe");
    assert!(wrong.ends(2).err.contains("SILCROW_ASK_WINDOW is `maybe`"), "{}", wrong.err);
    assert_eq!(server.lists(), [] as [String; 0]);
}
