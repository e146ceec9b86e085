//! Outputs that are only passed on, as a model reads their results (section 9).

use silcrow_context::assemble;
use silcrow_event::{
    ActionAttributes, BlockMark, Call, CallResult, ControlBlock, ControlKind, Entry, Event,
    OnError, Truncation,
};
use silcrow_parser::{Dialect, read_results};

fn action(id: &str, args: &str) -> Call {
    let content = format!(r#"{{"name":"file_read","args":{args}}}"#);
    Call::parse(id, content).unwrap().with_action(ActionAttributes::default())
}

fn result(id: &str, content: &str) -> Event {
    Event::Result(CallResult::success(id, "file_read", "1 line", content))
}

/// Returns the messages after the prompt.
fn told(events: Vec<Event>, dialect: Dialect) -> Vec<String> {
    let events = [Event::user("go")].into_iter().chain(events);
    let log: Vec<Entry> =
        events.map(|event| Entry { turn: Some(1), ..Entry::from(event) }).collect();
    let messages = assemble(&log, dialect);
    messages[1..].iter().map(|message| message.text().into_owned()).collect()
}

fn chain() -> Vec<Event> {
    vec![
        Event::Call(action("a", "{}")),
        Event::Call(action("b", r#"{"text":"$a"}"#)),
        result("a", "a long text"),
        result("b", "seen"),
    ]
}

#[test]
fn the_model_reads_the_type_and_the_size() {
    let expected = "<results>\n[\
        {\"tool\":\"file_read\",\"status\":\"success\",\"outcome\":\"1 line\",\"kept\":true,\"type\":\"string\",\"bytes\":11},\
        {\"tool\":\"file_read\",\"status\":\"success\",\"outcome\":\"1 line\",\"content\":\"seen\"}\
        ]\n</results>";
    assert_eq!(told(chain(), Dialect::Action)[1], expected);
    for dialect in [Dialect::Sigil, Dialect::Phase, Dialect::Action] {
        let text = &told(chain(), dialect)[1];
        assert!(!text.contains("a long text"), "{text}");
        let read = read_results(text, dialect);
        let kept = read[0].kept().unwrap();
        assert_eq!((&*kept.kind, kept.items, kept.bytes), ("string", None, 11));
        assert_eq!((&*read[0].content.text(), read[1].kept()), ("", None));
    }
}

#[test]
fn long_output_keeps_its_name() {
    let mut events = chain();
    let truncated = Truncation::default().with_omitted_bytes(9).with_tail("end");
    let long = CallResult::success("a", "file_read", "", "[1,2]");
    events[2] = Event::Result(long.with_truncation(truncated.with_full_output("spill:1-a")));
    let text = &told(events, Dialect::Sigil)[1];
    let header =
        r#""kept":true,"type":"string","bytes":37,"truncated":{"full_output":"spill:1-a"}}"#;
    assert!(text.contains(header), "{text}");
    assert!(!text.contains("tail"), "{text}");
}

#[test]
fn failures_are_always_sent() {
    let mut events = chain();
    events[2] = Event::Result(CallResult::failure("a", Some("file_read"), "", "no file"));
    assert!(told(events, Dialect::Action)[1].contains("no file"));
}

#[test]
fn rejected_answer_uses_no_outputs() {
    let answer = |wire: &str| {
        Event::Respond(silcrow_event::Respond {
            content: "said".to_owned(),
            wire: Some(wire.to_owned()),
            last: true,
            malformed: None,
        })
    };
    let turn = [Event::Call(action("a", "{}")), result("a", "text"), answer("It is $a.")];
    let before = |next: Event| told([&turn[..], &[next]].concat(), Dialect::Action)[1].clone();
    assert!(before(Event::user("And then?")).contains("\"kept\":true"));
    assert!(before(Event::Notice { content: "[Again.]".to_owned() }).contains("\"text\""));
    assert!(told(turn.to_vec(), Dialect::Action)[1].contains("\"text\""));
}

#[test]
fn loop_result_stands_for_passed_on_outputs() {
    let kind = ControlKind::ForEach {
        items: "files".to_owned(),
        item: "f".to_owned(),
        index: None,
        max_parallel: 5,
        limit: 100,
        on_error: OnError::Skip,
    };
    let mut events = vec![
        Event::Block(BlockMark::Begin(ControlBlock::new("all", kind))),
        Event::Block(BlockMark::Template(action("read", r#"{"file":"$f"}"#))),
        Event::Block(BlockMark::End { id: "all".to_owned() }),
        Event::Call(action("all[0].read", r#"{"file":"$f"}"#).as_instance()),
        Event::Call(action("all[1].read", r#"{"file":"$f"}"#).as_instance()),
        Event::Call(action("use", r#"{"texts":"$all"}"#)),
        result("all[0].read", "the first"),
        Event::Result(CallResult::failure("all[1].read", Some("file_read"), "", "no file")),
        Event::Result(CallResult::success("all", "foreach", "2 items, 1 failed", "2 items")),
        result("use", "used"),
    ];
    let text = &told(events.clone(), Dialect::Action)[1];
    let ids: Vec<_> =
        read_results(text, Dialect::Action).into_iter().map(|result| result.id).collect();
    let ids: Vec<_> = ids.iter().map(Option::as_deref).collect();
    assert_eq!(ids, [Some("all[1].read"), Some("all"), None], "{text}");
    assert!(text.contains("no file") && !text.contains("the first"), "{text}");
    // In a dialect without blocks, each call has its result.
    let text = &told(events.clone(), Dialect::Sigil)[1];
    assert_eq!(text.matches("§result:").count(), 4, "{text}");
    assert!(!text.contains("the first"), "{text}");
    // So it has while the loop has no result.
    events.remove(8);
    let text = &told(events, Dialect::Action)[1];
    assert!(text.contains(r#"{"id":"all[0].read","tool":"file_read","status":"success","outcome":"1 line","kept":true"#), "{text}");
}
