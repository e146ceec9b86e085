//! The subjects of questions: differences and commands.

use super::*;

#[test]
fn diff_replaces_only_the_arguments_it_shows() {
    let mut question = asked(r#"{"file":"a.txt","content":"one\ntwo\n","mode":"content"}"#);
    let diff = diff().with_shown_args(&["content"]);
    question.diff = Some(&diff);
    let output = shown(question, PLAINLY);
    let expected = "A call needs your approval. Its arguments (56 bytes):\n\
         │ content in a.txt: +1 -1 lines\n\
         │   @@ -1,2 +1,2 @@\n\
         │    one\n\
         │   -two\n\
         │   +tw\\x1b[2Jo\\x0d\n\
         │ file: \"a.txt\"\n\
         │ mode: \"content\"\n";
    assert!(output.starts_with(expected), "{output}");
    // If the difference shows no argument completely, the question has all of them.
    let diff = self::diff();
    question.diff = Some(&diff);
    let output = shown(question, PLAINLY);
    assert!(output.contains("\n│ a.txt: +1 -1 lines\n"), "{output}");
    assert!(output.contains("\n│ content: 8 bytes, 2 lines\n│   one\n│   two\n"), "{output}");
}

#[test]
fn diff_lines_are_colored_behind_the_gutter() {
    let diff = diff();
    let mut question = asked("{}");
    question.diff = Some(&diff);
    let output = shown(question, QuestionStyle { columns: 80, color: true });
    assert!(output.contains("\x1b[36m│\x1b[0m   \x1b[31m-two\x1b[0m\n"), "{output:?}");
    assert!(output.contains("\x1b[36m│\x1b[0m   \x1b[32m+tw\\x1b[2Jo"), "{output:?}");
    for hostile in HOSTILE {
        let hunks = format!("@@ -1 +1 @@\n+{}\n", hostile.replace('\n', "\n+"));
        let file = FileDiff { path: hostile.to_owned(), hunks };
        let diff = PreviewDiff::new(vec![file]).with_shown_args(&["content"]);
        let mut question = asked("{}");
        question.diff = Some(&diff);
        for columns in [20, 40, 80] {
            let output = shown(question, QuestionStyle { columns, color: false });
            for row in output.lines() {
                assert!(width(row) < columns.max(2), "{columns}: {row:?}");
            }
            assert_eq!(output.lines().filter(|row| row.starts_with("from ")).count(), 1);
        }
    }
}

#[test]
fn command_is_shown_as_a_block() {
    let output = shown(asked(r#"{"command":"cargo test \"a b\"","folder":"src"}"#), PLAINLY);
    let expected = "│ command: 16 bytes, 1 line\n│   cargo test \"a b\"\n│ folder: \"src\"\n";
    assert!(output.contains(expected), "{output}");
}

#[test]
fn blanks_in_a_command_are_visible() {
    for (blank, number) in [
        ("\u{a0}", r"\u{a0}"),
        ("\u{1680}", r"\u{1680}"),
        ("\u{2003}", r"\u{2003}"),
        ("\u{202f}", r"\u{202f}"),
        ("\u{3000}", r"\u{3000}"),
        (r"\t", r"\x09"),
    ] {
        let args = format!(r#"{{"command":"rm{blank}-r a b"}}"#);
        let scope = format!("rm{}-r a b", blank.replace(r"\t", "x"));
        let mut question = asked(&args);
        question.scope = &scope;
        let output = shown(question, PLAINLY);
        assert!(output.contains(&format!("│   rm{number}-r a b\n")), "{output}");
        assert!(!output.contains(blank), "{output}");
    }
}
