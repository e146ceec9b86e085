use proptest::prelude::*;
use silcrow_event::{Entry, Event, Json, Outcome, Payload, Status};
use silcrow_store::{ErrorKind, line};

proptest! {
    /// Whatever the time, it comes back to the last bit.
    #[test]
    fn times_are_exact(time in proptest::num::f64::NORMAL | proptest::num::f64::ZERO) {
        exact(&Entry { timestamp: Some(time), ..Event::user("x").into() });
    }

    /// Times as a clock gives them: these are the ones that a careless reader of numbers rounds.
    #[test]
    fn times_of_today_are_exact(time in 1.6e9_f64..2.1e9) {
        exact(&Entry { timestamp: Some(time), ..Event::user("x").into() });
    }

    #[test]
    fn texts_are_exact(text in any::<String>(), seq in any::<Option<u64>>()) {
        exact(&Entry { seq, ..Event::respond(text).into() });
    }
}

#[test]
fn a_tools_output_keeps_its_own_bytes() {
    let deep = ["[".repeat(5_000), "]".repeat(5_000)].concat();
    let outputs = [
        r#"{"z":1,"a":2,"z":3}"#,
        "1e999",
        "1.0",
        "-0",
        "18446744073709551616",
        r#""\u0041""#,
        &deep,
    ];
    for output in outputs {
        let payload = Payload {
            tool: None,
            status: Status::Failure,
            outcome: output.to_owned(),
            content: Json::parse(output).unwrap(),
            error: false,
        };
        let content = format!("content {output}");
        exact(&Event::Result(Outcome { id: None, content, payload: Some(payload) }).into());
    }
}

#[test]
fn what_is_no_line_is_damaged() {
    for line in ["", "{", "[]", "{}", r#"{"type":"nothing"}"#, r#"{"type":"result","payload":{}"#] {
        let error = line::read(line).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{line}");
        assert!(error.to_string().starts_with("a stored line is no event: "), "{error}");
    }
}

#[track_caller]
fn exact(entry: &Entry) {
    let line = line::write(entry);
    let read = line::read(&line).unwrap();
    assert_eq!(line::write(&read), line);
    assert_eq!(&read, entry);
}
