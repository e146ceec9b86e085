//! The places of the texts of a request in the default context.

use silcrow_context::{ContextAssembler as _, ContextInput, FullHistory, ModelLimits, assemble};
use silcrow_event::{Call, CallResult, Entry, Event, Respond, Role};
use silcrow_parser::Dialect;

fn log(events: impl IntoIterator<Item = Event>) -> Vec<Entry> {
    events.into_iter().map(Entry::from).collect()
}

#[test]
fn stable_text_precedes_text_of_run() {
    let log = log([Event::user("hello")]);
    let input = ContextInput::new(&log, Dialect::Sigil).with_system("Add numbers.\n");
    let plain = FullHistory.assemble(&input);
    assert_eq!((plain[0].role, &*plain[0].text()), (Role::System, "Add numbers.\n"));
    let dated = FullHistory.assemble(&input.with_run_text(Some(" It is Monday.\n")));
    assert_eq!(dated[0].content, "Add numbers.\n\n## This run\n\nIt is Monday.\n");
    assert_eq!(dated[0].content.parts()[0], plain[0].content.parts()[0]);
    assert_eq!(dated[1..], plain[1..]);
    assert_eq!(FullHistory.assemble(&input.with_run_text(Some(" \n"))), plain);
}

#[test]
fn a_notice_ends_the_last_message() {
    let log = log([Event::user("hello")]);
    let input = ContextInput::new(&log, Dialect::Sigil).with_notice(Some("[Hurry.]"));
    let messages = FullHistory.assemble(&input);
    assert_eq!((messages.len(), &*messages[1].text()), (2, "hello\n\n[Hurry.]"));
}

/// A model whose words are last is asked to continue, in every dialect.
#[test]
fn the_last_message_is_the_user_s() {
    let unfinished = Event::Respond(Respond { last: false, ..Respond::new("so far") });
    let log = log([Event::user("hello"), unfinished]);
    let messages = FullHistory.assemble(&ContextInput::new(&log, Dialect::Action));
    let last = messages.last().unwrap();
    assert_eq!(last.role, Role::User);
    assert!(last.text().contains("continue"), "{}", last.content);
}

/// The whole log is sent, even if it exceeds the limits of the model.
#[test]
fn limits_leave_nothing_out() {
    let log = log((0..100).map(|number| Event::user(format!("line {number}"))));
    let limits = ModelLimits::default().with_context(10).with_output(1);
    let input = ContextInput::new(&log, Dialect::Phase).with_limits(limits);
    assert_eq!(FullHistory.assemble(&input)[1..], assemble(&log, Dialect::Phase));
}

/// The model sees them as a conversation before its own, whose turns have the same numbers.
#[test]
fn examples_come_before_the_log() {
    let call = r#"{"name":"file_list","args":{}}"#;
    let turn = |turn, event: Event| Entry { turn: Some(turn), ..event.into() };
    let examples = [
        turn(1, Event::user("What is here?")),
        turn(1, Event::Call(Call::parse("a1", call).unwrap())),
        turn(1, Event::Result(CallResult::success("a1", "file_list", "1 entry", "main.rs"))),
        turn(2, Event::respond("main.rs.")),
    ];
    let log = [turn(1, Event::user("And there?"))];
    let input = ContextInput::new(&log, Dialect::Sigil).with_examples(&examples);
    let messages = FullHistory.assemble(&input);
    let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
    let [system, user, model] = [Role::System, Role::User, Role::Assistant];
    assert_eq!(roles, [system, user, model, user, model, user]);
    assert_eq!(messages[4].text(), "§respond: main.rs.\n§end");
    assert_eq!(messages[5].text(), "And there?");
    let whole: Vec<_> = examples.iter().chain(&log).cloned().collect();
    assert_eq!(messages, FullHistory.assemble(&ContextInput::new(&whole, Dialect::Sigil)));
}

/// A model that is asked to continue reads its earlier text in the same bytes ever after. Only the
/// dialect `action` has answers that are not final.
#[test]
fn continued_turn_keeps_its_bytes() {
    let said = |turn, last| {
        let respond = Respond { last, ..Respond::new("more") };
        Entry { turn: Some(turn), ..Event::Respond(respond).into() }
    };
    let prompt = Entry { turn: Some(1), ..Event::user("go").into() };
    let log = [prompt, said(1, false), said(2, true), Event::user("next").into()];
    let messages = |end| FullHistory.assemble(&ContextInput::new(&log[..end], Dialect::Action));
    let (asked, later) = (messages(2), messages(4));
    assert_eq!(asked, later[..asked.len()]);
}
