//! The command's data for a collector of OpenTelemetry, the cost of a collector that fails, and the
//! debug log.

mod nested;
mod receiver;
mod whole_input;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use self::receiver::{Receiver, ReceiverReply};
use crate::support::{CommandOutput, Sandbox, command_output};

/// The longest time that the end of a command waits for a collector.
const PATIENCE: Duration = Duration::from_secs(2);

/// A time that a loaded machine takes for nothing in particular.
const SLACK: Duration = Duration::from_secs(20);

/// Returns a run that lists its folder and answers.
fn run(sandbox: &Sandbox, endpoint: &str) -> Command {
    let script = "§call: {\"name\":\"file_list\",\"args\":{\"path\":\".\"}}\n§execute\n%%\n§respond: \
                  Nothing here.\n§end";
    let script = sandbox.write("script", script);
    let model = format!("script:{script}");
    let args = ["run", "What is here?", "--verbose", "--model", &model, "--new", "c1"];
    let mut command = sandbox.command(&args);
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
        .env("OTEL_EXPORTER_OTLP_HEADERS", "api-key=hunter2hunter2")
        .stdin(Stdio::null());
    command
}

fn output(command: &mut Command) -> CommandOutput {
    command_output(command.output().unwrap())
}

/// Returns the spans of a request for traces, sorted by their ids.
fn spans(request: &str) -> Vec<Value> {
    let request: Value = serde_json::from_str(request).unwrap();
    let spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    let mut spans = spans.clone();
    spans.sort_by_key(|span| span["spanId"].as_str().unwrap().to_owned());
    spans
}

fn names(spans: &[Value]) -> Vec<&str> {
    let mut names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn sent_and_exported_traces_are_equal() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::start(ReceiverReply::Status(200)));
    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let said = output(run(&sandbox, &receiver.address).env("TRACEPARENT", caller));
    assert_eq!(said.ends(0).out, "Nothing here.\n");
    assert!(!said.err.contains("telemetry"), "{}", said.err);
    let requests = receiver.requests();
    let of = |path: &str| requests.iter().find(|one| one.head.contains(path)).unwrap();
    assert!(of("/v1/metrics").body.contains("gen_ai.client.operation.duration"));
    let traces = of("/v1/traces");
    assert!(traces.head.contains("api-key: hunter2hunter2"));
    let live = spans(&traces.body);
    let model = names(&live)[0].to_owned();
    let expected = [&*model, &model, "execute_tool file_list", "invoke_agent silcrow"];
    assert_eq!(names(&live), expected);
    assert!(live.iter().all(|span| span["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736"));
    let root = live.iter().find(|span| span["name"] == "invoke_agent silcrow").unwrap();
    assert_eq!(root["parentSpanId"], "00f067aa0ba902b7");
    assert!(!traces.body.contains("What is here?") && !traces.body.contains("Nothing here."));

    let exported = sandbox.silcrow(&["log", "export", "c1", "--format", "otlp-json"]);
    let stored = spans(&exported.ends(0).out);
    let ids = |spans: &[Value]| {
        let ids = |span: &Value| (span["spanId"].clone(), span["parentSpanId"].clone());
        spans.iter().map(ids).collect::<Vec<_>>()
    };
    assert_eq!(ids(&stored), ids(&live));
    let again = sandbox.silcrow(&["log", "export", "c1", "--format", "otlp-json"]);
    assert_eq!(again.ends(0).out, exported.out);
    let file = sandbox.path("trace.pb");
    let args = ["log", "export", "c1", "--otlp", "--contents", "--output", file.to_str().unwrap()];
    sandbox.silcrow(&args).ends(0);
    let bytes = std::fs::read(file).unwrap();
    let has = |word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    assert!(has("invoke_agent silcrow") && has("What is here?"));
}

#[test]
fn answer_does_not_wait_for_hanging_collector() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::start(ReceiverReply::Hang));
    let mut command = run(&sandbox, &receiver.address);
    // The first spans are sent while the run is at work.
    command.env("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1");
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut answer = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert_eq!(answer, "Nothing here.\n");
    let answered = Instant::now();
    let mut said = String::new();
    process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(0));
    let waited = answered.elapsed();
    assert!(waited < PATIENCE + SLACK, "{waited:?}");
    assert!(!receiver.requests().is_empty(), "nothing was sent");
    assert!(
        said.contains("silcrow: telemetry: 4 spans were not sent (4 still waiting at the end)"),
        "{said}"
    );
}

