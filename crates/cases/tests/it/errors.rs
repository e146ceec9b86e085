//! The errors of files that are wrong in one place: the line, and a correct form.

use silcrow_cases::CaseFile;

#[track_caller]
fn fails(text: &str, line: usize, words: &str) {
    let error = CaseFile::read(text).unwrap_err();
    assert_eq!(error.line, line, "{error}");
    assert!(error.message.contains(words), "{error}");
}

#[test]
fn an_error_shows_its_line() {
    let error = CaseFile::read("dialekt: sigil\n").unwrap_err();
    insta::assert_snapshot!(error, @"line 1: `dialekt` is not a key; the keys are about, clauses, dialect, exit, flags, outcome, report");
}

#[test]
fn headers() {
    fails("dialect sigil", 1, "`key: value`");
    fails("dialect: ", 1, "space ends the line");
    fails("dialect:  a", 1, "`key: value`");
    fails("=== a\n\ndialect: a\ndialect: b\n---\n", 4, "twice");
}

#[test]
fn titles() {
    fails("===", 1, "`=== id`");
    fails("=== a\n---\nb\n====\n", 4, "⟨3d⟩==");
    fails("=== a\n---\n\n=== b\n---\n=== a\n---\n", 6, "on line 1");
    fails("---\n", 1, "begins a case");
    fails("=== a\ndialect: b\n\n=== c\n---\n", 1, "no wire");
    fails("=== a\n---\n=== b\n", 3, "no wire");
}

#[test]
fn sections() {
    fails("=== a\n--- end\n", 2, "the wire");
    fails("=== a\n---\nb\n---\n", 4, "has a name");
    fails("=== a\n---\nb\n----\n", 4, "⟨2d⟩--");
    fails("=== a\n---\n--- thnk\n", 3, "the sections are think,");
    fails("=== a\n---\n--- execute\n\nb\n", 3, "no text");
    fails("=== a\n---\n--- execute a\n", 3, "no word");
    fails("=== a\n---\n--- end a=b\n", 3, "no attributes");
    fails("=== a\n---\n--- error\n", 3, "needs a word");
    fails("=== a\n---\n--- think\n⟨ff⟩\n", 3, "UTF-8");
    fails("=== a\n---\n--- think\na┊b\n", 3, "not cut");
}

#[test]
fn attributes() {
    fails("=== a\n---\n--- call a b\n", 3, "`\"b\"` is not an attribute");
    fails("=== a\n---\n--- call a=\n", 3, "missing");
    fails("=== a\n---\n--- call a=1 a=2\n", 3, "twice");
    fails("=== a\n---\n--- call a=[1\n", 3, "JSON");
    fails("=== a\n---\n--- call a=[1]b\n", 3, "one space");
    fails("=== a\n---\n--- call a  b=1\n", 3, "missing");
}

#[test]
fn characters_that_cannot_be_seen() {
    fails("=== a\n---\n\nb \n", 4, "␠");
    fails("=== a\n---\nb\tc\n", 3, "␉");
    fails("=== a\n---\r\n", 2, "carriage return");
    fails("=== a\n---\nb\r\n", 3, "␍");
    fails("=== a\n---\n\u{200b}\n", 3, "⟨e2 80 8b⟩");
    fails("=== a\n---\n⟨ff\n", 3, "no `⟩`");
    fails("=== a\n---\n\n\n⟨f⟩\n", 5, "`f` is not a byte");
    fails("=== a\n---\n⟨+f⟩\n", 3, "`+f` is not a byte");
}
