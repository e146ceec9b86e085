//! Lists of texts that are accepted, and of similar ones that are rejected.

use silcrow_event::Json;
use silcrow_grammar::Dialect;

use crate::agreement::{Both, TOOLS};

#[track_caller]
fn check(both: &mut Both, accepted: &[&str], rejected: &[&str]) {
    for text in accepted {
        assert!(both.accept(text), "rejected: {text:?}");
    }
    for text in rejected {
        assert!(!both.accept(text), "accepted: {text:?}");
    }
}

fn texts(owned: &[String]) -> Vec<&str> {
    owned.iter().map(|text| &**text).collect()
}

#[test]
fn sigil() {
    let call = |args: &str| format!("§call: {{\"name\": \"t\", \"args\": {args}}}\n§execute");
    let both = &mut Both::new(Dialect::Sigil, None);
    let accepted = [
        "§respond: a",
        "§respond: a\n§think: b",
        "§respond: a\n§think: b\n§end",
        "§think: a\n\n b\n§think: §end\n§respond: é\n§end",
        "§respond: a\n§endpoint\n§§end\n§§§end\n    §end\n§Think:",
        "§respond: ```\n§end\n``\n```` \nb\n~~~~ `\n```\n~~~~\n§end",
        "§respond: §``` never closed\n§~~~~~~~~\n§end",
        "§respond: ```` a`b\n§end",
        "§respond: a\n§call: {\"name\":\"a b\",\"args\":{}}\n§call: {\"name\":\"c\",\"args\":{}}\n§execute",
        &call("{\"a\": [1, -0.5e+3, true, null, \"\\u00e9\\ud83d\\ude00 § \\n§end\", {}, []]}"),
        &call("{\n  \"a\": {\n    \"b\": []\n  }\n}"),
        "§call:{ \"name\" : \"a\" , \"args\" : { } }\n§call:\n{\"name\":\"b\",\"args\":{}}\n§execute",
    ];
    let rejected = [
        "",
        "§end",
        "§think: a",
        "§think: a\n§end",
        "a",
        "a\n§end",
        "§think:",
        "§think: ",
        "§think:a",
        "§think:  a",
        "§think: a \n§end",
        "§think: a\n\n§end",
        "§think: a\n§end\n",
        "§think: a\n§end\nb",
        "§think: a\n§result: b",
        "§respond: a\n   §think: b",
        "§respond: ```\na\n``` §think: b",
        "§think: ```\na\n```\n§respond: b",
        "§think: a\n§execute",
        "§respond: ```\n§end",
        "§respond: ```\n§end\n ````x",
        "§respond: ``` a\nb\n    ```",
        "§call: {\"name\":\"a\",\"args\":{}}",
        "§call: {\"name\":\"a\",\"args\":{}}\n§end",
        "§call: {\"name\":\"a\",\"args\":{}}\n§think: b\n§execute",
        "§call: {\"name\":\"a\",\"args\":{}}\n§execute\n§respond: b",
        "§call: {\"name\":\"a\",\"args\":{}} so\n§execute",
        "§call: {\"name\":\"\",\"args\":{}}\n§execute",
        "§call: {\"name\":\"a\",\"args\":[]}\n§execute",
        "§call: {\"name\":\"a\"}\n§execute",
        &call("{\"a\": \"x\ny\"}"),
        &call("{\"a\": \"\t\"}"),
        &call("{\"a\": \"\\x\"}"),
        &call("{\"a\": \"\\ud83d\"}"),
        &call("{\"a\": 01}"),
        &call("{\"a\": 1,}"),
        &call("{\"a\": }"),
        &call("{\"a\" 1}"),
        &call("{a: 1}"),
        &call("{\"a\": [1}"),
        &call("{  }"),
    ];
    check(both, &accepted, &rejected);
}

