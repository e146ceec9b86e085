//! The picture on a terminal, as wide as terminals are.

use insta::assert_snapshot;
use silcrow_parser::Dialect;
use silcrow_simulation::Timeline;

use crate::RESEARCH;
use crate::played::simulation;

/// Everything that may happen to a call, and texts that are difficult to show.
const ODD: &str = r#"<action mode="async" id="ok">{"name":"ok"}</action>
<action mode="async" id="a_name_that_is_longer_than_anybody_should_give">{"name":"slow"}</action>
<action mode="async" id="flaky">{"name":"flaky","retry":3}</action>
<action mode="async" id="bad">{"name":"bad"}</action>
<action mode="async" id="after_bad" depends_on="bad">{"name":"ok"}</action>
<action mode="async" id="lost" depends_on="nobody">{"name":"ok"}</action>
<action mode="fire_and_forget" id="log">{"name":"log"}</action>
<action mode="async" id="日本語の名前">{"name":"slow"}</action>
<action mode="async" id="two
lines">{"name":"ok"}</action>
<action mode="async" id="hostile">{"name":"hostile"}</action>
<response final="false">Done with $ok,</response><response>not with $nothing.</response>"#;

const STUBS: &str = r#"{"slow":{"ms":2000},"flaky":{"ms":300,"fail_times":2},"log":{"ms":5000},
    "bad":{"ms":900,"fail":"the server said\nthat it is a teapot"},
    "hostile":{"fail":"\u001b[2J\u001b[31mred"}}"#;

fn shown(columns: usize, rate: f64, stubs: &str, wire: &str) -> String {
    let simulation = simulation(Dialect::Action, stubs, wire).with_rate(rate);
    Timeline::new(simulation.run().unwrap()).render(columns)
}

fn research(columns: usize) -> String {
    let shown = shown(columns, 60.0, include_str!("../wire/research.json"), RESEARCH);
    shown.split_once("\n\n").unwrap().0.to_owned()
}

fn odd(columns: usize) -> String {
    shown(columns, 60.0, STUBS, ODD)
}

