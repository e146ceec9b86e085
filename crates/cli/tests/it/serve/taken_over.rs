//! Readers of a run whose server is killed, at another server: they wait for the next owner and continue,
//! in every protocol.

use std::fs;
use std::io::BufReader;
use std::thread;
use std::time::{Duration, Instant};

use silcrow_testkit::PostgresServer;

use super::cluster::{PROMPT, end_leases, serve};
use super::{ServedStream, Serving};
use crate::follow::model::{Answering, Model};
use crate::support::Sandbox;

/// A run whose server is killed after a few words, and another server that will continue it.
struct LostRun {
    postgres: &'static PostgresServer,
    database: String,
    model: Model,
    one: Serving,
    other: Serving,
    answering: Answering,
    _sandboxes: [Sandbox; 2],
}

impl LostRun {
    /// Begins a run, which has said `seventee` by then.
    fn begin() -> Option<Self> {
        let postgres = PostgresServer::shared()?;
        let (database, model) = (postgres.database(), Model::new());
        let (here, there) = (Sandbox::new(), Sandbox::new());
        let one = serve(&here, &database, &["--model", &model.name()]);
        let other = serve(&there, &database, &["--model", &model.name(), "--work"]);
        assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
        let mut answering = model.asked();
        answering.send_text("§think: seals\n§respond: seventee");
        one.read("/conversations/c1/events").until(r#""content":"seventee""#);
        let sandboxes = [here, there];
        Some(Self { postgres, database, model, one, other, answering, _sandboxes: sandboxes })
    }

    fn kill(&mut self) {
        self.one.process.kill().unwrap();
        self.one.process.wait().unwrap();
    }

    /// Lets the other server take the run.
    fn take(&mut self) {
        end_leases(self.postgres, &self.database);
        self.answering = self.model.asked();
    }

    /// Waits until the run has an order to stop.
    fn wait_for_order(&self) {
        let orders = "select count(*) from silcrow.conversation where orders is not null";
        let begun = Instant::now();
        while self.postgres.run(&self.database, orders) != "1" {
            assert!(begun.elapsed() < Duration::from_secs(12), "nobody stops the run");
        }
    }
}

/// Checks that the numbers of a stream grow.
fn check_numbers(stream: &str) {
    let numbers = stream.lines().filter_map(|line| {
        let (_, rest) = line.split_once("\"sequence_number\":")?;
        rest.split(|char: char| !char.is_ascii_digit()).next()?.parse::<u64>().ok()
    });
    assert!(numbers.is_sorted_by(|one, next| one < next), "{stream}");
}

const RESPONSE: &str = "/v1/responses/resp_0_c1?stream=true";

#[test]
fn readers_of_every_protocol_follow_the_new_owner() {
    let Some(mut run) = LostRun::begin() else { return };
    let mut sdk = run.other.read("/api/chat/c1/stream");
    sdk.until("seventee");
    let mut responses = run.other.read(RESPONSE);
    let mut seen = responses.until("seventee");
    let body = r#"{"threadId":"c1","runId":"r","messages":[],"state":{},"tools":[],"context":[],"forwardedProps":{}}"#;
    let mut ag_ui = ServedStream(BufReader::new(run.other.open("POST", "/ag-ui", body)));
    ag_ui.until("seventee");
    run.kill();

    // Later clients find that no process has the run, and that it is not over.
    let mut late_sdk = run.other.read("/api/chat/c1/stream");
    let mut late_responses = run.other.read(RESPONSE);
    let (_, read) = run.other.send("GET", "/v1/responses/resp_0_c1", "");
    assert_eq!(read["status"], "in_progress", "{read}");
    run.take();
    run.answering.send_text("§respond: eighte");
    sdk.until("eighte");
    ag_ui.until("eighte");
    let mut latest_responses = run.other.read(RESPONSE);
    let (_, read) = run.other.send("GET", "/v1/responses/resp_0_c1", "");
    assert_eq!(read["status"], "in_progress", "{read}");
    run.answering.send_text("en seals\n§end");
    run.answering.end();

    for (name, stream) in [("sdk", &mut sdk), ("late sdk", &mut late_sdk)] {
        let rest = stream.until("[DONE]");
        assert!(
            rest.contains("en seals") && rest.contains(r#""finishReason":"stop""#),
            "{name}: {rest}"
        );
        assert!(!rest.contains(r#""type":"error""#), "{name}: {rest}");
    }
    seen += &responses.until("[DONE]");
    check_numbers(&seen);
    let late = [late_responses.until("[DONE]"), latest_responses.until("[DONE]")];
    for stream in [&seen, &late[0], &late[1]] {
        check_numbers(stream);
        let (_, end) = stream.split_once("event: response.completed").unwrap();
        assert!(end.contains(r#""text":"eighteen seals""#) && !end.contains("seventee"), "{end}");
    }
    let rest = ag_ui.until("RUN_FINISHED");
    assert!(rest.contains("en seals") && !rest.contains("RUN_ERROR"), "{rest}");
    let (_, read) = run.other.send("GET", "/v1/responses/resp_0_c1", "");
    assert_eq!(read["status"], "completed", "{read}");
}

#[test]
fn another_server_stops_the_run() {
    let Some(mut run) = LostRun::begin() else { return };
    let path = format!("{RESPONSE}&disconnect=stop");
    let mut reader = run.other.read(&path);
    reader.until("seventee");
    drop(reader);
    run.one.follow("c1", r#""outcome":"stopped""#);

    assert_eq!(run.one.send("POST", "/conversations/c2/runs", PROMPT).0, 201);
    run.answering = run.model.asked();
    run.answering.send_text("§respond: seventee");
    let (status, answer) = run.other.send("POST", "/v1/responses/resp_0_c2/cancel", "");
    assert_eq!((status, &answer["status"]), (200, &"cancelled".into()), "{answer}");
    run.one.follow("c2", r#""outcome":"stopped""#);
}

#[test]
fn client_leaving_between_owners_stops_the_run() {
    let Some(mut run) = LostRun::begin() else { return };
    let mut reader = run.other.read("/api/chat/c1/stream?disconnect=stop");
    reader.until("seventee");
    run.kill();
    // The text of the lost owner ends.
    reader.until("text-end");
    drop(reader);
    run.wait_for_order();
    end_leases(run.postgres, &run.database);
    run.other.follow("c1", r#""type":"cancelled""#);
}

#[test]
fn response_can_be_cancelled_between_owners() {
    let Some(mut run) = LostRun::begin() else { return };
    run.kill();
    thread::scope(|scope| {
        let other = &run.other;
        let cancels = scope.spawn(|| other.send("POST", "/v1/responses/resp_0_c1/cancel", ""));
        run.wait_for_order();
        end_leases(run.postgres, &run.database);
        let (status, answer) = cancels.join().unwrap();
        assert_eq!((status, &answer["status"]), (200, &"cancelled".into()), "{answer}");
    });
}

/// A server continues the runs of everybody who has a token for it, not only of its owner.
#[test]
fn other_users_runs_are_taken_over_too() {
    let Some(postgres) = PostgresServer::shared() else { return };
    let (database, model) = (postgres.database(), Model::new());
    let (here, there) = (Sandbox::new(), Sandbox::new());
    let files = [&here, &there].map(|sandbox| sandbox.path("ann.token"));
    let flags = files.each_ref().map(|file| format!("ann={}", file.display()));
    let name = model.name();
    let mut one = serve(&here, &database, &["--model", &name, "--user-token", &flags[0]]);
    fs::copy(&files[0], &files[1]).unwrap();
    let args = ["--model", &*name, "--user-token", &flags[1], "--work"];
    let mut other = serve(&there, &database, &args);
    one.token = fs::read_to_string(&files[0]).unwrap();
    other.token = one.token.clone();
    assert_eq!(one.send("POST", "/conversations/c1/runs", PROMPT).0, 201);
    let mut answering = model.asked();
    answering.send_text("§think: seals\n§respond: seventee");
    one.read("/conversations/c1/events").until(r#""content":"seventee""#);
    one.process.kill().unwrap();
    one.process.wait().unwrap();
    end_leases(postgres, &database);
    let mut answering = model.asked();
    answering.send_text("§respond: eighteen seals\n§end");
    answering.end();
    other.follow("c1", r#""outcome":"answered""#);
}
