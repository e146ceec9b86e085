use proptest::prelude::*;
use silcrow_context::assemble;
use silcrow_event::{
    Approval, ApprovalState, CallResult, DiagnosticKind, Event, Grants, Message, Respond,
    ResultBatch, Role, Think, ThoughtOrigin,
};
use silcrow_parser::{Dialect, Options, escape_user, write};
use silcrow_testkit::{args, content, turn, wire_text};

use crate::read::{call, contents_of, read};

pub(crate) fn options() -> impl Strategy<Value = Options> {
    let dialects = prop::sample::select(vec![Dialect::Sigil, Dialect::Phase, Dialect::Action]);
    (dialects, any::<bool>())
        .prop_map(|(dialect, inline)| Options::new(dialect).with_inline(inline))
}

fn id() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["", "a1", "a2", "a3"]).prop_map(str::to_owned)
}

/// Generates texts that may be empty or blank.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => content(), 1 => wire_text(), 1 => "[ \n]{0,2}"]
}

/// Generates any event, in any state that its type allows.
pub(crate) fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => text().prop_map(Event::user),
        1 => text().prop_map(Event::steer),
        2 => (text(), any::<bool>()).prop_map(|(content, ours)| {
            let origin = if ours { ThoughtOrigin::Model } else { ThoughtOrigin::Provider };
            Event::Think(Think { content, origin, opaque: None })
        }),
        3 => (text(), prop::option::of(text()), any::<bool>()).prop_map(|(content, wire, last)| {
            Event::Respond(Respond { wire, last, ..Respond::new(content) })
        }),
        1 => (id(), text()).prop_map(|(id, text)| Event::Respond(Respond::malformed(id, text))),
        4 => (id(), "[a-z]{1,5}", args()).prop_map(|(id, name, args)| call(&id, &name, &args)),
        4 => (prop::option::of(id()), text()).prop_map(|(id, content)| {
            let result = CallResult::unknown(content);
            Event::Result(match id {
                Some(id) => result.with_id(id),
                None => result,
            })
        }),
        1 => (id(), text()).prop_map(|(id, why)| {
            Event::Result(CallResult::failure(id, None, "malformed call", why))
        }),
        1 => prop::collection::vec(text(), 0..3).prop_map(|contents| {
            let results: Vec<_> =
                contents.iter().map(|text| CallResult::success("", "t", "", &**text)).collect();
            Event::Batch(ResultBatch::fold(&results))
        }),
        1 => text().prop_map(|content| {
            Event::Batch(ResultBatch { content, success_count: 1, failure_count: 0 })
        }),
        1 => Just(Event::Execute),
        1 => Just(Event::End),
        1 => text().prop_map(|content| Event::Cancelled { content }),
        1 => Just(Event::Notice { content: "[Your last answer held no text.]".to_owned() }),
        1 => text().prop_map(Event::title),
        1 => id().prop_map(|id| Event::Approval(Approval {
            id,
            state: ApprovalState::Asked,
            args_sha256: None,
            target: None,
            risk: None,
            scope: None,
            grants: Grants::none(),
            reason: None,
        })),
    ]
}

fn log() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(event(), 0..16)
}

/// Returns whether the log stops between a call and the first of its results.
fn is_open(log: &[Event]) -> bool {
    let waiting = log.iter().rev().take_while(|event| match event {
        Event::Result(_) | Event::Execute | Event::Cancelled { .. } | Event::Notice { .. } => false,
        Event::Batch(batch) => batch.content == "[]",
        Event::User { content, .. } => {
            content.text().trim_matches([' ', '\t', '\r', '\n']).is_empty()
        }
        _ => true,
    });
    waiting.into_iter().any(|event| match event {
        Event::Call(_) => true,
        Event::Respond(respond) => respond.malformed.is_some(),
        _ => false,
    })
}

#[track_caller]
pub(crate) fn well_formed(messages: &[Message]) {
    for (number, message) in messages.iter().enumerate() {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        assert_eq!(message.role, role, "{messages:?}");
        assert!(!message.text().trim_matches([' ', '\t', '\r', '\n']).is_empty(), "{messages:?}");
    }
}

