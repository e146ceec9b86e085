//! Turns against stubbed tools, in virtual time.

mod batches;
mod overlap;
mod played;
mod streaming;
mod timeline;
mod workflows;

use std::num::NonZeroUsize;

use silcrow_parser::Dialect;
use silcrow_simulation::{ErrorKind, Stubs};
use silcrow_testkit::check_sources;

use crate::played::{Played, actions, presets, simulation};

/// The protocol's complete example.
const RESEARCH: &str = include_str!("../wire/research.txt");

#[test]
fn complete_example_runs_tools_in_parallel() {
    let stubs = r#"{"web_scraper":{"ms":1500},"arxiv":{"ms":1900},"news":{"ms":1200,"ok":[1]},
        "analyze":{"ms":1500,"ok":"All of it."},"results_cache":{"ms":40}}"#;
    let lines = actions(stubs, RESEARCH).lines();
    let want = [
        "0 start wiki 1",
        "0 start arxiv 1",
        "0 start news 1",
        "1200 ok news",
        "1200 bind news_articles [1]",
        "1500 ok wiki",
        "1500 bind wiki_data \"wiki:ok\"",
        "1900 ok arxiv",
        "1900 bind papers \"arxiv:ok\"",
        "1900 start analyze 1",
        "3400 ok analyze",
        "3400 bind comprehensive_analysis \"All of it.\"",
        "3400 start cache 1",
    ];
    assert_eq!(lines[..want.len()], want);
    let answer = &lines[want.len()];
    assert!(answer.contains("All of it.") && answer.contains("regulatory"), "{answer}");
    assert_eq!(lines[lines.len() - 2..], ["3400 done", "3440 ok cache"]);
}

