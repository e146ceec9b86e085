//! P-19 to P-22: the dialect `action`.

use silcrow_parser::{Dialect, Event, TextKind};
use silcrow_testkit::{Unit, by_chars};

use crate::parse::parse;

/// Compares events and diagnostics, for every cut of the text.
#[track_caller]
fn check(wire: &str, expected: &[&str]) {
    let whole = parse([wire], Dialect::Action);
    let lines: Vec<String> = whole.units.iter().map(line).collect();
    assert_eq!(lines, expected, "{wire:?}");
    for (at, _) in wire.char_indices() {
        let (left, right) = wire.split_at(at);
        assert_eq!(parse([left, right], Dialect::Action), whole, "{left:?} {right:?}");
    }
    assert_eq!(parse(by_chars(wire), Dialect::Action), whole, "{wire:?} by characters");
}

/// Returns a unit in a short notation.
pub(crate) fn line(unit: &Unit) -> String {
    match unit {
        Unit::Text { kind, text, .. } => {
            let is_final = !matches!(kind, TextKind::Respond { last: false });
            let mark = if is_final { "" } else { " (not final)" };
            format!("{}{mark}: {text}", kind.type_name())
        }
        Unit::Event(Event::Call(call)) => {
            let action = call.action().expect("an action");
            let mut said = vec![action.kind.as_str().to_owned(), action.mode.as_str().to_owned()];
            said.extend(action.depends_on.iter().map(|id| format!("after {id}")));
            said.extend(action.output_key.iter().map(|key| format!("as {key}")));
            said.extend(action.timeout.map(|seconds| format!("{} s", seconds.as_secs_f64())));
            said.extend(action.retry.map(|count| format!("{count} more")));
            said.extend(action.on_error.map(|policy| policy.as_str().to_owned()));
            format!("{}: {} {}", call.id(), call.content(), said.join(", "))
        }
        Unit::Bad { id, truncated } => format!("{id} {}", if *truncated { "cut" } else { "bad" }),
        Unit::Diagnostic(diagnostic) => {
            format!("{} {}: {}", diagnostic.at, diagnostic.kind, diagnostic.content)
        }
        Unit::Event(event) => panic!("{event:?} in this dialect"),
    }
}

#[test]
fn an_action_says_how_it_runs() {
    check(
        "<action type='agent' id=b mode = async depends_on=[\"a\", \"c\"]>{\"name\":\"n\",\
         \"parameters\":{ \"x\":1.0 },\"output_key\":\"k\",\"depends_on\":\"c, d\",\"timeout\":1.5,\
         \"retry\":2,\"on_error\":\"fail\",\"mode\":\"sync\",\"more\":null}</action>",
        &["b: {\"name\":\"n\",\"args\":{ \"x\":1.0 }} agent, async, after a, after c, after d, \
           as k, 1.5 s, 2 more, fail"],
    );
    check(
        "<action>{\"name\":\"n\",\"parameters\":null,\"type\":\"llm\",\"mode\":\"fire_and_forget\",\
         \"id\":\"x\",\"depends_on\":null}</action>",
        &["x: {\"name\":\"n\",\"args\":{}} llm, fire_and_forget"],
    );
    check(
        "<action depends_on='[\"a\"]' depends_on=b>{\"name\":\"\\u006e\"}</action>",
        &["a1: {\"name\":\"n\",\"args\":{}} tool, sync, after a"],
    );
    check(
        "<action depends_on=\"a , ,b\" id=''>{\"name\":\"n\",\"args\":{\"x\":1}}</action>",
        &["a1: {\"name\":\"n\",\"args\":{}} tool, sync, after a, after b"],
    );
}

#[test]
fn an_action_without_an_id_gets_the_next_that_is_free() {
    let action = |id: &str| format!("<action{id}>{{\"name\":\"n\"}}</action>");
    check(
        &[" id=a1", "", "", " id=a4", "", " id=a3"].map(action).concat(),
        &[
            "a1: {\"name\":\"n\",\"args\":{}} tool, sync",
            "a2: {\"name\":\"n\",\"args\":{}} tool, sync",
            "a3: {\"name\":\"n\",\"args\":{}} tool, sync",
            "a4: {\"name\":\"n\",\"args\":{}} tool, sync",
            "a5: {\"name\":\"n\",\"args\":{}} tool, sync",
            "171 malformed_call: the id `a3` is taken; write the action again under another id",
            "a6 bad",
        ],
    );
}