proptest! {
    #[test]
    fn the_name_of_a_conversation_is_not_sent(log in log(), options in options()) {
        let is_title = |event: &Event| matches!(event, Event::Title { .. });
        let without = Vec::from_iter(log.iter().filter(|event| !is_title(event)).cloned());
        assert_eq!(assemble(&log, options), assemble(&without, options));
    }

    #[test]
    fn any_log_yields_valid_provider_messages(log in log(), options in options()) {
        well_formed(&assemble(&log, options));
    }

    #[test]
    fn longer_log_keeps_sent_prefix(
        log in log(),
        cut in 0.0..1.0,
        options in options(),
    ) {
        let cut = (cut * log.len() as f64) as usize;
        let whole = assemble(&log, options);
        let part = assemble(&log[..cut], options);
        let kept = part.len().saturating_sub(if is_open(&log[..cut]) { 2 } else { 1 });
        prop_assert!(whole.len() >= kept);
        prop_assert_eq!(&whole[..kept], &part[..kept]);
    }

    #[test]
    fn a_turn_reads_as_it_was_written(turn in turn(), options in options()) {
        let dialect = match options.dialect {
            Dialect::Action => Dialect::Phase,
            dialect => dialect,
        };
        let options = Options::new(dialect).with_inline(options.inline);
        // The stored events, with the results of each batch in its place.
        let mut log = vec![Event::user("go")];
        let mut calls = Vec::new();
        for event in turn {
            match &event {
                Event::Call(call) => calls.push(call.id().to_owned()),
                Event::Execute => {
                    let results = calls.drain(..).map(|id| CallResult::success(id, "t", "", "ok"));
                    log.extend(results.map(Event::Result));
                    continue;
                }
                Event::End => continue,
                _ => {}
            }
            log.push(event);
        }
        let messages = assemble(&log, options);
        let mut said = Vec::new();
        for message in messages.iter().filter(|message| message.role == Role::Assistant) {
            let (events, notes) = read(&message.text(), options);
            // A fence may quote delimiters.
            prop_assert!(notes.iter().all(|note| note.kind == DiagnosticKind::HiddenDelimiter));
            prop_assert!(matches!(events.last(), Some(Event::Execute | Event::End | Event::Think(_))));
            // Ids restart in each message.
            said.extend(events.into_iter().filter(Event::is_stored).map(without_id));
        }
        let stored = log.into_iter().filter(|event| {
            !matches!(event, Event::User { .. } | Event::Result(_))
        });
        prop_assert_eq!(said, stored.map(without_id).collect::<Vec<_>>());
    }

    #[test]
    fn each_call_has_one_result_in_its_place(
        contents in prop::collection::vec(content(), 1..5),
        order in any::<prop::sample::Index>(),
        words in content(),
        options in options(),
    ) {
        let ids = (1..).map(|number| format!("a{number}"));
        let mut log = vec![Event::user("go")];
        log.extend(ids.clone().take(contents.len()).map(|id| call(&id, "t", "{}")));
        let mut results: Vec<_> = ids
            .zip(&contents)
            .map(|(id, content)| Event::Result(CallResult::success(id, "t", "", &**content)))
            .collect();
        results.rotate_left(order.index(contents.len()));
        log.extend(results);
        let messages = assemble(&log, options);
        prop_assert_eq!(contents_of(&messages[2].text(), options), contents.clone());

        // The person's next words are outside of the results, for any two texts.
        log.push(Event::user(&*words));
        let messages = assemble(&log, options);
        let end = write([&Event::End], options);
        let parted = format!("\n{end}\n\n");
        let text = messages[2].text();
        let (results, said) = text.split_once(&parted).unwrap();
        prop_assert_eq!(contents_of(results, options), contents);
        prop_assert_eq!(said, escape_user(&words, options));
    }

    #[test]
    fn user_text_cannot_forge_results(words in text(), options in options()) {
        let messages = assemble(&[Event::user(words)], options);
        for message in messages {
            prop_assert_eq!(contents_of(&message.text(), options), Vec::<String>::new());
        }
    }
}

fn without_id(event: Event) -> Event {
    match event {
        Event::Call(call) => Event::Call(call.with_id("")),
        other => other,
    }
}