#[test]
fn references_in_arguments_and_answers_are_substituted() {
    let wire = r#"<action mode="async" id="a">{"name":"t","output_key":"page"}</action>
<action mode="async" id="b">{"name":"u","parameters":{"p":"$page","q":"<$page>","r":"$HOME"}}</action>
<response>Is $page, $b and $HOME.</response>"#;
    let play = actions(r#"{"t":{"ok":{"n":1}},"u":{"ok":7}}"#, wire);
    assert_eq!(play.args("b").to_string(), r#"{"p":{"n":1},"q":"<{\"n\":1}>","r":"$HOME"}"#);
    let respond = play.all("respond").next().unwrap();
    assert_eq!(respond["content"], r#"Is {"n":1}, 7 and $HOME."#);
    assert_eq!(respond["wire"], "Is $page, $b and $HOME.");
    let texts = Vec::from_iter(play.lines().into_iter().filter(|line| line.contains(" say ")));
    assert_eq!(texts, ["0 say Is ", r#"10 say {"n":1}, "#, "20 say 7 and $HOME."]);
    let given =
        simulation(Dialect::Action, "{}", wire).with_presets(presets(r#"{"HOME":"/root"}"#));
    assert!(Played::run(&given).shown_text().ends_with("and /root."));
}

#[test]
fn sync_action_blocks_later_actions() {
    let wire = r#"<action id="auth">{"name":"authenticate"}</action>
<action mode="async" id="fetch">{"name":"fetch"}</action><response>Hello.</response>"#;
    let lines = actions(r#"{"auth":{"ms":30}}"#, wire).lines();
    let want = ["0 start auth 1", "30 ok auth", "30 start fetch 1", "30 say Hello."];
    assert_eq!(lines[..4], want);
    assert_eq!(lines[4..], ["40 ok fetch", "40 done"]);
}

#[test]
fn further_attempts_wait_longer_each() {
    let wire = r#"<action id="a">{"name":"t","retry":2}</action>
<action mode="async" id="b">{"name":"u","on_error":"retry","depends_on":["a"]}</action>"#;
    let lines = actions(r#"{"t":{"ms":10,"fail_times":2,"ok":1},"u":{"fail":"no"}}"#, wire).lines();
    let want = [
        "0 start a 1",
        "110 start a 2",
        "320 start a 3",
        "330 ok a",
        "330 start b 1",
        "440 start b 2",
        "650 start b 3",
        "1060 start b 4",
        "1070 failed b",
        "1070 done",
    ];
    assert_eq!(lines, want);
}

#[test]
fn hanging_stubs_time_out() {
    let wire = r#"<action id="a">{"name":"t","timeout":2}</action>
<action id="b">{"name":"t"}</action>"#;
    let play = actions(r#"{"t":{"hang":true}}"#, wire);
    let want = ["0 start a 1", "2000 failed a", "2000 start b 1", "62000 failed b", "62000 done"];
    assert_eq!(play.lines(), want);
    assert_eq!(play.reason("a"), "timed out after 2 s");
}

#[test]
fn simulated_run_refuses_the_same_calls() {
    let wire = r#"<action id="a">{"name":"t","parameters":{"n":1,"n":2}}</action>"#;
    let play = actions("{}", wire);
    assert_eq!(play.lines(), ["0 start a 1", "0 failed a", "0 done"]);
    assert!(play.reason("a").contains("`n` is given twice"), "{}", play.reason("a"));
}

#[test]
fn tokens_arrive_at_whole_milliseconds() {
    let play = Played::run(&simulation(Dialect::Sigil, "{}", "Hello, you.").with_rate(300.0));
    let at = Vec::from_iter(play.all("text").map(|text| text["at"].as_u64().unwrap()));
    assert_eq!(at, [4, 7, 10]);
    assert_eq!(play.done(), 10.0);
}

#[test]
fn batch_runs_at_execution_point_before_later_text() {
    let wire = "§call: {\"name\":\"t\"}\n§call: {\"name\":\"u\"}\n§execute\n§respond: Done.\n§end";
    let want = ["0 start a1 1", "0 start a2 1", "10 ok a1", "25 ok a2", "25 say Done.", "25 done"];
    let batch = simulation(Dialect::Sigil, r#"{"u":{"ms":25}}"#, wire);
    assert_eq!(Played::run(&batch).lines(), want);
    let one = Played::run(&batch.clone().with_max_parallel(NonZeroUsize::MIN)).lines();
    assert_eq!(one[..4], ["0 start a1 1", "10 ok a1", "10 start a2 1", "35 ok a2"]);
    // The fifteenth token brings the end of the batch, the rest comes as much later as it waited.
    let slow = Played::run(&batch.with_rate(100.0));
    let tokens = wire.chars().count().div_ceil(4) as f64;
    assert_eq!(slow.done(), tokens * 10.0 + 25.0);
}

#[test]
fn stub_errors_are_explained() {
    for (stubs, why) in [
        ("[]", "it is not a JSON object"),
        (r#"{"a":{"ms":-1}}"#, "the stub `a`"),
        (r#"{"a":{"mss":1}}"#, "unknown field `mss`"),
        (r#"{"a":{"ok":1,"fail":"x"}}"#, "exclude each other"),
    ] {
        let error = Stubs::parse(stubs).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Stubs, false));
        check_sources(&error);
    }
    for rate in [-1.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE] {
        let hello = simulation(Dialect::Sigil, "{}", "Hello.").with_rate(rate);
        assert!(Played::run(&hello).shown_text().starts_with("Hello."), "{rate}");
    }
}

/// A caller may be a task of a runtime, whose clock is another one.
#[tokio::test]
async fn a_simulation_runs_inside_a_runtime() {
    let call = r#"<action id="a">{"name":"t"}</action>"#;
    assert_eq!(actions("{}", call).lines(), ["0 start a 1", "10 ok a", "10 done"]);
}

#[test]
fn huge_retries_and_timeouts_are_bounded() {
    let wire = r#"<action mode="async" id="a">{"name":"t","retry":4294967295}</action>
<action mode="async" id="b">{"name":"u","timeout":1e300,"retry":1}</action>"#;
    let lines = actions(r#"{"t":{"fail":"no"},"u":{"hang":true}}"#, wire).lines();
    assert_eq!(lines.iter().filter(|line| line.contains("start a")).count(), 21);
    // One attempt takes an hour at most.
    assert!(lines.contains(&"3600100 start b 2".to_owned()), "{lines:?}");
    assert!(lines.last().unwrap().contains("7200100"), "{lines:?}");
}
