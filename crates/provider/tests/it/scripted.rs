use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_provider::{
    Delta, Error, ErrorKind, FinishReason, Provider as _, Request, ScriptedModel,
};

/// The next answer; a script never makes its reader wait.
fn ask(script: &ScriptedModel, streaming: bool) -> Vec<Result<Delta, Error>> {
    let request = Request::new(Vec::new()).with_streaming(streaming);
    script.stream(request).collect().now_or_never().expect("nothing to wait for")
}

fn tokens(script: &ScriptedModel) -> Vec<String> {
    let mut deltas = ask(script, true);
    let last = deltas.pop().unwrap().unwrap();
    assert_eq!(last, Delta::Done(FinishReason::Stop));
    let text = |delta: Result<Delta, Error>| match delta.unwrap() {
        Delta::Text(text) => text,
        other => panic!("{other:?} is no text"),
    };
    deltas.into_iter().map(text).collect()
}

#[track_caller]
fn check(text: &str, answers: &[&str]) {
    let script = ScriptedModel::parse(text, 7);
    for answer in answers {
        assert_eq!(tokens(&script).concat(), *answer);
    }
    let last = ask(&script, true).pop().unwrap().unwrap_err();
    assert_eq!(last.kind(), ErrorKind::ScriptExhausted);
}

#[test]
fn percent_lines_separate_answers() {
    check("a", &["a"]);
    check("a\n", &["a\n"]);
    check("a\n%%\nb\n\n%%\nc\n", &["a", "b\n", "c\n"]);
    check("a\r\n%%\r\nb\r\n", &["a", "b\r\n"]);
    check("a %%\n%% b\n%%%\n%%\nc", &["a %%\n%% b\n%%%", "c"]);
    check("%%\n%%", &["", "", ""]);
    check("a\n%%\n", &["a", ""]);
    check("", &[""]);
}

#[test]
fn seed_decides_tokens_of_one_to_six_characters() {
    let text = "§call: {\"name\": \"東京🗼\"}\n".repeat(50);
    let cut = |seed| tokens(&ScriptedModel::parse(&text, seed));
    let lengths: std::collections::BTreeSet<_> =
        cut(1)[..cut(1).len() - 1].iter().map(|token| token.chars().count()).collect();
    assert_eq!(lengths.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(cut(1), cut(1));
    assert_ne!(cut(1), cut(2));
}

#[test]
fn unstreamed_answer_is_one_delta() {
    let deltas = ask(&ScriptedModel::parse("§respond: a long answer", 1), false);
    let deltas: Vec<_> = deltas.into_iter().map(Result::unwrap).collect();
    assert_eq!(
        deltas,
        [Delta::Text("§respond: a long answer".into()), Delta::Done(FinishReason::Stop)]
    );
}

#[test]
fn clones_share_their_place() {
    let script = ScriptedModel::parse("a\n%%\nb", 1);
    assert_eq!(tokens(&script.clone()).concat(), "a");
    assert_eq!(tokens(&script).concat(), "b");
}

#[test]
fn exhausted_script_fails_with_one_error() {
    let script = ScriptedModel::parse("a\n%%\nb", 1);
    ask(&script, true);
    ask(&script, false);
    let [Err(error)] = &ask(&script, true)[..] else { panic!("one error") };
    assert_eq!(error.kind(), ErrorKind::ScriptExhausted);
    assert!(!error.is_retryable());
    assert_eq!(
        error.to_string(),
        "the script has 2 answers and this is request 3; add an answer after a line `%%`"
    );
}
