//! Calls on a terminal: events in, rows out.

use silcrow_console::ToolFacts;
use silcrow_console::live::LiveScreen;
use silcrow_console::options::{ConsoleOptions, Detail, DiffShown};
use silcrow_event::{
    Call, CallChanges, CallResult, DeltaKind, Entry, Event, FileDelta, Progress, RunEventRef,
    RunOpening,
};

use crate::window::Emulator;

fn options() -> ConsoleOptions {
    let mut options = ConsoleOptions::new();
    options.diff = DiffShown::Full;
    options.calls = ToolFacts {
        has_failed: silcrow_shell::has_failed_command,
        time_limit: silcrow_shell::time_limit,
    };
    options
}

fn show(screen: &mut LiveScreen, event: Event) {
    screen.show(RunEventRef::Entry(&event.into()));
}

fn call(id: &str, name: &str, args: &str) -> Event {
    let json = format!("{{\"name\":\"{name}\",\"args\":{args}}}");
    Event::Call(Call::parse(id, json).unwrap())
}

fn commands(screen: &mut LiveScreen) {
    screen.begin("script");
    show(screen, call("a1", "shell", r#"{"command":"true"}"#));
    let result = CallResult::success("a1", "shell", "exit status 0", "");
    show(screen, Event::Result(result.with_notices(vec!["exit status 0".to_owned()])));
    show(screen, call("a2", "shell", r#"{"command":"echo no; exit 3"}"#));
    let piece =
        Progress { id: "a2".into(), channel: "stdout".into(), n: 0, content: "no\n".into() };
    show(screen, Event::Progress(piece));
    let result = CallResult::success("a2", "shell", "exit status 3", "no\n");
    show(screen, Event::Result(result.with_notices(vec!["exit status 3".to_owned()])));
    show(screen, Event::respond("Done."));
    show(screen, Event::End);
    screen.finish().unwrap();
}

#[test]
fn failed_command_has_a_distinct_sign() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _within = runtime.enter();
    let mut options = options();
    options.tokens = false;
    let (emulator, seen) = Emulator::new(80, 30);
    commands(&mut LiveScreen::new("script", emulator.terminal(), &options));
    insta::assert_snapshot!("commands", seen.borrow().shown());
    let (emulator, seen) = Emulator::new(80, 30);
    let terminal = emulator.terminal().without_unicode();
    commands(&mut LiveScreen::new("script", terminal, &options));
    insta::assert_snapshot!("commands_without_unicode", seen.borrow().shown());
}

#[test]
fn agent_steps_are_indented_under_their_calls() {
    for columns in [60, 140] {
        let (emulator, seen) = Emulator::new(columns, 30);
        let mut screen = LiveScreen::new("script", emulator.terminal(), &options());
        screen.begin("script");
        for (id, task) in [("x", "one"), ("y", "two")] {
            let call = call(id, "reader", &format!("{{\"task\":\"{task}\"}}"));
            screen.show(RunEventRef::Entry(&Entry { turn: Some(1), ..call.into() }));
        }
        for id in ["x", "y"] {
            let opening = RunOpening {
                conversation: format!("c1/1/{id}"),
                run: "r".to_owned(),
                caller: None,
            };
            let inner = call("s", "shell", r#"{"command":"while true; do sleep 1; done"}"#);
            let entry = Entry {
                agent_path: Some("reader".to_owned()),
                opening: Some(opening),
                ..inner.into()
            };
            screen.show(RunEventRef::Entry(&entry));
        }
        screen.draw();
        let shown = seen.borrow().shown();
        let rows: Vec<_> = shown.lines().collect();
        for task in ["one", "two"] {
            let call = format!("→ reader {task}");
            let at = rows.iter().position(|row| row.starts_with(&call)).unwrap();
            assert!(rows[at + 1].starts_with("  reader → shell while"), "{columns}\n{shown}");
        }
        for id in ["x", "y"] {
            show(&mut screen, Event::Result(CallResult::success(id, "reader", "It is there.", "")));
        }
        screen.finish().unwrap();
        let shown = seen.borrow().shown();
        assert_eq!(shown.matches("✓ reader").count(), 2, "{shown}");
        assert_eq!(shown.matches("  reader → shell").count(), 2, "{shown}");
        assert!(shown.lines().all(|row| row.chars().count() < columns.into()), "{shown}");
    }
}

#[test]
fn changes_follow_the_call_as_configured() {
    let hunks = "@@ -1,1 +1,1 @@\n-one\n+two\n";
    for (diff, expected) in [
        (DiffShown::Full, Some("+ two")),
        (DiffShown::Short, Some("a.txt +1 −1")),
        (DiffShown::Off, None),
    ] {
        let mut options = options();
        options.diff = diff;
        let (emulator, seen) = Emulator::new(80, 30);
        let mut screen = LiveScreen::new("script", emulator.terminal(), &options);
        screen.begin("script");
        show(&mut screen, call("a1", "edit", r#"{"file":"a.txt","x":1}"#));
        let delta = FileDelta::new("a.txt", DeltaKind::Changed).with_lines(1, 1).with_hunks(hunks);
        show(&mut screen, Event::Changes(CallChanges { id: "a1".to_owned(), files: vec![delta] }));
        show(&mut screen, Event::Result(CallResult::success("a1", "edit", "changed", "")));
        screen.finish().unwrap();
        let shown = seen.borrow().shown();
        match expected {
            Some(expected) => assert!(shown.contains(expected), "{shown}"),
            None => assert_eq!(shown, "✓ edit a.txt: changed"),
        }
    }
}

#[test]
fn exact_answer_goes_only_to_a_pipe() {
    let (mut answer, written) = std::io::pipe().unwrap();
    let (emulator, seen) = Emulator::new(80, 30);
    let mut options = options();
    options.detail = Detail::Quiet;
    let terminal = emulator.terminal().with_answer_to(written);
    let mut screen = LiveScreen::new("script", terminal, &options);
    screen.begin("script");
    show(&mut screen, Event::respond("# One\x1b[2J"));
    show(&mut screen, Event::End);
    screen.finish().unwrap();
    drop(screen);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut answer, &mut text).unwrap();
    assert_eq!(text, "# One\x1b[2J\n");
    assert_eq!(seen.borrow().shown(), "");
}
