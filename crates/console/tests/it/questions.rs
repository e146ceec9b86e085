//! Questions about calls, and the keys that answer them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use silcrow_agent::RunOutcome;
use silcrow_console::approve::{QuestionDesk, RuleKeeper, TerminalApprover};
use silcrow_console::live::{LiveScreen, QuestionReply};
use silcrow_console::options::ConsoleOptions;
use silcrow_console::question::QuestionStyle;
use silcrow_policy::{ProposedRule, SharedPolicy};
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, ApprovalScope, Approver as _,
    PermissionRequest, Preview, ToolPolicy,
};
use tokio::sync::mpsc;

use crate::support::steady;
use crate::window::{EmulatedWindow, Emulator, WindowOptions};

const WRITES: &str = "\
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"one\\ntwo\\n\"}}
§execute
%%
§call: {\"name\":\"file_write\",\"args\":{\"file\":\"b.txt\",\"content\":\"three\\n\"}}
§execute
%%
§respond: Done.
§end";

async fn ask() -> EmulatedWindow {
    let mut window = EmulatedWindow::open(WRITES);
    window.wait_for("y yes").await;
    window
}

async fn answered(window: EmulatedWindow) -> String {
    let (end, shown, _) = window.end().await;
    assert!(matches!(end.ended, Ok(RunOutcome::Answered)), "{:?}\n{shown}", end.ended);
    shown
}

async fn stopped(window: EmulatedWindow) {
    let (end, shown, _) = window.end().await;
    assert!(matches!(end.ended, Ok(RunOutcome::Interrupted)), "{:?}\n{shown}", end.ended);
}

#[tokio::test]
async fn question_shows_its_subject_and_explains_keys() {
    let options = WindowOptions { approver: keeps_rules, ..WindowOptions::default() };
    let mut window = EmulatedWindow::open_with(WRITES, options);
    window.wait_for("y yes").await;
    window.press("?").await;
    window.wait_for("this explanation").await;
    window.wait_for("? more").await;
    insta::assert_snapshot!("question", steady(&window.shown()));
    window.press("a").await;
    window.wait_for("Esc goes back").await;
    insta::assert_snapshot!("question_always", steady(&window.shown()));
    window.press("\x1b").await;
    window.wait_for("? more").await;
    window.press("s").await;
    assert_eq!(window.written("b.txt"), None);
    stopped(window).await;
}

#[tokio::test]
async fn only_the_shown_keys_answer() {
    let mut window = ask().await;
    window.press("x\r 1fQ\t").await;
    window.press("axyn").await;
    window.wait_for("Esc goes back").await;
    assert_eq!(window.written("b.txt"), None);
    window.press("\x1b").await;
    window.wait_for("y yes").await;
    window.press("y").await;
    window.wait_for("› yes").await;
    window.wait_for("+1 -2 lines").await;
    window.wait_for("y yes").await;
    assert_eq!(window.written("b.txt").as_deref(), Some("one\ntwo\n"));
    window.press("n").await;
    window.wait_for("Done.").await;
    assert_eq!(window.written("b.txt").as_deref(), Some("one\ntwo\n"));
    answered(window).await;
}

#[tokio::test]
async fn conversation_approval_covers_the_next_call() {
    let mut window = ask().await;
    window.press("a1").await;
    // A second question would wait forever.
    window.wait_for("Done.").await;
    assert_eq!(window.written("b.txt").as_deref(), Some("three\n"));
    answered(window).await;
}

#[tokio::test]
async fn denial_may_carry_a_reason() {
    let mut window = ask().await;
    window.press("w").await;
    window.wait_for("No, because").await;
    window.press("\x1b").await;
    window.wait_for("y yes").await;
    window.press("wuse c.txt\r").await;
    window.wait_for("said: use c.txt").await;
    window.wait_for("y yes").await;
    window.press("n").await;
    window.wait_for("Done.").await;
    assert_eq!(window.written("b.txt"), None);
    answered(window).await;
}

#[tokio::test]
async fn change_is_shown_as_differing_lines() {
    let mut window = ask().await;
    window.press("y").await;
    window.wait_for("content in b.txt: +1 -2 lines").await;
    window.wait_for("-one").await;
    window.wait_for("+three").await;
    window.wait_for("y yes").await;
    window.press("?").await;
    window.wait_for("replaces 2 of 2 lines with 1 line").await;
    window.wait_for("y yes").await;
    window.press("s").await;
    assert_eq!(window.written("b.txt").as_deref(), Some("one\ntwo\n"));
    stopped(window).await;
}

#[tokio::test]
async fn rows_that_were_never_shown_take_another_yes() {
    let content = "line\\n".repeat(300);
    let text = format!(
        "§call: {{\"name\":\"file_write\",\"args\":{{\"file\":\"b.txt\",\"content\":\"{content}\"}}}}\n\
         §execute\n%%\n§respond: Done.\n§end"
    );
    let mut window = EmulatedWindow::open(&text);
    window.wait_for("rows are not shown here; ? shows all of them").await;
    window.wait_for("? more").await;
    window.press("ya").await;
    window.wait_for("Not all rows were shown").await;
    assert_eq!(window.written("b.txt"), None);
    window.press("?n").await;
    window.wait_for("Done.").await;
    let all = String::from_utf8_lossy(&window.bytes()).matches("+line").count();
    assert!(all >= 300, "{all}");
    assert_eq!(window.written("b.txt"), None);
    answered(window).await;

    let mut window = EmulatedWindow::open(&text);
    window.wait_for("? more").await;
    window.press("Y").await;
    window.wait_for("Done.").await;
    assert_eq!(window.written("b.txt").map(|text| text.len()), Some(1500));
    answered(window).await;
}

#[tokio::test]
async fn unsaveable_rule_does_not_approve() {
    let options = WindowOptions { approver: keeps_rules, ..WindowOptions::default() };
    let mut window = EmulatedWindow::open_with(WRITES, options);
    window.wait_for("y yes").await;
    window.press("af").await;
    window.wait_for("the rule is not kept, because this test has no file").await;
    window.wait_for("y yes").await;
    assert_eq!(window.written("b.txt"), None);
    // A rule is not offered again.
    assert!(!window.shown().contains("in this folder from now on"), "{}", window.shown());
    window.press("s").await;
    stopped(window).await;
}

#[tokio::test]
async fn question_stays_short_at_every_width() {
    let long = "for name in alpha beta gamma; do printf '%s is here, and so is the next one' \"$name\"; done";
    for (name, command) in [("short", "make check"), ("long", long)] {
        for columns in [60, 80, 120] {
            let args = serde_json::json!({ "command": command }).to_string();
            let mut request = ApprovalRequest::new("a1", "shell", &args);
            request.why =
                Some("the mode `ask` asks about commands that are not known to be harmless");
            let shown = shown_question(request, columns, 30).await;
            insta::assert_snapshot!(format!("{name}_{columns}"), shown);
        }
    }
}

#[tokio::test]
async fn long_command_is_folded_until_expanded() {
    let lines: String = (0..60).map(|line| format!("echo line {line}; ")).collect();
    let args = serde_json::json!({ "command": format!("{lines}rm -r x") }).to_string();
    let (approver, mut questions) = asked_by_hand(80);
    let (emulator, seen) = Emulator::new(80, 40);
    let mut screen = LiveScreen::new("script", emulator.terminal(), &ConsoleOptions::new());
    let asking =
        tokio::spawn(async move { approver.ask(ApprovalRequest::new("a1", "shell", &args)).await });
    screen.begin("script");
    screen.ask(questions.recv().await.unwrap());
    let shown = || seen.borrow().shown();
    assert!(shown().contains("rows are not shown here"), "{}", shown());
    assert!(!shown().contains("line 30;"), "{}", shown());
    // Its end is shown.
    assert!(shown().contains("rm -r x"), "{}", shown());
    for (key, expected) in [('y', "Not all rows were shown"), ('?', "line 30;")] {
        screen.key(silcrow_console::live::KeyCode::Char(key).into());
        screen.draw();
        assert!(shown().contains(expected), "{}", shown());
    }
    screen.key(silcrow_console::live::KeyCode::Char('y').into());
    assert_eq!(asking.await.unwrap(), ApprovalDecision::Allow(ApprovalScope::Once));
}

#[tokio::test]
async fn question_of_an_ended_call_is_withdrawn() {
    let (approver, mut questions) = asked_by_hand(80);
    let (emulator, seen) = Emulator::new(80, 40);
    let screen = LiveScreen::new("script", emulator.terminal(), &ConsoleOptions::new());
    let screen = Mutex::new(screen);
    let asking =
        tokio::spawn(async move { approver.ask(ApprovalRequest::new("a1", "t", "{}")).await });
    let mut screen = screen.into_inner().unwrap();
    screen.begin("script");
    screen.ask(questions.recv().await.unwrap());
    assert!(screen.is_asking());
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    screen.draw();
    assert!(!screen.is_asking());
    let shown = seen.borrow().shown();
    assert!(shown.contains("the question was taken back"), "{shown}");
}

#[tokio::test]
async fn closed_question_desk_denies() {
    let (approver, questions) = asked_by_hand(80);
    drop(questions);
    let decision = approver.ask(ApprovalRequest::new("a1", "t", "{}")).await;
    assert!(matches!(decision, ApprovalDecision::Deny(why) if why.contains("nobody")));
    // The reply of a person who stops the run is a no.
    assert_ne!(QuestionReply::Stop, QuestionReply::Words(None));
}

/// Returns the text of a question in a window.
async fn shown_question(request: ApprovalRequest<'_>, columns: u16, rows: u16) -> String {
    let (approver, mut questions) = asked_by_hand(columns);
    let (emulator, seen) = Emulator::new(columns, rows);
    let mut screen = LiveScreen::new("script", emulator.terminal(), &ConsoleOptions::new());
    screen.begin("script");
    let asked = approver.ask(request);
    let shown = async {
        screen.ask(questions.recv().await.unwrap());
        steady(&seen.borrow().shown())
    };
    tokio::select! {
        decision = asked => panic!("{decision:?}"),
        shown = shown => shown,
    }
}

/// Returns an approver, and the questions that it asks.
fn asked_by_hand(
    columns: u16,
) -> (TerminalApprover, mpsc::Receiver<silcrow_console::live::LiveQuestion>) {
    let (desk, questions) = mpsc::channel(1);
    let style = QuestionStyle { columns: columns.into(), color: false };
    (TerminalApprover::new(QuestionDesk::Live(desk)).with_style(move || style), questions)
}

/// Lets an approver offer rules for changes of files, none of which is kept.
fn keeps_rules(approver: TerminalApprover, policy: &Arc<SharedPolicy>) -> TerminalApprover {
    let rules = Unkept { policy: Arc::clone(policy), file: PathBuf::from("FOLDER/policy.toml") };
    approver.with_rule_keeper(Some(Arc::new(rules)))
}

/// Proposes rules, and has no file for them.
struct Unkept {
    policy: Arc<SharedPolicy>,
    file: PathBuf,
}

impl RuleKeeper for Unkept {
    fn propose(&self, question: ApprovalRequest<'_>) -> Option<ProposedRule> {
        let changes = ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() };
        let preview = Preview::new(question.scope).with_target(question.target?);
        let request = PermissionRequest::new(question.tool, question.args, changes, &preview);
        self.policy.propose(&request)
    }

    fn file(&self) -> &Path {
        &self.file
    }

    fn keep(&self, _rule: &ProposedRule) -> Result<(), String> {
        Err("the rule is not kept, because this test has no file".to_owned())
    }
}
