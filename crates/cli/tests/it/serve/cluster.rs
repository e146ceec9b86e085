//! Servers and workers of several machines on one database: the runs of one are read, stopped,
//! limited and continued by the others.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use silcrow_testkit::PostgresServer;

use super::Serving;
use crate::follow::model::Model;
use crate::support::Sandbox;

pub(super) const PROMPT: &str = r#"{"prompt":"Count."}"#;

/// Starts a server that others reach.
pub(super) fn serve(sandbox: &Sandbox, database: &str, args: &[&str]) -> Serving {
    let shared = ["--store", database, "--advertise", "http://127.0.0.1:0"];
    Serving::start_with(sandbox, &[&shared, args].concat())
}

/// Starts a worker.
fn work(sandbox: &Sandbox, database: &str, args: &[&str]) -> Worker {
    let mut command = sandbox.command(&[&["worker", "--store", database], args].concat());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Worker(command.spawn().unwrap())
}

struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        // A test that has failed leaves no worker behind.
        let _ = self.0.kill();
    }
}

/// Lets the leases of processes that are gone end at once.
pub(super) fn end_leases(postgres: &PostgresServer, database: &str) {
    postgres.run(database, "update silcrow.conversation set lease_until = now() - interval '1 s'");
}

#[test]
fn every_protocol_streams_runs_of_other_servers() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let one = serve(&here, &database, &["--model", &model.name()]);
    let other = serve(&there, &database, &[]);
    assert_eq!(one.token, other.token, "one token for all servers behind a balancer");
    let mut all = other.read("/events");
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    answering.send_text("§think: seals\n§respond: sev");
    // Pieces, of which nothing is stored yet.
    let mut native = other.read("/conversations/c1/events");
    native.until(r#""content":"sev""#);
    all.until(r#""content":"sev""#);
    let mut sdk = other.read("/api/chat/c1/stream");
    sdk.until("sev");
    let mut responses = other.read("/v1/responses/resp_0_c1?stream=true");
    responses.until("sev");
    let body = r#"{"threadId":"c1","runId":"r","messages":[],"state":{},"tools":[],"context":[],"forwardedProps":{}}"#;
    let mut ag_ui =
        super::ServedStream(std::io::BufReader::new(other.open("POST", "/ag-ui", body)));
    ag_ui.until("sev");
    answering.send_text("enteen\n§end");
    answering.end();
    for (stream, end) in [
        (&mut native, r#""outcome":"answered""#),
        (&mut all, r#""outcome":"answered""#),
        (&mut sdk, "[DONE]"),
        (&mut responses, "response.completed"),
        (&mut ag_ui, "RUN_FINISHED"),
    ] {
        let rest = stream.until(end);
        assert!(rest.contains("enteen"), "{rest}");
    }
    let (_, read) = other.send("GET", "/conversations/c1", "");
    assert_eq!(read["events"][2]["content"], "seventeen", "{read}");
}

#[test]
fn stranger_at_a_server_address_learns_nothing() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let one = serve(&here, &database, &["--model", &model.name()]);
    let other = serve(&there, &database, &[]);
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    // Somebody has put another address there.
    let stranger = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = stranger.local_addr().unwrap();
    let put = format!("update silcrow.conversation set address = 'http://{address}'");
    postgres.run(&database, &put);
    let asked = std::thread::spawn(move || {
        let (mut socket, _) = stranger.accept().unwrap();
        let request = crate::server::request(&mut socket);
        let lie = "{\"run\":\"x\",\"began_after\":0,\"repeated_turn\":null,\"continues\":false,\
                   \"waiting_agents\":[],\"floor\":[0,0]}\n\
                   {\"at\":[0,1],\"event\":\"{\\\"type\\\":\\\"think\\\",\\\"content\\\":\\\"lies\\\",\\\"part\\\":1}\"}\n";
        let head = "HTTP/1.1 200 OK\r\nsilcrow-proof: 00\r\nconnection: close\r\n\r\n";
        std::io::Write::write_all(&mut socket, format!("{head}{lie}").as_bytes()).unwrap();
        request
    });
    let mut native = other.read("/conversations/c1/events");
    let request = asked.join().unwrap();
    assert!(!request.contains(&other.token) && !request.contains("authorization"), "{request}");
    assert!(request.starts_with("GET /peer/runs/6331 "), "{request}");
    answering.send_text("§respond: seventeen\n§end");
    answering.end();
    let stored = native.until("seventeen");
    assert!(!stored.contains("lies"), "{stored}");
    // Nobody without a proof reads a run.
    let mut raw = String::new();
    let mut socket = one.open_with("GET", "/peer/runs/6331", "silcrow-time: 1\r\n", "");
    std::io::Read::read_to_string(&mut socket, &mut raw).unwrap();
    assert!(raw.starts_with("HTTP/1.1 401 "), "{raw}");
}

#[test]
fn stops_and_limits_reach_runs_within_seconds() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let one = serve(&here, &database, &["--model", &model.name()]);
    let other = serve(&there, &database, &[]);
    let store = ["--store", &*database];
    for (name, how) in ["server", "command"].into_iter().enumerate() {
        let conversation = format!("c{name}");
        let runs = format!("/conversations/{conversation}/runs");
        assert_eq!(one.send("POST", &runs, PROMPT).0, 201);
        let mut answering = model.asked();
        answering.send_text("§respond: one");
        let begun = Instant::now();
        match how {
            "server" => {
                let stopped =
                    other.send("POST", &format!("/conversations/{conversation}/stop"), "");
                assert_eq!(stopped.0, 202, "{stopped:?}");
            }
            _ => {
                let stop = [&["stop", &*conversation][..], &store].concat();
                let said = there.silcrow(&stop);
                assert!(said.ends(0).err.contains("stopped the run in process"), "{}", said.err);
                assert_eq!(there.silcrow(&stop).code, Some(1), "nothing runs any more");
            }
        }
        one.follow(&conversation, r#""outcome":"stopped""#);
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    // A limit below the current spending ends the run.
    for (at, how) in ["server", "command"].into_iter().enumerate() {
        let conversation = format!("b{at}");
        assert_eq!(one.send("POST", &format!("/conversations/{conversation}/runs"), PROMPT).0, 201);
        let mut answering = model.asked();
        match how {
            "server" => {
                let path = format!("/conversations/{conversation}/budget");
                assert_eq!(other.send("POST", &path, "{}").0, 400);
                let limited = other.send("POST", &path, r#"{"tokens":1}"#);
                assert_eq!(limited.0, 202, "{limited:?}");
            }
            _ => {
                let budget = ["budget", &*conversation, "--tokens", "1"];
                there.silcrow(&[&budget[..], &store].concat()).ends(0);
            }
        }
        answering.send_text("§respond: one");
        // The model writes until the run does not read any more.
        let writes = std::thread::spawn(move || {
            while answering.try_send_text(&" and one more".repeat(200)).is_ok() {
                sleep(Duration::from_millis(20));
            }
        });
        let text = one.follow(&conversation, r#""outcome":"failed""#);
        assert!(text.contains("the tokens of the run are used up"), "{text}");
        writes.join().unwrap();
    }
}

#[test]
fn command_stops_a_local_run() {
    let (sandbox, model) = (Sandbox::new(), Model::new());
    let args = ["run", "count", "--model", &model.name(), "--new", "c1"];
    let mut command = sandbox.command(&args);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    let mut answering = model.asked();
    answering.send_text("§respond: one");
    let said = sandbox.silcrow(&["stop", "c1"]);
    assert!(said.ends(0).err.contains(&format!("process {}", run.id())), "{}", said.err);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    let said = sandbox.silcrow(&["stop", "c1"]);
    assert!(said.ends(1).err.contains("no run is at work"), "{}", said.err);
    sandbox.silcrow(&["stop", "other"]).ends(2);
}

#[test]
fn run_of_killed_server_continues_at_another() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let mut one = serve(&here, &database, &["--model", &model.name(), "--allow", "shell"]);
    let other = serve(&there, &database, &["--model", &model.name(), "--work"]);
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    let mut native = other.read("/conversations/c1/events");
    answering.send_text(
        "§call: {\"name\": \"shell\", \"args\": {\"command\": \"echo ran >> ran; echo on; sleep 600\"}}\n\
         §execute\n",
    );
    answering.end();
    native.until(r#""type":"progress""#);
    one.process.kill().unwrap();
    one.process.wait().unwrap();
    end_leases(postgres, &database);
    let mut answering = model.asked();
    assert!(answering.request.contains("outcome is unknown"), "{}", answering.request);
    answering.send_text("§respond: seventeen");
    let seen = native.until(r#""content":"seventeen""#);
    assert!(seen.contains("outcome is unknown"), "{seen}");
    answering.send_text("\n§end");
    answering.end();
    native.until(r#""outcome":"answered""#);
    assert_eq!(std::fs::read_to_string(here.root().join("ran")).unwrap(), "ran\n");
    let types = there.silcrow(&["log", "--store", &database, "--json", "show", "c1"]);
    assert_eq!(types.ends(0).types(), ["user", "call", "result", "respond"]);
}

#[test]
fn worker_continues_answered_runs() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let database = postgres.database();
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let one = serve(&here, &database, &["--drain", "0"]);
    let prompt = r#"{"prompt":"Write tea into tea.txt"}"#;
    assert_eq!(one.send("POST", "/conversations/asks/runs", prompt).0, 201);
    one.follow("asks", r#""outcome":"waiting""#);
    assert_eq!(one.end(Signal::TERM), Some(0));

    // Its server is gone, and the answer comes from elsewhere.
    let root = here.root();
    let _worker = work(&there, &database, &["--root", root.to_str().unwrap()]);
    there.silcrow(&["answer", "--store", &database, "asks", "1/a1", "yes"]).ends(0);
    let file = here.root().join("tea.txt");
    let begun = Instant::now();
    while !file.exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "nobody continues the run");
        sleep(Duration::from_millis(50));
    }
}

/// A server that stops hands over runs that do not end in time, during a thought as well as an
/// answer.
#[test]
fn worker_continues_runs_handed_over() {
    let Some(postgres) = PostgresServer::shared() else { return };
    for (said, seen) in [("§think: hm\n", "hm"), ("§respond: eigh", "eigh")] {
        let (database, model) = (postgres.database(), Model::new());
        let (here, there) = (Sandbox::new(), Sandbox::new());
        let one = serve(&here, &database, &["--drain", "0", "--model", &model.name()]);
        assert_eq!(one.send("POST", "/conversations/long/runs", PROMPT).0, 201);
        let mut answering = model.asked();
        answering.send_text(said);
        one.read("/conversations/long/events").until(seen);
        let begun = Instant::now();
        assert_eq!(one.end(Signal::TERM), Some(0));
        let _worker = work(&there, &database, &["--model", &model.name()]);
        let mut answering = model.asked();
        assert!(
            begun.elapsed() < Duration::from_secs(12),
            "no lease has to end: {:?}",
            begun.elapsed()
        );
        answering.send_text("§respond: seventeen\n§end");
        answering.end();
        let log = ["log", "--store", &*database, "--json", "show", "long"];
        let begun = Instant::now();
        while !there.silcrow(&log).ends(0).out.contains("seventeen") {
            assert!(begun.elapsed() < Duration::from_secs(30), "the run does not end");
        }
        let log = there.silcrow(&log);
        assert!(log.out.contains("the server that ran this has stopped"), "{}", log.out);
    }
}

#[test]
fn server_reports_its_health() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let sandbox = Sandbox::new();
    let one = serve(&sandbox, &database, &["--model", &model.name()]);
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    let _reads = one.read("/conversations/c1/events");
    let said = one.text("/metrics");
    for line in [
        "silcrow_runs_started_total 1",
        "silcrow_runs_at_work 1",
        "silcrow_streams 1",
        "silcrow_accepts_runs 1",
        "silcrow_store_up 1",
        "silcrow_held 1",
        "silcrow_takeovers_total 0",
        "silcrow_fenced_writes_total 0",
        "silcrow_waiting_runs 0",
        "# TYPE silcrow_appends_total counter",
        "# TYPE silcrow_lease_renewals_total counter",
    ] {
        assert!(said.lines().any(|found| found == line), "{line}: {said}");
    }
    let mut raw = String::new();
    let mut socket = std::net::TcpStream::connect(&one.address).unwrap();
    let ask =
        format!("GET /metrics HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", one.address);
    std::io::Write::write_all(&mut socket, ask.as_bytes()).unwrap();
    std::io::Read::read_to_string(&mut socket, &mut raw).unwrap();
    assert!(raw.starts_with("HTTP/1.1 401 "), "{raw}");

    // A server that stops is alive and not ready, on connections that are there.
    let mut kept = std::net::TcpStream::connect(&one.address).unwrap();
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", one.address);
    let mut answer = |path: &str| {
        std::io::Write::write_all(&mut kept, ask(path).as_bytes()).unwrap();
        let mut answer = [0; 12];
        std::io::Read::read_exact(&mut kept, &mut answer).unwrap();
        let mut rest = [0; 4096];
        let _ = std::io::Read::read(&mut kept, &mut rest).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    assert_eq!(answer("/ready"), "HTTP/1.1 200");
    kill_process(Pid::from_child(&one.process), Signal::TERM).unwrap();
    let begun = Instant::now();
    while answer("/ready") != "HTTP/1.1 503" {
        assert!(begun.elapsed() < Duration::from_secs(8));
        sleep(Duration::from_millis(20));
    }
    assert_eq!(answer("/health"), "HTTP/1.1 200");
    // The run at work may end.
    answering.send_text("§respond: seventeen\n§end");
    answering.end();
    drop(one);
}