#[test]
fn a_malformed_action_is_text_but_not_the_answer() {
    check(
        "hi<action id=x>{\"nam\":1}</action>",
        &[
            "respond (not final): {\"nam\":1}",
            "15 malformed_call: `name` is missing",
            "x bad",
            "respond: hi",
        ],
    );
    let refused = |body: &str, text: Option<&str>, why: &str| {
        let mut expected = Vec::new();
        expected.extend(text.map(|text| format!("respond (not final): {text}")));
        expected.push(format!("8 malformed_call: {why}"));
        expected.push("a1 bad".to_owned());
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&format!("<action>{body}</action>"), &expected);
    };
    let malformed = |body: &str, why: &str| refused(body, Some(body), why);
    refused("", None, "the body is empty; write a JSON object with a `name`");
    malformed("ls -la", "the body is not valid JSON: expected value at line 1 column 1");
    malformed("[]", "the body is not a JSON object; write one with a `name`");
    malformed("{\"name\":5}", "`name` is not a string");
    malformed("{\"name\":\"\"}", "`name` is empty");
    malformed("{\"name\":\"a\",\"name\":\"b\"}", "`name` is given twice");
    malformed("{\"name\":\"a\",\"parameters\":[]}", "`parameters` is not a JSON object");
    malformed(
        "{\"name\":\"a\",\"parameters\":{},\"parameters\":{}}",
        "`parameters` is given twice",
    );
}

#[test]
fn an_action_with_invalid_attributes_is_not_shown_to_the_person() {
    let refused = |attributes: &str, members: &str, why: &str| {
        let open = format!("<action id=x{attributes}>");
        let note = format!("{} malformed_call: {why}", open.len());
        check(&format!("{open}{{\"name\":\"n\"{members}}}</action>"), &[&note, "x bad"]);
    };
    refused(
        " type=bot",
        "",
        "`type` is unknown: `bot`; use one of tool, agent, relic, workflow, llm",
    );
    refused("", ",\"type\":5", "`type` is not a string");
    refused(" mode=''", "", "`mode` is unknown: ``; use one of sync, async, fire_and_forget");
    refused(
        "",
        ",\"mode\":\"now\"",
        "`mode` is unknown: `now`; use one of sync, async, fire_and_forget",
    );
    refused(
        "",
        ",\"on_error\":\"cry\"",
        "`on_error` is unknown: `cry`; use one of skip, fail, retry",
    );
    refused("", ",\"timeout\":\"5\"", "`timeout` is not a number of seconds");
    refused("", ",\"timeout\":-1", "`timeout` is not a number of seconds");
    refused("", ",\"timeout\":1e999", "`timeout` is not a number of seconds");
    refused("", ",\"retry\":1.5", "`retry` is not a count of extra attempts");
    refused("", ",\"retry\":-1", "`retry` is not a count of extra attempts");
    refused("", ",\"output_key\":{}", "`output_key` is not a string");
    refused("", ",\"depends_on\":[1]", "`depends_on` is not an array of ids");
    refused("", ",\"depends_on\":1", "`depends_on` is not a string");
    refused(" depends_on=[a]", "", "`depends_on` is not an array of ids");
    refused("", ",\"retry\":1,\"retry\":1", "`retry` is given twice");
}

#[test]
fn a_truncated_action_is_not_text() {
    check(
        "so <action id=x>{\"name\":\"n",
        &[
            "16 truncated_call: the call was cut off before its end; write it again, whole",
            "x cut",
            "respond: so ",
            "26 unclosed: an action was still open",
        ],
    );
    check(
        "<action>{\"name\":\"n\n</action>",
        &["8 truncated_call: the call was cut off before its end; write it again, whole", "a1 cut"],
    );
    check(
        "<action>{\"name\":\"n\"} ",
        &["a1: {\"name\":\"n\",\"args\":{}} tool, sync", "21 unclosed: an action was still open"],
    );
    check("<action id=\"x", &["respond: <action id=\"x"]);
}

#[test]
fn a_body_is_repaired_and_may_be_in_a_fence() {
    check(
        "<action>\n```json\n{\"name\":\"n\",\"parameters\":{\"t\":\"a\nb\"}}\n```\n</action>",
        &[
            "17 repaired: control characters in a string were escaped",
            "a1: {\"name\":\"n\",\"args\":{\"t\":\"a\\nb\"}} tool, sync",
        ],
    );
    check(
        "<action>{\"name\":\"n\"} so {} </action>",
        &["a1: {\"name\":\"n\",\"args\":{}} tool, sync", "21 stray_text: so {}"],
    );
}

