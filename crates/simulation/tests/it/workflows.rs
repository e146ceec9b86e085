//! Calls of `workflow`, whose actions are played like the actions of the text.

use insta::assert_snapshot;
use silcrow_parser::Dialect;
use silcrow_simulation::Timeline;

use crate::played::{played, simulation};

const WIRE: &str = r#"§call: {"name":"workflow","args":{"actions":[{"id":"all","foreach":"['a','b','c']","as":"x","max_parallel":2,"actions":[{"id":"one","name":"fetch","parameters":{"of":"$x"},"retry":1}]},{"id":"more","if":"all.size() > 3","then":[{"id":"many","name":"sum"}],"else":[{"id":"few","name":"sum"}]}]}}
§execute
§respond: Done.
§end"#;

const STUBS: &str =
    r#"{"fetch":{"ms":400,"ok":1},"all[1].one":{"ms":900,"fail_times":1},"sum":{"ms":300}}"#;

#[test]
fn workflow_actions_have_rows_below_their_call() {
    let timeline = Timeline::new(simulation(Dialect::Sigil, STUBS, WIRE).run().unwrap());
    assert_snapshot!(timeline.render(72));
}

#[test]
fn action_events_name_their_workflow_call() {
    let play = played(Dialect::Sigil, STUBS, WIRE);
    let starts = play.all("start").filter(|start| start["agent_path"] == "workflow");
    let starts = Vec::from_iter(starts.map(|start| format!("{} {}", start["at"], start["id"])));
    assert_eq!(
        starts,
        [
            r#"0 "all[0].one""#,
            r#"0 "all[1].one""#,
            r#"400 "all[2].one""#,
            r#"1000 "all[1].one""#,
            r#"1900 "few""#,
        ]
    );
    let ends = play.all("finish").filter(|end| end["agent_path"] == "workflow");
    let ends = Vec::from_iter(ends.map(|end| format!("{} {}", end["id"], end["status"])));
    assert!(ends.contains(&r#""many" "skipped""#.to_owned()), "{ends:?}");
    assert_eq!(ends.len(), 5);
}

#[test]
fn call_event_precedes_its_start() {
    let play = played(Dialect::Sigil, STUBS, WIRE);
    let mut called = Vec::new();
    for event in play.events() {
        match event["type"].as_str().unwrap() {
            "call" => called.push(event["id"].clone()),
            "start" | "finish" => assert!(called.contains(&event["id"]), "{event}"),
            _ => {}
        }
    }
}

#[test]
fn stub_replaces_the_workflow_tool() {
    let play = played(Dialect::Sigil, r#"{"workflow":{"ms":20,"ok":"so"}}"#, WIRE);
    assert_eq!(play.all("start").count(), 1);
}
