//! Messages that the person sends while a turn works (section 9).

use silcrow_context::{ContextAssembler as _, ContextInput, FullHistory};
use silcrow_event::{Call, CallResult, Entry, Event, Role};
use silcrow_parser::Dialect;

fn entry(turn: u32, event: Event) -> Entry {
    Entry { turn: Some(turn), ..event.into() }
}

fn call(id: &str) -> Event {
    Event::Call(Call::parse(id, r#"{"name": "look", "args": {}}"#).unwrap())
}

fn result(id: &str) -> Event {
    Event::Result(CallResult::success(id, "look", "", "seen"))
}

/// Returns the messages after the system message, as pairs of a role and a text.
fn messages(log: &[Entry]) -> Vec<(Role, String)> {
    let messages = FullHistory.assemble(&ContextInput::new(log, Dialect::Sigil));
    let texts = messages.iter().map(|message| (message.role, message.text().into_owned()));
    texts.skip(1).collect()
}

/// Returns how often each message has these words.
fn places(log: &[Entry], words: &str) -> Vec<usize> {
    messages(log).iter().map(|(_, text)| text.matches(words).count()).collect()
}

#[test]
fn message_between_call_and_result_follows_result() {
    let log = [
        entry(1, Event::user("go")),
        entry(1, call("a1")),
        entry(1, Event::steer("hurry")),
        entry(1, result("a1")),
    ];
    let said = messages(&log);
    assert_eq!(said.len(), 3);
    let (role, last) = &said[2];
    assert_eq!(*role, Role::User);
    assert!(last.find("seen").unwrap() < last.find("hurry").unwrap(), "{last}");
}

/// The model of turn 2 was asked before the words came, so they must not move in front of its text:
/// a session would have to restart.
#[test]
fn message_before_first_text_follows_turn() {
    let mut log = vec![entry(1, Event::user("go")), entry(1, call("a1")), entry(1, result("a1"))];
    let before = messages(&log);
    log.push(entry(2, Event::steer("hurry")));
    assert_eq!(places(&log, "hurry"), [0, 0, 1]);
    log.extend([entry(2, call("a1")), entry(2, result("a1"))]);
    assert_eq!(places(&log, "hurry"), [0, 0, 0, 0, 1]);
    assert_eq!(messages(&log)[..3], before);
    // Nothing of a later turn moves them.
    log.extend([entry(3, call("a1")), entry(3, result("a1")), entry(4, Event::respond("done"))]);
    assert_eq!(places(&log, "hurry"), [0, 0, 0, 0, 1, 0, 0, 0, 0]);
}

#[test]
fn message_to_lost_turn_keeps_its_place() {
    let log = [
        entry(1, Event::user("go")),
        entry(1, call("a1")),
        entry(1, result("a1")),
        entry(2, Event::steer("hurry")),
        entry(3, Event::respond("done")),
    ];
    assert_eq!(places(&log, "hurry"), [0, 0, 1, 0, 0]);
}

#[test]
fn message_after_answer_is_next_prompt() {
    for stop in [None, Some(Event::Cancelled { content: "stopped".to_owned() })] {
        let mut log = vec![
            entry(1, Event::user("go")),
            entry(1, Event::respond("done")),
            entry(1, Event::steer("more")),
        ];
        log.extend(stop.map(|event| entry(1, event)));
        log.push(entry(2, Event::user("now")));
        let said = messages(&log);
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[1].1.ends_with("§end"), "{said:?}");
        assert!(said[2].1.find("more").unwrap() < said[2].1.find("now").unwrap(), "{said:?}");
    }
}
