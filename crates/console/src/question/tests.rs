use super::*;
use silcrow_event::CallKind;
use silcrow_term::fit::width;

mod subject;
mod widths;

const PLAINLY: QuestionStyle = QuestionStyle { columns: 80, color: false };

/// Returns the shown text, without the first line break.
fn shown(asked: ApprovalRequest<'_>, style: QuestionStyle) -> String {
    question(asked, style).strip_prefix('\n').unwrap().to_owned()
}

fn asked(args: &str) -> ApprovalRequest<'_> {
    ApprovalRequest::new("a1", "file_write", args)
}

/// Returns the rows of text from elsewhere, without their gutters.
fn theirs(shown: &str) -> Vec<&str> {
    shown.lines().filter_map(|row| Some(row.split_once(['│', '┊'])?.1)).collect()
}

#[test]
fn longest_text_comes_first_without_hiding_others() {
    let text = "row\\n".repeat(500);
    let args = format!(r#"{{"to":"one\ntwo","content":"{text}","cc":"a\nb"}}"#);
    let shown = shown(asked(&args), PLAINLY);
    let at = |block: &str| shown.find(&format!("│ {block}: ")).unwrap();
    assert!(at("content") < at("to") && at("to") < at("cc"), "{shown}");
}

#[test]
fn decisive_rows_come_last() {
    let mut question = asked(r#"{"file":"docs/notes.md","content":"one\ntwo\n"}"#);
    question.scope = "file docs/notes.md";
    question.target = Some("docs/notes.md");
    question.effect = Some("replaces 5 bytes");
    question.why = Some("the mode `ask` asks about changes of files");
    assert_eq!(
        shown(question, PLAINLY),
        "A call needs your approval. Its arguments (47 bytes):\n\
         │ content: 8 bytes, 2 lines\n\
         │   one\n\
         │   two\n\
         │ file: \"docs/notes.md\"\n\
         always   │ file docs/notes.md\n\
         target   │ docs/notes.md\n\
         effect   │ replaces 5 bytes\n\
         why      │ the mode `ask` asks about changes of files\n\
         from     your agent\n\
         tool     │ file_write\n\
         runs     once, at most 60 s, beside other calls\n\
         y: yes, once.  a: yes, always, as above.  Anything else: no, and the model\n\
         reads it.\n\
         [N] "
    );
}

#[test]
fn question_shows_attempts_time_mode_and_asker() {
    let path = ["research".to_owned(), "helper".to_owned()];
    let mut question = asked("{}");
    (question.agent_path, question.kind, question.mode) =
        (&path, CallKind::Workflow, CallMode::FireAndForget);
    (question.attempts, question.time_limit) = (21, Duration::from_secs(3600));
    assert_eq!(
        shown(question, PLAINLY),
        "A call needs your approval. Its arguments (2 bytes):\n\
         always   the same arguments\n\
         from     │ research/helper\n\
         workflow │ file_write\n\
         runs     up to 21 attempts of at most 60 min each, in the background\n\
         y: yes, once.  a: yes, always, as above.  Anything else: no, and the model\n\
         reads it.\n\
         [N] "
    );
    (question.attempt, question.attempts, question.mode) = (3, 1, CallMode::Sync);
    question.time_limit = Duration::from_millis(1500);
    let output = shown(question, PLAINLY);
    let runs = "runs     again (attempt 3), once, at most 1.5 s, before what follows it\n";
    assert!(output.contains(runs), "{output}");
    (question.attempt, question.outlives_call) = (1, true);
    let output = shown(question, PLAINLY);
    let runs = "runs     once, until it is stopped, before what follows it\n";
    assert!(output.contains(runs), "{output}");
}

#[test]
fn values_are_decoded_named_and_in_their_order() {
    let args =
        r#"{"to":{"host":"a\u002fb","ports":[80,1e2,[]]},"\u002e":null,"x y":"","é":true,"o":{}}"#;
    let output = shown(asked(args), PLAINLY);
    assert_eq!(
        theirs(&output)[..8],
        [
            " to.host: \"a/b\"",
            " to.ports[0]: 80",
            " to.ports[1]: 1e2",
            " to.ports[2]: []",
            " \".\": null",
            " \"x y\": \"\"",
            " \"é\": true",
            " o: {}",
        ]
    );
}

/// Texts of a model, a file name or another agent that imitate rows of the program.
const HOSTILE: [&str; 12] = [
    "docs/./../docs/../../.git/config",
    "a\n│ file: \"safe.txt\"\ntarget   │ safe.txt\n[N] ",
    "a\r\ntool     │ file_read\r\n\r[N] ",
    "\x1b[2J\x1b[H\x1b[1mtarget\x1b[0m safe.txt",
    "\u{9b}2J\u{202e}txt.efas\u{2066}\u{200b}\u{e0041}\u{3164}",
    "a\u{2028}target   │ safe.txt\u{2029}\u{85}b\x0bc\x0c",
    "                                                                                 b",
    "東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京東京",
    "ααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααααα",
    "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
    "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦",
    "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\tend",
];

#[test]
fn question_text_cannot_imitate_labels() {
    let ours = [
        "A call needs your approval.",
        "always   ",
        "target   ",
        "why      ",
        "from     ",
        "tool     ",
        "runs     ",
    ];
    for hostile in HOSTILE {
        let json = silcrow_event::Json::string(hostile);
        let args = format!("{{{json}:{json},\"content\":{json}}}");
        let path = [hostile.to_owned()];
        let mut question = asked(&args);
        (question.scope, question.agent_path) = (hostile, &path);
        (question.target, question.effect) = (Some(hostile), Some(hostile));
        question.why = Some(hostile);
        for columns in [20, 40, 60, 80, 140] {
            let output = shown(question, QuestionStyle { columns, color: false });
            for row in output.lines() {
                assert!(width(row) < columns.max(2), "{columns}: {row:?}");
                let visible = |char: char| !char.is_control() && !silcrow_sanitize::is_hidden(char);
                let joins = |char| matches!(char, '\u{200d}' | '\u{200c}');
                assert!(row.chars().all(|char| visible(char) || joins(char)), "{row:?}");
            }
            // Each row of the program occurs once.
            for label in ours {
                let times = output.lines().filter(|row| row.starts_with(label)).count();
                let expected = usize::from(!label.starts_with('A') || columns > 27);
                assert_eq!(times, expected, "{columns} {label} {output}");
            }
            assert_eq!(output.lines().filter(|row| row.starts_with("[N]")).count(), 1);
            // Nothing is cut: the whole text is to the right of the gutters.
            let whole = sanitize(hostile).replace(['\n', '\t'], "");
            let rest: String = theirs(&output)
                .iter()
                .map(|row| row.strip_prefix(' ').unwrap())
                .collect::<String>();
            let bare = |text: &str| text.replace([' ', '⏎'], "");
            assert!(bare(&rest).matches(&bare(&whole)).count() >= 3, "{columns} {output}");
        }
    }
}

#[test]
fn long_path_keeps_its_end() {
    let content = "x".repeat(24 * 1024);
    let file = format!("{}/../../.git/config", "docs/".repeat(400));
    let args = format!(r#"{{"file":"{file}","content":"{content}"}}"#);
    let mut question = asked(&args);
    question.target = Some(".git/config");
    for columns in [40, 60, 80, 140] {
        let output = shown(question, QuestionStyle { columns, color: false });
        let rows: Vec<_> = output.lines().collect();
        let last = rows[rows.len().saturating_sub(12)..].join("\n");
        assert!(last.contains("\ntarget   │ .git/config\n"), "{last}");
        assert!(output.contains("│ content: 24,576 bytes, 1 line\n"), "{columns}");
        let rest: String = theirs(&output).iter().map(|row| row.trim_start()).collect();
        assert!(rest.contains(&file) && rest.contains(&content), "whole");
    }
}

#[test]
fn continued_rows_have_another_sign() {
    let output = shown(
        asked(r#"{"text":"aaaaaaaaaaaaaaaaaaaa\nfile: b"}"#),
        QuestionStyle { columns: 20, color: false },
    );
    let rows: Vec<_> = output.lines().filter(|row| row.starts_with(['│', '┊'])).collect();
    assert_eq!(
        rows,
        ["│ text: 28 bytes, ", "┊ 2 lines", "│   aaaaaaaaaaaaaa", "┊   aaaaaa", "│   file: b"]
    );
}

#[test]
fn colors_mark_only_gutter_and_labels() {
    let mut question = asked(r#"{"file":"a\u001b[1m"}"#);
    question.scope = "file a";
    let output = shown(question, QuestionStyle { columns: 80, color: true });
    assert!(output.contains("\x1b[36m│\x1b[0m file: \"a\\x1b[1m\"\n"), "{output:?}");
    assert!(output.contains("\x1b[1malways   \x1b[0m\x1b[36m│\x1b[0m file a\n"), "{output:?}");
    assert!(output.contains("\x1b[1mfrom     your agent\x1b[0m\n"), "{output:?}");
    assert!(!shown(question, PLAINLY).contains('\x1b'));
}

fn diff() -> PreviewDiff {
    let file =
        |path: &str, hunks: &str| FileDiff { path: path.to_owned(), hunks: hunks.to_owned() };
    PreviewDiff::new(vec![file("a.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+tw\u{1b}[2Jo\r\n")])
}

/// Returns the few rows of a question, without the first line break.
fn short(asked: ApprovalRequest<'_>, columns: usize) -> String {
    let style = QuestionStyle { columns, color: false };
    short_question(asked, style).strip_prefix('\n').unwrap().to_owned()
}

fn grants(texts: &[&str]) -> Grants {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn short_question_has_command_reason_and_grants() {
    let args = r#"{"command":"npm install left-pad","timeout":90,"needs":{"network":["x"]}}"#;
    let grants = grants(&["git", "network:registry.npmjs.org"]);
    let mut question = ApprovalRequest::new("a1", "shell", args);
    (question.why, question.grants) = (Some("the mode `ask` asks about commands"), &grants);
    assert_eq!(
        short(question, 80),
        "run      │ npm install left-pad\n\
         why      │ the mode `ask` asks about commands\n\
         opens    │ git data · network registry.npmjs.org\n"
    );
    let args = r#"{"command":"cp a b\nls","folder":"src","needs":{"outside":"it has a display"}}"#;
    let outside = self::grants(&["outside"]);
    let path = ["research".to_owned()];
    let mut question = ApprovalRequest::new("a1", "shell", args);
    (question.grants, question.agent_path, question.risk) = (&outside, &path, Some("no walls"));
    assert_eq!(
        short(question, 80),
        "run      │ cp a b\n         │ ls\n\
         with     │ folder: \"src\", needs.outside: \"it has a display\"\n\
         from     │ research\n\
         why      │ no walls\n\
         opens    │ everything that you can do: no sandbox\n\
         undo     not for what it changes outside of this folder\n"
    );
    let mut question = asked(r#"{"to":"ann","body":"one\ntwo"}"#);
    question.scope = "each call that asks for\ngit";
    assert_eq!(
        short(question, 80),
        "A command that runs already waits for your answer.\n\
         tool     │ file_write\n\
         with     │ to: \"ann\"\n\
         │ body: 7 bytes, 2 lines\n│   one\n│   two\n"
    );
}

#[test]
fn few_rows_of_an_edit_are_its_difference() {
    let diff = diff().with_shown_args(&["content"]);
    let mut question = asked(r#"{"file":"a.txt","content":"one\ntwo\n"}"#);
    (question.diff, question.why) = (Some(&diff), Some("w"));
    assert_eq!(
        short(question, 80),
        "change   │ content in a.txt: +1 -1 lines\n\
         │   @@ -1,2 +1,2 @@\n│    one\n│   -two\n│   +tw\\x1b[2Jo\\x0d\n\
         why      │ w\n"
    );
}

#[test]
fn only_the_reason_is_cut_to_one_row() {
    let command = "word ".repeat(60);
    let args = format!(r#"{{"command":"{command}"}}"#);
    let mut question = ApprovalRequest::new("a1", "shell", &args);
    let why = format!("the mode asks: {command}");
    question.why = Some(&why);
    for columns in [20, 40, 60, 80, 120] {
        let output = short(question, columns);
        let (rows, why) = output.split_once("\nwhy ").unwrap();
        assert_eq!(why.lines().count(), 1, "{output}");
        assert!(!why.contains("the mode"), "the reason comes last, and counts: {output}");
        let rows: String = theirs(rows).iter().map(|row| &row[1..]).collect();
        assert_eq!(rows.matches("word").count(), 60, "{output}");
    }
}

#[test]
fn short_question_text_cannot_imitate_labels() {
    for hostile in HOSTILE {
        let json = silcrow_event::Json::string(hostile);
        let path = [hostile.to_owned()];
        let doors = Grants::from_iter([Grant::Write(format!("/{hostile}")), Grant::Git]);
        for tool in ["shell", "file_write"] {
            let args = format!("{{{json}:{json},\"command\":{json},\"folder\":{json}}}");
            let mut question = ApprovalRequest::new("a1", tool, &args);
            (question.why, question.agent_path) = (Some(hostile), &path);
            question.grants = &doors;
            for columns in [20, 40, 60, 80, 140] {
                let output = short(question, columns);
                for row in output.lines() {
                    assert!(width(row) < columns.max(2), "{columns}: {row:?}");
                    let visible =
                        |char: char| !char.is_control() && !silcrow_sanitize::is_hidden(char);
                    let joins = |char| matches!(char, '\u{200d}' | '\u{200c}');
                    assert!(row.chars().all(|char| visible(char) || joins(char)), "{row:?}");
                }
                let labels = ["run ", "tool ", "with ", "from ", "why ", "opens ", "undo "];
                for label in labels {
                    let times = output.lines().filter(|row| row.starts_with(label)).count();
                    // A text in rows after it needs no label, and one of two tools is called.
                    let least = usize::from(!["run ", "tool ", "with "].contains(&label));
                    assert!((least..=1).contains(&times), "{columns} {label} {output}");
                }
            }
        }
    }
}