#[test]
fn research_in_40_columns() {
    assert_snapshot!(research(40), @r"
    wiki         ████           ok 3.20 s
    arxiv          █████        ok 4.33 s
    news             ███        ok 4.38 s
    analyze             ████    ok 5.93 s
    cache                   █   ok 5.94 s
    answer                  ──  from 5.93 s
    done                      │ 7.07 s
    ");
}

#[test]
fn research_in_80_columns() {
    assert_snapshot!(research(80), @r"
    wiki                  █████████████                                 ok 3.20 s
    arxiv                       ████████████████                        ok 4.33 s
    news                               █████████                        ok 4.38 s
    analyze                                      ████████████           ok 5.93 s
    cache                                                    █          ok 5.94 s
    answer                                                   ─────────  from 5.93 s
    done                                                              │ 7.07 s
    ");
}

#[test]
fn research_in_120_columns() {
    assert_snapshot!(research(120), @r"
    wiki                            █████████████████████                                                       ok 3.20 s
    arxiv                                     ███████████████████████████                                       ok 4.33 s
    news                                                 ████████████████                                       ok 4.38 s
    analyze                                                               █████████████████████                 ok 5.93 s
    cache                                                                                      █                ok 5.94 s
    answer                                                                                     ───────────────  from 5.93 s
    done                                                                                                      │ 7.07 s
    ");
}

#[test]
fn oddities_in_40_columns() {
    assert_snapshot!(odd(40), @r"
    ok          █              ok 227 ms
    a_name_th…   ████          ok 2.63 s
    flaky        ███           ok 2.12 s, a…
    bad           ██           failed: the …
    after_bad                  skipped: it …
    lost                       failed: it d…
    log             █████████  ok 7.03 s
    日本語の…       ████       ok 4.27 s
    two lines        █         ok 2.53 s
    hostile          █         failed: \x1b…
    answer           ─         from 2.88 s
    done                │      4.27 s

    a_name_that_is_longer_than_anybody_should_give: ok 2.63 s
    flaky: ok 2.12 s, attempt 3
    bad: failed: the server said that it is a teapot
    after_bad: skipped: it waits for `bad`, which failed
    lost: failed: it depends on `nobody`, but no action of this turn has that id
    日本語の名前: ok 4.27 s
    hostile: failed: \x1b[2J\x1b[31mred
    note unbound: `$nothing` is bound by no call before it; it stays as written

    Done with ok:ok,

    not with $nothing.
    ");
}

#[test]
fn oddities_in_80_columns() {
    assert_snapshot!(odd(80), @r"
    ok                    █                               ok 227 ms
    a_name_that_is_long…    █████████                     ok 2.63 s
    flaky                     ███ █                       ok 2.12 s, attempt 3
    bad                       ████                        failed: the server said t…
    after_bad                                             skipped: it waits for `ba…
    lost                                                  failed: it depends on `no…
    log                           ██████████████████████  ok 7.03 s
    日本語の名前                   █████████              ok 4.27 s
    two lines                        █                    ok 2.53 s
    hostile                           █                   failed: \x1b[2J\x1b[31mred
    answer                            ─                   from 2.88 s
    done                                    │             4.27 s

    a_name_that_is_longer_than_anybody_should_give: ok 2.63 s
    bad: failed: the server said that it is a teapot
    after_bad: skipped: it waits for `bad`, which failed
    lost: failed: it depends on `nobody`, but no action of this turn has that id
    note unbound: `$nothing` is bound by no call before it; it stays as written

    Done with ok:ok,

    not with $nothing.
    ");
}

#[test]
fn oddities_in_120_columns() {
    assert_snapshot!(odd(120), @r"
    ok                               █                                              ok 227 ms
    a_name_that_is_longer_than_an…      █████████████                               ok 2.63 s
    flaky                                 ████  ██                                  ok 2.12 s, attempt 3
    bad                                    ██████                                   failed: the server said that it is a te…
    after_bad                                                                       skipped: it waits for `bad`, which fail…
    lost                                                                            failed: it depends on `nobody`, but no …
    log                                          █████████████████████████████████  ok 7.03 s
    日本語の名前                                   █████████████                    ok 4.27 s
    two lines                                       █                               ok 2.53 s
    hostile                                           █                             failed: \x1b[2J\x1b[31mred
    answer                                             ─                            from 2.88 s
    done                                                        │                   4.27 s

    a_name_that_is_longer_than_anybody_should_give: ok 2.63 s
    bad: failed: the server said that it is a teapot
    after_bad: skipped: it waits for `bad`, which failed
    lost: failed: it depends on `nobody`, but no action of this turn has that id
    note unbound: `$nothing` is bound by no call before it; it stays as written

    Done with ok:ok,

    not with $nothing.
    ");
}

#[test]
fn cancelled_rows_end_at_the_failure() {
    let wire = ODD.replace(r#"{"name":"bad"}"#, r#"{"name":"bad","on_error":"fail"}"#);
    assert_snapshot!(shown(80, 60.0, STUBS, &wire), @r"
    ok                      █                             ok 227 ms
    a_name_that_is_long…        ██████████████            cancelled: `bad` failed, …
    flaky                         ███ ███  ███            cancelled: `bad` failed, …
    bad                              █████████            failed: the server said t…
    after_bad                                             skipped: it waits for `ba…
    lost                                                  cancelled: `bad` failed, …
    log                                       █           cancelled: `bad` failed, …
    日本語の名前                                          cancelled: `bad` failed, …
    two lines                                             cancelled: `bad` failed, …
    hostile                                               cancelled: `bad` failed, …
    answer                                            ──  from 2.95 s
    done                                                │ 3.22 s

    a_name_that_is_longer_than_anybody_should_give: cancelled: `bad` failed, and its `on_error` is `fail`
    flaky: cancelled: `bad` failed, and its `on_error` is `fail`
    bad: failed: the server said that it is a teapot
    after_bad: skipped: it waits for `bad`, which failed
    lost: cancelled: `bad` failed, and its `on_error` is `fail`
    log: cancelled: `bad` failed, and its `on_error` is `fail`
    日本語の名前: cancelled: `bad` failed, and its `on_error` is `fail`
    two lines: cancelled: `bad` failed, and its `on_error` is `fail`
    hostile: cancelled: `bad` failed, and its `on_error` is `fail`
    note unbound: `$nothing` is bound by no call before it; it stays as written

    Done with ok:ok,

    not with $nothing.
    ");
}

#[test]
fn an_answer_without_calls() {
    assert_snapshot!(shown(80, 0.0, "{}", "<response>Hello.</response>"), @r"
    answer  ─                                                           from 0 ms
    done    │                                                           0 ms

    Hello.
    ");
}

/// A block has a row from its beginning to the end of the last call in it.
#[test]
fn blocks_have_rows() {
    let wire = r#"<foreach id="all" in="[1, 2, 3]" as="n" max_parallel="2">
<action id="get">{"name":"fetch","parameters":{"page":"$n"}}</action>
</foreach>
<if id="check" test="len(all) > 5"><action id="many">{"name":"fetch"}</action></if>
<transaction id="both">
<action id="one">{"name":"fetch"}</action>
<parallel id="beside"><action id="two">{"name":"fetch"}</action><action id="three">{"name":"bad"}</action></parallel>
</transaction>"#;
    let stubs = r#"{"fetch":{"ms":1000},"bad":{"ms":500,"fail":"no"}}"#;
    assert_snapshot!(shown(80, 60.0, stubs, wire), @r"
    foreach all          ███████████████████              ok 2.53 s
    all[0].get             ████████                       ok 1.53 s
    all[1].get             ████████                       ok 1.53 s
    if check                 ███████████████              ok 2.53 s
    many                                                  skipped: the test of `che…
    transaction both           █████████████████████████  failed: `beside` failed: …
    one                                     ████████      ok 3.53 s
      parallel beside            ███████████████████████  failed: `three` failed: no
    two                                             ████  cancelled: it is in `besi…
    all[2].get                     █████████              ok 2.53 s
    three                                           ████  failed: no
    two~undo                                            █ ok 4.03 s
    three~undo                                          █ ok 4.03 s
    one~undo                                            █ ok 4.03 s
    done                                                │ 4.03 s

    many: skipped: the test of `check` is false
    transaction both: failed: `beside` failed: `three` failed: no; rolled back: `two`, `three`, `one`
    two: cancelled: it is in `beside`, which failed
    ");
}