#[test]
fn text_outside_sections_is_stray_beside_a_call_or_an_answer() {
    check(
        " a \n<thought>t</thought> b\n<action>{\"name\":\"n\"}</action>c",
        &[
            "think: t",
            "a1: {\"name\":\"n\",\"args\":{}} tool, sync",
            "1 stray_text: a",
            "25 stray_text: b",
            "56 stray_text: c",
        ],
    );
    check("<response>a</response> b", &["respond: a", "23 stray_text: b"]);
    check("<response>a</response><action b>", &["respond: a", "22 stray_text: <action b>"]);
}

#[test]
fn text_outside_sections_is_otherwise_the_answer() {
    check(
        "<thought>t</thought>\n a\n<thought>u</thought>b ",
        &["think: t", "think: u", "respond: a\nb "],
    );
    check("a<response> </response>b", &["respond: a\nb"]);
    check("a <b> <!-- c <action>{}</action> -->\nd", &["respond: a <b> \nd"]);
    check("<<!-- a --> <<thought>", &["respond: <!-- a --> <thought>"]);
    check("<results>[]</results> §end", &["respond: <results>[]</results> §end"]);
    check("<!-- a", &["6 unclosed: a comment was still open"]);
    check("\n \n", &[]);
}

/// P-34: what may become the answer is read as one.
#[test]
fn a_quoted_action_never_runs() {
    let action = "<action>{\"name\":\"n\"}</action>";
    check(&format!("see:\n```\n{action}\n```\n"), &[&format!("respond: see:\n```\n{action}\n```")]);
    check(
        &format!("<response>see:\n```\n{action}</response>\n```\n</response>"),
        &[&format!("respond: see:\n```\n{action}</response>\n```")],
    );
    check(
        "~~~\n<thought>",
        &["respond: ~~~\n<thought>", "13 open_fence: a code fence was still open"],
    );
    check(
        "<~~~\n<thought>a",
        &["think: a", "respond: ~~~", "15 unclosed: a thought was still open"],
    );
    check("```\n``` <thought>a</thought>", &["think: a", "respond: ```\n``` "]);
    let open = |at| format!("{at} open_fence: a code fence was still open");
    check("```\n```<action a b", &["respond: ```\n```<action a b", &open(18)]);
    check("```\n```<<action a=b>", &["respond: ```\n```<action a=b>", &open(20)]);
}

#[test]
fn a_thought_continues_after_an_action() {
    check(
        "<thought>a\n<action>{\"name\":\"n\"}</action>\nb\n<response final='false'>c",
        &[
            "think: a",
            "a1: {\"name\":\"n\",\"args\":{}} tool, sync",
            "think: b",
            "43 unclosed: a thought was still open",
            "respond (not final): c",
            "68 unclosed: an answer was still open",
        ],
    );
    check("<thought>a <response> b</thought>", &["think: a <response> b"]);
}

#[test]
fn an_answer_is_final_unless_it_says_so() {
    for (tag, is_final) in [
        ("<response>", true),
        ("<response final=\"true\">", true),
        ("<response final=no>", true),
        ("<response final=false>", false),
        ("<response final='false' final='true'>", false),
        ("<response x=1 final = \"false\" >", false),
    ] {
        let mark = if is_final { "" } else { " (not final)" };
        check(&format!("{tag}a</response>"), &[&format!("respond{mark}: a")]);
    }
}

#[test]
fn a_doubled_tag_is_the_text_of_one() {
    check("<response><</response></response>", &["respond: </response>"]);
    check(
        "<thought><<action a=b> <<action a> <<</thought> <<response></thought>",
        &["think: <action a=b> <<action a> <</thought> <<response>"],
    );
}

#[test]
fn each_section_with_text_has_a_number() {
    let wire = "a<action>b</action><thought>c<action>{}</action>d</thought>";
    let part = |unit: &Unit| match unit {
        Unit::Text { part, text, .. } => Some((*part, text.clone())),
        _ => None,
    };
    let parts: Vec<_> = parse([wire], Dialect::Action).units.iter().filter_map(part).collect();
    let expected = [(1, "b"), (2, "c"), (3, "{}"), (4, "d"), (5, "a")];
    assert_eq!(parts, expected.map(|(part, text)| (part, text.to_owned())));
}