#[test]
fn failing_collector_adds_only_a_warning() {
    for (reply, words) in [
        (ReceiverReply::Status(401), "answered 401; check OTEL_EXPORTER_OTLP_HEADERS"),
        (ReceiverReply::Status(429), "the collector"),
        (ReceiverReply::Status(503), "the collector"),
        (ReceiverReply::Close, "the collector"),
        (ReceiverReply::Gone, "cannot be reached"),
    ] {
        let (sandbox, receiver) = (Sandbox::new(), Receiver::start(reply));
        let begun = Instant::now();
        let said = output(&mut run(&sandbox, &receiver.address));
        assert_eq!(said.ends(0).out, "Nothing here.\n");
        assert!(begun.elapsed() < PATIENCE + SLACK);
        let lines: Vec<_> = said.err.lines().filter(|line| line.contains("telemetry")).collect();
        assert_eq!(lines.len(), 1, "{}", said.err);
        assert!(
            lines[0].contains("4 spans were not sent") && lines[0].contains(words),
            "{lines:?}"
        );
        assert!(!said.err.contains("hunter2"), "{}", said.err);
    }
}

#[test]
fn invalid_telemetry_setting_does_not_stop_runs() {
    let sandbox = Sandbox::new();
    let mut command = run(&sandbox, "http://127.0.0.1:9");
    let said = output(command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"));
    assert_eq!(said.ends(0).out, "Nothing here.\n");
    assert!(
        said.err.contains("silcrow: no telemetry: OTEL_EXPORTER_OTLP_PROTOCOL cannot be used"),
        "{}",
        said.err
    );
}

#[test]
fn only_person_settings_can_name_a_collector() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::start(ReceiverReply::Status(200)));
    std::fs::create_dir(sandbox.path("root/.silcrow")).unwrap();
    let file = sandbox.path("root/.silcrow/config.toml");
    std::fs::write(&file, format!("otlp_endpoint = {:?}\n", receiver.address)).unwrap();
    let mut command = run(&sandbox, "");
    let said = output(&mut command);
    assert!(said.ends(2).err.contains("the person decides who sees runs"), "{}", said.err);
    std::fs::remove_file(file).unwrap();
    sandbox.silcrow(&["config", "set", "otlp_endpoint", &receiver.address]).ends(0);
    sandbox.silcrow(&["config", "set", "otlp_contents", "true"]).ends(0);
    output(&mut run(&sandbox, "")).ends(0);
    let requests = receiver.requests();
    assert!(requests.iter().any(|one| one.body.contains("What is here?")));
}

#[test]
fn stored_conversation_is_exported_on_request() {
    let (sandbox, receiver) = (Sandbox::new(), Receiver::start(ReceiverReply::Status(200)));
    output(run(&sandbox, &receiver.address).env("OTEL_SDK_DISABLED", "true")).ends(0);
    assert!(receiver.requests().is_empty());
    let said = sandbox.silcrow(&["log", "export", "c1", "--send"]);
    assert!(said.ends(2).err.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{}", said.err);
    let mut command = sandbox.command(&["log", "export", "c1", "--send"]);
    let said = output(command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &receiver.address));
    assert_eq!(said.ends(0).out, format!("4 spans sent to {}/v1/traces\n", receiver.address));
    assert_eq!(receiver.requests().len(), 1);
    let said = sandbox.silcrow(&["log", "export", "c1", "--send", "--format", "md"]);
    assert!(said.ends(2).err.contains("use --format otlp"), "{}", said.err);
    let gone = Receiver::start(ReceiverReply::Gone);
    let mut command = sandbox.command(&["log", "export", "c1", "--send"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &gone.address);
    let said = output(command.env("OTEL_EXPORTER_OTLP_TIMEOUT", "100"));
    assert!(said.ends(1).err.contains("cannot be reached"), "{}", said.err);
}

#[test]
fn debug_log_has_events_without_contents() {
    let sandbox = Sandbox::new();
    let said = output(run(&sandbox, "").env("SILCROW_LOG", "trace"));
    assert_eq!(said.ends(0).out, "Nothing here.\n");
    let of_log = |word: &&str| word.contains("silcrow_agent") || word.contains("silcrow_exec");
    let log: Vec<_> = said.err.lines().filter(of_log).collect();
    let log = log.join("\n");
    for part in [
        "invoke_agent{gen_ai.conversation.id=\"c1\"}:execute_tool{gen_ai.tool.name=\"file_list\"",
        "status=\"success\"",
        "outcome=\"answered\"",
    ] {
        assert!(log.contains(part), "{part} in {log}");
    }
    assert!(!log.contains("What is here?") && !log.contains("Nothing here."), "{log}");

    let file = sandbox.path("debug.log");
    let sandbox = Sandbox::new();
    let mut command = run(&sandbox, "");
    let said = output(command.env("SILCROW_LOG", "info").env("SILCROW_LOG_FILE", &file));
    assert!(!said.ends(0).err.contains("invoke_agent"), "{}", said.err);
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("the run is over") && !written.contains("asks the model"));
    let said = output(run(&sandbox, "").env("SILCROW_LOG", "silcrow=loud"));
    assert!(said.ends(2).err.contains("write a level, such as debug"), "{}", said.err);
}
