//! Clients that lose their connection and continue from the log.

use proptest::prelude::*;
use serde_json::{Value, json};
use silcrow_event::{CallResult, Event, RunEvent};
use silcrow_front::{CallItems, RunEnd};

use super::encoder;
use crate::cut_run::encode_said_again;
use crate::random_run;
use crate::responses_client::{ResponsesClient, messages};
use crate::run_writer::RunWriter;
use crate::scenario::Scenario;

/// A text of which the log has nothing is not sent again, but the response ends for everybody.
#[test]
fn returning_client_gets_the_rest() {
    Scenario::all().iter().for_each(check_every_cut);
}

/// A result comes while a text is written, but is before it in the log.
#[test]
fn result_within_text_survives_reconnection() {
    let mut run = RunWriter::begin("Begin.", Some(1));
    run.call(1, "file_read", "{}");
    run.answer_piece("One é two ");
    run.store(Event::Result(CallResult::success("a1", "file_read", "", "text")));
    run.store(Event::respond("One é two"));
    run.answer("Three.");
    let (known, name, end) = (Vec::new(), "within", RunEnd::Answered);
    check_every_cut(&Scenario { name, known, events: run.events, end });
}

#[test]
fn text_beyond_last_position_arrives_at_end() {
    for piece in [None, Some(999)] {
        let mut run = RunWriter::begin("Begin.", piece);
        run.answer(&"x".repeat(150_000));
        let (known, name, end) = (Vec::new(), "long", RunEnd::Answered);
        let scenario = Scenario { name, known, events: run.events, end };
        let written = scenario.encode(&mut encoder(CallItems::Mcp));
        let client = ResponsesClient::read_stream(&written);
        assert_eq!(client.items[0]["content"][0]["text"].as_str().unwrap().len(), 150_000);
        if piece.is_some() {
            check_cut(&scenario, &written, 20);
        }
    }
}

/// A number without an event is not an error.
#[test]
fn fully_read_client_gets_the_end() {
    let scenario = &Scenario::all()[0];
    for number in [400_000_007, u64::MAX] {
        let written = scenario.encode(&mut encoder(CallItems::Mcp).with_starting_after(number));
        assert!(written.starts_with("event: response.completed\n"), "{written}");
    }
}

/// Cuts the stream of a run after each message before the last event, and continues it from the log.
fn check_every_cut(scenario: &Scenario) {
    let written = scenario.encode(&mut encoder(CallItems::Mcp));
    for at in 1..messages(&written).count() - 1 {
        check_cut(scenario, &written, at);
    }
}

fn check_cut(scenario: &Scenario, written: &str, at: usize) {
    let mut client = ResponsesClient::default();
    messages(written).take(at).for_each(|message| client.read(message));
    let number = client.number.unwrap();

    // The same events give the same messages.
    let again = scenario.encode(&mut encoder(CallItems::Mcp).with_starting_after(number));
    assert!(messages(written).skip(at).eq(messages(&again)), "{again}");

    // The missing part comes from the log.
    let is_stored =
        |event: &&RunEvent| matches!(event, RunEvent::Entry(entry) if entry.event.is_stored());
    let events = scenario.events.iter().filter(is_stored).cloned().collect();
    let log = Scenario { events, ..scenario.clone() };
    let rest = log.encode(&mut encoder(CallItems::Mcp).with_starting_after(number));
    messages(&rest).for_each(|message| client.read(message));
    let whole = ResponsesClient::read_stream(written).last.unwrap();
    let last = client.last.unwrap();
    if matches!(scenario.end, RunEnd::Answered | RunEnd::Waiting) {
        assert_eq!(last["output"], whole["output"]);
        assert_eq!(json!(client.items), whole["output"]);
    }
    assert_eq!(last["status"], whole["status"]);
}

/// A client that stays and one that returns read the same.
#[test]
fn response_continues_after_server_loss() {
    for scenario in Scenario::all().into_iter().filter(|one| one.end == RunEnd::Answered) {
        let whole = ResponsesClient::read_stream(&scenario.encode(&mut encoder(CallItems::Mcp)));
        for at in 0..scenario.events.len() {
            let written = scenario.encode_cut(&mut encoder(CallItems::Mcp), at);
            let client = ResponsesClient::read_stream(&written);
            assert_eq!(client.items, whole.items, "{} after {at}", scenario.name);
            assert_eq!(client.last.unwrap()["output"], whole.last.as_ref().unwrap()["output"]);
        }
    }
}

/// Another model may replace a text that was begun.
#[test]
fn repeated_text_is_complete_in_the_end() {
    let written = encode_said_again(&mut encoder(CallItems::Mcp));
    let mut last = None;
    for message in messages(&written) {
        let Some((_, data)) = message.split_once("\ndata: ") else { continue };
        let data: Value = serde_json::from_str(data).unwrap();
        let number = data["sequence_number"].as_u64();
        assert!(number > last, "{written}");
        last = number;
        if data["type"] == "response.output_text.done" {
            assert_eq!(data["text"], "Eighteen seals.");
        }
    }
    assert!(written.contains("response.output_text.done"), "{written}");
    let completed = written.rsplit("event: response.completed").next().unwrap();
    assert!(completed.contains(r#""text":"Eighteen seals.""#), "{completed}");
    assert!(!completed.contains("Seventeen"), "{completed}");
}

proptest! {
    #[test]
    fn a_client_continues_from_the_log(
        (turns, _) in random_run::run(),
        at in any::<prop::sample::Index>(),
    ) {
        let (events, known) = (random_run::events(&turns, true), Vec::new());
        let scenario = Scenario { name: "random", known, events, end: RunEnd::Answered };
        let written = scenario.encode(&mut encoder(CallItems::Mcp));
        let at = at.index(messages(&written).count() - 2) + 1;
        check_cut(&scenario, &written, at);
    }

    /// A client may name any number.
    #[test]
    fn numbers_grow_after_any_other(
        scenario in random_run::scenario(),
        number in prop_oneof![0..5_000_000_u64, any::<u64>()],
    ) {
        let written = scenario.encode(&mut encoder(CallItems::Mcp).with_starting_after(number));
        let data = written.lines().filter_map(|line| line.strip_prefix("data: {"));
        let mut last = number;
        for data in data {
            let event: Value = serde_json::from_str(&format!("{{{data}")).unwrap();
            let next = event["sequence_number"].as_u64().unwrap();
            prop_assert!(next > last || number > u64::MAX / 2, "{next} after {last}");
            last = next;
        }
    }
}