#[test]
fn phase() {
    let call = "{\"name\": \"t\", \"args\": {}}";
    let list = format!("<execute>\n[\n  {call},\n  {call}\n]\n</execute>");
    let both = &mut Both::new(Dialect::Phase, None);
    let accepted = [
        "a",
        "a\n<think>b</think>",
        "a\n<think>b</think>\n<end>",
        "a\n<think></think>\nb\n<end>",
        "<think><end> <execute> <</think>\n</think>\na <<end> <endx> </think>",
        "```\n<end>\n```\n<end>",
        "```\n<end>\n``` <<end>\n```",
        "```<end>`<<end>",
        "<``` never closed",
        &list,
        &format!("a\n<think>b\n</think>\n{list}"),
        "<think>a</think>\nb",
        "<think>\na <\n</think>\nb",
        &format!("<execute>[{call}, {call}]</execute>"),
        &format!("<execute> [ {call}\n,\n\t{call} ] </execute>"),
    ];
    let rejected = [
        "",
        "<end>",
        "<think>a</think>",
        "<think>a</think>\n<end>",
        "\n",
        "a\n",
        "a <end>",
        "a\n<end>\nb",
        "a\n<think></think>",
        "<think></think>\na",
        "<think>a\n</think>b",
        "<think>a <</think>\nb",
        "<think>\n</think>",
        "<think>\n\na</think>",
        "<think>a\n\n</think>",
        "<think>a </think> b\n</think>",
        "```\n<end>",
        "```\n<end>\n``` <end>",
        "```<end>`<end>",
        "<results>\n[]\n</results>",
        "<execute>\n[\n]\n</execute>",
        &list.replace("},", "}"),
        &list.replace(']', ""),
        &list.replace("</", "<"),
        &list.replace("[", "[["),
        &list.replace("\n]", ",\n]"),
        &format!("<execute>{call}</execute>"),
        &format!("{list}\na"),
        &format!("{list}\n<end>"),
    ];
    check(both, &accepted, &rejected);
}

#[test]
fn action() {
    let both = &mut Both::new(Dialect::Action, None);
    let fields = "\"output_key\":\"k\",\"depends_on\":[\"a\",\"b\"],\"timeout\":1.5e-7,\"retry\":4294967295,\"on_error\":\"fail\"";
    let call = |tag: &str, body: &str| {
        format!("<action {tag}>{{\"name\":\"t\",\"parameters\":{{}}{body}}}</action>")
    };
    let (tag, id) = ("type=\"tool\" mode=\"sync\"", "type=\"llm\" mode=\"async\" id='\">'");
    let accepted = [
        "<response>a\n</response>",
        "<thought>a <<action> <action <actions> </response> <<</thought>\n</thought>\n<response>a</response>",
        "<response final=\"false\">a</response>",
        &format!("{}\n<thought>a</thought>", call(tag, "")),
        "<thought><response>\n<<response>\n</thought>\n<response final=\"false\">a\n</response>",
        "<response>```\n</response>\n```\n<action> <!-- a\n</response>",
        "<response final=\"false\">a</response>\n<response final=\"true\">\n```\nb\n```</response>",
        "<thought>\n<<response>\n<<response ></thought>\n<response>a</response>",
        &call(tag, ""),
        &call("id='a'", ""),
        &call("mode=\"async\"", ""),
        &call(tag, ",\"id\":\"<\""),
        "<action> { \"name\" : \"t\" ,\n\"parameters\": { } , \"retry\": 1 }\n</action>",
        &format!("{}\n{}", call(id, &format!(",{fields}")), call(tag, ",\"retry\":0")),
        &format!("<response final=\"false\">a</response>\n{}\n<results>", call(tag, "")),
        &format!("{}\n<response final=\"false\">$a1</response>", call(tag, "")),
        &format!("{0}\n<thought>a</thought>\n{0}\n<results>", call(tag, "")),
    ];
    let rejected = [
        "",
        "a",
        "<thought>a\n</thought>",
        "<response>a</response>\n<response>b</response>",
        "<response>a</response>\n<thought>b</thought>",
        &format!("<response>a</response>\n{}", call(tag, "")),
        &format!("{}\n<response>a</response>", call(tag, "")),
        &format!("{}\n<response final=\"true\">$a1</response>", call(tag, "")),
        &format!("{}\n<thought>a</thought>\n<response>b</response>", call(tag, "")),
        &format!(
            "{}\n<response final=\"false\">a</response>\n<response>b</response>",
            call(tag, "")
        ),
        &format!("{}\n<results>\n[]\n</results>", call(tag, "")),
        "<results>",
        "<response final=\"false\">a</response>\n<results>",
        "<thought>a\n</thought>\na",
        "<thought>a\n</thought> <response>a\n</response>",
        "<thought>a",
        "<thought>a <</thought>",
        "<thought>\n<response></thought>",
        "<thought>a\n<response ></thought>",
        "<thought>a <action> b\n</thought>",
        "<thought>a <action id='>'\tb=[[\"]\"]]c=d >\n</thought>",
        "<thought>a\n<response>\n</thought>",
        "<response>a </response> b\n</response>",
        "<response final=false>a\n</response>",
        "<!-- a -->",
        &call("mode=\"sync\" type=\"tool\"", ""),
        &call("type=\"tool\" type=\"tool\"", ""),
        &call("id=\"a\"", ",\"id\":\"b\""),
        &call("id=a", ""),
        &call("type=\"tools\" mode=\"sync\"", ""),
        &call("type=\"tool\" mode=\"sync\" id=\"<\"", ""),
        &call("type=\"tool\" mode=\"sync\" id=\"\"", ""),
        &call(tag, ",\"retry\":4294967296"),
        &call(tag, ",\"retry\":-1"),
        &call(tag, ",\"timeout\":-1"),
        &call(tag, ",\"on_error\":\"stop\""),
        &call(tag, ",\"depends_on\":[]"),
        &call(tag, ",\"depends_on\":[\"\"]"),
        &call(tag, ",\"retry\":1,\"timeout\":1"),
        &call(tag, ",\"retry\":1,\"retry\":1"),
        &call(tag, ",\"output_key\":\"\\udfff\""),
        &call(tag, " so"),
    ];
    check(both, &accepted, &rejected);
}

