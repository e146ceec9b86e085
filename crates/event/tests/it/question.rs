//! Open questions: generated ones, and questions of older logs.

use proptest::prelude::*;
use silcrow_event::{
    CallKind, Event, FileDiff, Grant, Grants, OpenQuestion, PreviewDiff, read_entry,
};

/// Returns any text.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~\n\r\t\u{0}\u{7f}\u{2028}\"\\\\]{0,12}"]
}

/// Returns any question.
pub(crate) fn open_question() -> impl Strategy<Value = OpenQuestion> {
    let texts = prop::array::uniform5(text());
    let more = prop::array::uniform4(prop::option::of(text()));
    let kind = prop::sample::select(CallKind::ALL.to_vec());
    let wider_scopes = prop::collection::vec(text(), 0..3);
    let rest = (prop::option::of(preview_diff()), wider_scopes, grants(), kind);
    (texts, more, rest).prop_map(|(texts, more, (diff, wider_scopes, grants, kind))| {
        let [id, tool, args, args_sha256, scope] = texts;
        let [target, effect, risk, why] = more;
        OpenQuestion {
            item_of: None,
            id,
            kind,
            tool,
            args,
            args_sha256,
            target,
            effect,
            diff,
            scope,
            wider_scopes,
            grants,
            risk,
            why,
        }
    })
}

/// Returns any grants.
pub(crate) fn grants() -> impl Strategy<Value = Grants> {
    let grant = prop_oneof![
        Just(Grant::Git),
        "[a-z]{1,3}(:[1-9][0-9]{0,3})?".prop_map(Grant::Network),
        (1..=u16::MAX).prop_map(Grant::Local),
        (1..=u16::MAX).prop_map(Grant::Listen),
        text().prop_map(|path| Grant::Read(format!("/{path}"))),
        text().prop_map(|path| Grant::Write(format!("/{path}"))),
        Just(Grant::Outside),
    ];
    prop::collection::vec(grant, 0..3).prop_map(Grants::from_iter)
}

fn preview_diff() -> impl Strategy<Value = PreviewDiff> {
    let file = (text(), text()).prop_map(|(path, hunks)| FileDiff { path, hunks });
    (prop::collection::vec(file, 0..3), prop::collection::vec(text(), 0..3)).prop_map(
        |(files, args)| {
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            PreviewDiff::new(files).with_shown_args(&args)
        },
    )
}

#[test]
fn a_question_without_a_difference_is_read() {
    let question =
        r#"{"id":"a1","kind":"tool","tool":"t","args":"{}","args_sha256":"","scope":""}"#;
    let line =
        format!(r#"{{"type":"parked","wire":"","dialect":"sigil","questions":[{question}]}}"#);
    let read = read_entry(&line).unwrap();
    let Event::Parked(parked) = &read.event else { panic!("{read:?}") };
    assert_eq!(parked.questions[0].diff, None);
    assert_eq!(read.to_json(), line);
    let broken = line.replace("\"scope\"", "\"diff\":{\"files\":[{\"path\":1}]},\"scope\"");
    assert!(read_entry(&broken).is_err(), "{broken}");
}
