//! The smaller examples of streamed actions, one wire text each, and their promises.

use serde_json::json;

use silcrow_parser::Dialect;

use crate::played::{Played, actions, actions_at, closed, presets, simulation, written};

macro_rules! wire {
    ($name:literal) => {
        include_str!(concat!("../wire/streaming/", $name, ".txt"))
    };
}

/// Tokens of text a second, if a test is about the time of text: one every 20 ms.
const RATE: u32 = 50;

#[test]
fn dependent_action_waits_for_slower_overlapping_fetch() {
    let wire = wire!("overview");
    let play = actions_at(RATE, r#"{"fetch1":{"ms":2500},"fetch2":{"ms":2500}}"#, wire);
    for id in ["fetch1", "fetch2"] {
        assert_eq!(play.span(id).start, closed(wire, id, RATE));
    }
    let [first, second, analyze] = ["fetch1", "fetch2", "analyze"].map(|id| play.span(id));
    assert!(second.start < first.end, "{first:?} {second:?}");
    assert!(closed(wire, "analyze", RATE) < second.end);
    assert_eq!(analyze.start, second.end);
    let (both, ok) = (play.args("analyze"), json!({"webpage": "fetch1:ok", "users": "fetch2:ok"}));
    assert_eq!(*both, ok);
    assert!(play.answered() >= analyze.end);
    // `THOUGHT{…}` stands outside sections: it is neither a thought nor part of the answer.
    assert_eq!(play.notes(), ["stray_text"]);
    assert!(play.shown_text().starts_with("Based on my analysis"));
    assert!(play.shown_text().ends_with("2. Recommendation 2"));
}

#[test]
fn thoughts_are_emitted_on_close_outside_answer() {
    let wire = wire!("thought");
    let play = actions_at(RATE, "{}", wire);
    let at = Vec::from_iter(play.all("think").map(|think| think["at"].as_f64().unwrap()));
    assert_eq!(at.len(), 2);
    assert_eq!(at[0], written(wire, "", "</thought>", RATE));
    assert_eq!(at[1], written(wire, "I'll approach", "</thought>", RATE));
    assert_eq!(play.shown_text(), "");
}

#[test]
fn action_starts_at_closing_tag_with_own_timeout() {
    let wire = wire!("action");
    let play = actions_at(RATE, r#"{"fetch_data":{"ms":5,"ok":[1]}}"#, wire);
    assert_eq!(play.span("fetch_data").start, closed(wire, "fetch_data", RATE));
    let want = ["0 start fetch_data 1", "5 ok fetch_data", "5 bind api_data [1]", "5 done"];
    assert_eq!(actions(r#"{"fetch_data":{"ms":5,"ok":[1]}}"#, wire).lines(), want);
    let hung = actions(r#"{"fetch_data":{"hang":true}}"#, wire);
    assert_eq!(hung.lines(), ["0 start fetch_data 1", "30000 failed fetch_data", "30000 done"]);
}

#[test]
fn action_body_attributes_apply() {
    let wire = wire!("body");
    let stubs = r#"{"id1":{"ms":20},"id2":{"ms":40},"third":{"ms":7,"fail_times":3,"ok":3}}"#;
    let want = [
        "0 start id1 1",
        "0 start id2 1",
        "0 say Got ",
        "20 ok id1",
        "40 ok id2",
        "40 start third 1",
        "147 start third 2",
        "354 start third 3",
        "761 start third 4",
        "768 ok third",
        "768 bind var_name 3",
        "768 say 3.",
        "768 done",
    ];
    assert_eq!(actions(stubs, wire).lines(), want);
    // Its 30 seconds apply to an attempt, and the pauses of 100, 200 and 400 ms lie between
    // attempts.
    let hung = actions(r#"{"third":{"hang":true}}"#, wire);
    assert_eq!(hung.span("third"), 10.0..10.0 + 4.0 * 30_000.0 + 700.0);
}

#[test]
fn answer_waits_at_reference_to_tool_output() {
    let wire = wire!("response");
    let play = actions(r#"{"fetch":{"ms":60,"ok":"one page"}}"#, wire);
    let lines = play.lines();
    assert_eq!(lines[..3], ["0 start fetch 1", "0 say Based on the data from **", "60 ok fetch"]);
    assert!(lines[3].starts_with("60 say one page**, here are the findings:"), "{}", lines[3]);
    assert!(lines[3].ends_with("**Next Steps:** ..."), "{}", lines[3]);
}

#[test]
fn actions_of_every_type_run_alike() {
    let vars =
        r#"{"fetched_data":[1,2],"computed_result":{"n":3},"raw_data":"4","long_document":"5"}"#;
    for (wire, id, kind, arg, value, binds) in [
        (wire!("tool"), "calc", "tool", "a", json!(5), Some("sum")),
        (wire!("agent"), "analyze", "agent", "data", json!([1, 2]), Some("analysis_result")),
        (wire!("relic"), "cache_store", "relic", "value", json!({"n": 3}), None),
        (
            wire!("workflow"),
            "process",
            "workflow",
            "input_data",
            json!("4"),
            Some("processed_data"),
        ),
        (wire!("llm"), "summarize", "llm", "text", json!("5"), Some("summary")),
    ] {
        let given = simulation(Dialect::Action, r#"{"t":{"ok":1}}"#, wire);
        let play = Played::run(&given.with_presets(presets(vars)));
        let call = play.all("call").next().unwrap();
        assert_eq!(call["action"]["type"], kind);
        assert_eq!(play.args(id)[arg], value, "{kind}");
        assert_eq!(play.span(id), 0.0..10.0, "{kind}");
        let bound = Vec::from_iter(play.all("bind").map(|bind| bind["name"].as_str().unwrap()));
        assert_eq!(bound, Vec::from_iter(binds), "{kind}");
    }
}

#[test]
fn sync_blocks_async_overlaps_background_never_blocks() {
    let stubs = r#"{"auth":{"ms":100},"fetch":{"ms":50},"log":{"ms":500}}"#;
    let given = simulation(Dialect::Action, stubs, wire!("modes"));
    let play = Played::run(&given.with_presets(presets(r#"{"user_token":"abc"}"#)));
    let want = [
        "0 start auth 1",
        "100 ok auth",
        "100 start fetch 1",
        "100 start log 1",
        "150 ok fetch",
        "150 done",
        "600 ok log",
    ];
    assert_eq!(play.lines(), want);
    assert_eq!(*play.args("auth"), json!({"token": "abc"}));
    let kept = wire!("modes").replace("\"logger\"", "\"logger\", \"output_key\": \"logged\"")
        + "<response>$logged</response>";
    let given = simulation(Dialect::Action, stubs, &kept);
    let play = Played::run(&given.with_presets(presets(r#"{"user_token":"abc"}"#)));
    assert_eq!((play.all("bind").count(), play.shown_text().as_str()), (0, "$logged"));
}

#[test]
fn reading_continues_during_sync_actions() {
    // The example of modes has the parser wait; P-24 holds back later actions and answers alone.
    let wire = wire!("modes").to_owned() + "<thought>Next.</thought><response>Now.</response>";
    let play = actions_at(RATE, r#"{"auth":{"ms":9000}}"#, &wire);
    let thought = &play.all("think").next().unwrap()["at"];
    assert_eq!(thought.as_f64().unwrap(), written(&wire, "", "</thought>", RATE));
    let auth = play.span("auth");
    assert!(written(&wire, "", "</response>", RATE) < auth.end);
    assert_eq!(play.span("fetch").start, auth.end);
    assert_eq!(play.span("log").start, auth.end);
    assert_eq!(play.answered(), auth.end);
}

#[test]
fn references_make_actions_and_answers_wait() {
    let stubs = r#"{"fetch":{"ms":80,"ok":"A page."},"analyze":{"ms":20}}"#;
    let want = [
        "0 start fetch 1",
        "80 ok fetch",
        "80 bind webpage \"A page.\"",
        "80 start analyze 1",
        "100 ok analyze",
        "100 say The webpage at A page. shows...",
        "100 done",
    ];
    let play = actions(stubs, wire!("variables"));
    assert_eq!(play.lines(), want);
    assert_eq!(*play.args("analyze"), json!({"text": "A page."}));
}

#[test]
fn phases_run_sequentially_without_awaiting_the_last() {
    let stubs = r#"{"fetch_wiki":{"ms":30},"fetch_news":{"ms":50},"analyze":{"ms":40,"ok":[7]},"cache":{"ms":90}}"#;
    let want = [
        "0 start fetch_wiki 1",
        "0 start fetch_news 1",
        "30 ok fetch_wiki",
        "30 bind wiki \"fetch_wiki:ok\"",
        "50 ok fetch_news",
        "50 bind news \"fetch_news:ok\"",
        "50 start analyze 1",
        "90 ok analyze",
        "90 bind analysis [7]",
        "90 start cache 1",
        "90 done",
        "180 ok cache",
    ];
    let play = actions(stubs, wire!("dependencies"));
    assert_eq!(play.lines(), want);
    assert_eq!(*play.args("cache"), json!({"key": "analysis_result", "value": [7]}));
}

#[test]
fn documented_timeline_matches() {
    let wire = wire!("timeline");
    let stubs = r#"{"fetch_wiki":{"ms":1500,"ok":1},"fetch_arxiv":{"ms":1900,"ok":2},"analyze":{"ms":1500,"ok":"All."}}"#;
    let play = actions_at(RATE, stubs, wire);
    let [wiki, arxiv, analyze] = ["fetch_wiki", "fetch_arxiv", "analyze"].map(|id| play.span(id));
    let thought = play.all("think").next().unwrap()["at"].as_f64().unwrap();
    let lines = [thought, wiki.start, arxiv.start, wiki.end, arxiv.end, analyze.end];
    assert!(lines.is_sorted_by(|a, b| a < b), "{lines:?}");
    assert_eq!(wiki.start, closed(wire, "fetch_wiki", RATE));
    assert_eq!(arxiv.start, closed(wire, "fetch_arxiv", RATE));
    // Its tag came earlier than its inputs, so it starts in the same moment.
    assert_eq!(analyze.start, arxiv.end);
    assert_eq!(play.answered(), analyze.end);
    assert!(play.lines().last().unwrap().ends_with("done"));
    assert_eq!(play.shown_text(), "Based on my analysis... All.");
}

#[test]
fn async_fetches_overlap_and_sync_fetches_add_up() {
    let stubs = r#"{"fetch1":{"ms":300},"fetch2":{"ms":400}}"#;
    assert_eq!(actions(stubs, wire!("side_by_side")).done(), 400.0);
    let serial = actions(stubs, wire!("one_by_one"));
    assert_eq!(serial.span("fetch2"), 300.0..700.0);
    assert_eq!(serial.done(), 700.0);
}

#[test]
fn only_dependencies_are_awaited() {
    let stubs = r#"{"fetch_data":{"ms":30},"unrelated_action":{"ms":300}}"#;
    assert_eq!(actions(stubs, wire!("needed")).span("analyze").start, 30.0);
    assert_eq!(actions(stubs, wire!("unneeded")).span("analyze").start, 300.0);
}

#[test]
fn dependents_of_failure_are_skipped_without_blocking_answer() {
    let stubs = r#"{"fetch":{"ms":10,"fail":"no network"},"other":{"ms":2000}}"#;
    let want = [
        "0 start fetch 1",
        "0 start other 1",
        "0 say Analyzed: ",
        "110 start fetch 2",
        "320 start fetch 3",
        "730 start fetch 4",
        "740 failed fetch",
        "740 skipped analyze",
        "740 say $analyze",
        "2000 ok other",
        "2000 done",
    ];
    let skip = actions(stubs, wire!("failure"));
    assert_eq!(skip.lines(), want);
    assert_eq!(skip.reason("fetch"), "no network");
    assert!(skip.reason("analyze").contains("`fetch`"), "{}", skip.reason("analyze"));
}

#[test]
fn fatal_failure_cancels_unfinished_actions() {
    let wire = wire!("failure").replace(r#""on_error": "skip""#, r#""on_error": "fail""#);
    let fail = actions(r#"{"fetch":{"fail":"no"},"other":{"ms":2000}}"#, &wire);
    let want = [
        "740 failed fetch",
        "740 skipped analyze",
        "740 cancelled other",
        "740 say $analyze",
        "740 done",
    ];
    assert_eq!(fail.lines()[6..], want);
}

#[test]
fn retried_failure_has_three_more_attempts() {
    let wire = wire!("failure")
        .replace(r#""on_error": "skip""#, r#""on_error": "retry""#)
        .replace("\"retry\": 3,", "");
    let retried = actions(r#"{"fetch":{"fail_times":3},"analyze":{"ok":"all"}}"#, &wire);
    assert_eq!(retried.span("fetch"), 0.0..740.0);
    assert_eq!(retried.shown_text(), "Analyzed: all");
}

#[test]
fn non_final_response_allows_further_responses() {
    // The examples have one response a turn; P-22 allows others before the final one.
    let wire = r#"<response final="false">Looking.</response>
<action id="look">{"name":"look"}</action>
<response>Found $look.</response>
<action mode="async" id="late">{"name":"look"}</action>
<action mode="fire_and_forget" id="log">{"name":"log"}</action>"#;
    let play = actions(r#"{"look":{"ms":40}}"#, wire);
    let want = [
        "0 say Looking.",
        "0 start look 1",
        "0 skipped late",
        "40 ok look",
        "40 start log 1",
        "40 say Found look:ok.",
        "40 done",
        "50 ok log",
    ];
    assert_eq!(play.lines(), want);
}

#[test]
fn malformed_body_fails_only_its_own_action() {
    // Arrows are the examples' own remarks; a model that writes one has written no call (P-9).
    let body =
        "{\n  \"name\": \"web_scraper\",\n  \"output_key\": \"webpage\"  ← Stores as $webpage\n}";
    let wire = format!(
        "<action id=\"fetch\">\n{body}\n</action>\n<action id=\"other\">{{\"name\":\"other\"}}</action>"
    );
    let play = actions("{}", &wire);
    assert!(play.reason("fetch").contains("not valid JSON"), "{}", play.reason("fetch"));
    assert_eq!(play.span("other"), 0.0..10.0);
    assert!(play.notes().contains(&"malformed_call"));
}

/// A stub's `null` is a value.
#[test]
fn a_stub_may_end_with_null() {
    let wire = r#"<action id="a">{"name":"t"}</action><response>It is $a.</response>"#;
    let play = actions(r#"{"t":{"ok":null}}"#, wire);
    assert_eq!(play.shown_text(), "It is null.");
}