#[test]
fn with_tools_only_they_are_called() {
    let call = |name: &str| format!("§call: {{\"name\": {name}, \"args\": {{}}}}\n§execute");
    let action =
        |name: &str| format!("<action>{{\"name\":\"{name}\",\"parameters\":{{}}}}</action>");
    let list = |name: &str| format!("<execute>[{{\"name\":\"{name}\",\"args\":{{}}}}]</execute>");

    let known = TOOLS.iter().filter(|name| !name.is_empty());
    let known: Vec<_> = known.map(|name| call(Json::string(name).as_str())).collect();
    let unknown = ["\"\"", "\"l\"", "\"lsx\"", "\"rm\"", "\"a\"b\"", "\"LS\"", "ls"].map(call);
    let both = &mut Both::new(Dialect::Sigil, Some(TOOLS));
    check(both, &texts(&known), &texts(&unknown));
    check(both, &["§respond: rm"], &[]);

    for (dialect, call) in
        [(Dialect::Phase, &list as &dyn Fn(&str) -> String), (Dialect::Action, &action)]
    {
        let [known, unknown] = ["ls", "rm"].map(call);
        check(&mut Both::new(dialect, Some(TOOLS)), &[&known], &[&unknown]);
        check(&mut Both::new(dialect, None), &[&known, &unknown], &[]);
    }
}

#[test]
fn missing_tools_permit_no_calls() {
    for tools in [&[][..], &[""]] {
        let sigil = "§call: {\"name\":\"ls\",\"args\":{}}\n§execute";
        let none = "§call: {\"name\":\"\",\"args\":{}}\n§execute";
        check(&mut Both::new(Dialect::Sigil, Some(tools)), &["§respond: a\n§end"], &[sigil, none]);
        let phase = "<execute>[{\"name\":\"ls\",\"args\":{}}]</execute>";
        check(&mut Both::new(Dialect::Phase, Some(tools)), &["a"], &[phase, "<execute>"]);
        let action = "<action>{\"name\":\"ls\",\"parameters\":{}}</action>";
        check(&mut Both::new(Dialect::Action, Some(tools)), &["<response>a</response>"], &[action]);
    }
}

/// A model may write everything that its prompt shows.
#[test]
fn the_turns_of_the_guides() {
    for dialect in Dialect::ALL {
        let mut both = Both::new(dialect, None);
        let turns: Vec<&str> = silcrow_parser::guide(dialect)
            .split("You write:\n")
            .skip(1)
            .map(|behind| {
                let next = ["\n\nThe person asks:", "\n\nYou receive:", "\n\n#"];
                let end = next.iter().filter_map(|next| behind.find(next)).min();
                behind[..end.unwrap_or(behind.len())].trim_end()
            })
            .collect();
        assert!(turns.len() > 2, "{turns:?}");
        check(&mut both, &turns, &[]);
    }
}

#[test]
fn argument_nesting_is_bounded() {
    for (dialect, before, behind) in [
        (Dialect::Sigil, "§call: {\"name\":\"t\",\"args\":", "}\n§execute"),
        (Dialect::Phase, "<execute>[{\"name\":\"t\",\"args\":", "}]</execute>"),
        (Dialect::Action, "<action>{\"name\":\"t\",\"parameters\":", "}</action>"),
    ] {
        let nested = |depth: usize| {
            let inner = "[".repeat(depth - 1) + &"]".repeat(depth - 1);
            format!("{before}{{\"a\":{inner}}}{behind}")
        };
        check(&mut Both::new(dialect, None), &[&nested(2), &nested(32)], &[&nested(33)]);
    }
}
