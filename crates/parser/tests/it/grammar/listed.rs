//! Texts one by one: what is accepted, and beside it what is refused.

use silcrow_parser::Dialect;

use super::Both;

#[track_caller]
fn check(both: &mut Both, accepted: &[&str], refused: &[&str]) {
    for text in accepted {
        assert!(both.accept(text), "refused: {text:?}");
    }
    for text in refused {
        assert!(!both.accept(text), "accepted: {text:?}");
    }
}

#[test]
fn sigil() {
    let call = |args: &str| format!("§call: {{\"name\": \"t\", \"args\": {args}}}\n§execute");
    let both = &mut Both::new(Dialect::Sigil, None);
    let accepted = [
        "§end",
        "§think: a",
        "§think: a\n\n b\n§think: §end\n§respond: é\n§end",
        "§respond: a\n§endpoint\n§§end\n§§§end\n §end\n§Think:",
        "§respond: ```\n§end\n``\n```` \nb\n~~~~ `\n```\n~~~~\n§end",
        "§respond: §``` never closed\n§~~~~~~~~\n§end",
        "§respond: ```` a`b\n§end",
        "§respond: a\n§call: {\"name\":\"a b\",\"args\":{}}\n§call: {\"name\":\"c\",\"args\":{}}\n§execute",
        &call("{\"a\": [1, -0.5e+3, true, null, \"\\u00e9\\ud83d\\ude00 § \\n§end\", {}, []]}"),
        &call("{\n  \"a\": {\n    \"b\": []\n  }\n}"),
    ];
    let refused = [
        "",
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
    check(both, &accepted, &refused);
}

#[test]
fn phase() {
    let call = "{\"name\": \"t\", \"args\": {}}";
    let list = format!("<execute>\n[\n  {call},\n  {call}\n]\n</execute>");
    let both = &mut Both::new(Dialect::Phase, None);
    let accepted = [
        "<end>",
        "a",
        "a\n<think></think>\nb\n<end>",
        "<think><end> <execute> <</think>\n</think>\na <<end> <endx> </think>",
        "```\n<end>\n```\n<end>",
        "```\n<end>\n``` <<end>\n```",
        "```<end>`<<end>",
        "<``` never closed",
        &list,
        &format!("a\n<think>b\n</think>\n{list}"),
    ];
    let refused = [
        "",
        "\n",
        "a\n",
        "a <end>",
        "a\n<end>\nb",
        "a\n<think></think>",
        "<think></think>\na",
        "<think>a</think>",
        "<think>a\n</think>b",
        "<think>a </think> b\n</think>",
        "```\n<end>",
        "```\n<end>\n``` <end>",
        "```<end>`<end>",
        "<results>\n[]\n</results>",
        "<execute>\n[\n]\n</execute>",
        &list.replace("},", "}"),
        &list.replace(']', ""),
        &list.replace("</", "<"),
        &format!("{list}\na"),
        &format!("{list}\n<end>"),
    ];
    check(both, &accepted, &refused);
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
        "<thought>a <<action> <action <actions> </response> <<</thought>\n</thought>",
        "<thought><response>\n<<response>\n</thought>\n<response final=\"false\">a\n</response>",
        "<response>```\n</response>\n```\n<action> <!-- a\n</response>",
        &call(tag, ""),
        &call(tag, ",\"id\":\"<\""),
        &format!("{}\n{}", call(id, &format!(",{fields}")), call(tag, ",\"retry\":0")),
    ];
    let refused = [
        "",
        "a",
        "<thought>a\n</thought>\na",
        "<thought>a\n</thought> <response>a\n</response>",
        "<thought>a",
        "<thought>a</thought>",
        "<thought>a <action> b\n</thought>",
        "<thought>a <action id='>'\tb=[[\"]\"]]c=d >\n</thought>",
        "<thought>a\n<response>\n</thought>",
        "<response>a </response> b\n</response>",
        "<response final=false>a\n</response>",
        "<!-- a -->",
        &call("type=\"tool\"", ""),
        &call("type=\"tools\" mode=\"sync\"", ""),
        &call("type=\"tool\" mode=\"sync\" id=\"<\"", ""),
        &call("type=\"tool\" mode=\"sync\" id=\"\"", ""),
        &call(tag, ",\"retry\":4294967296"),
        &call(tag, ",\"retry\":-1"),
        &call(tag, ",\"timeout\":-1"),
        &call(tag, ",\"on_error\":\"stop\""),
        &call(tag, ",\"depends_on\":[]"),
        &call(tag, ",\"output_key\":\"\\udfff\""),
        &call(tag, " so"),
    ];
    check(both, &accepted, &refused);
}

#[test]
fn with_tools_only_they_are_called() {
    let tools = ["ls", "a\"b", "", "§end"];
    let call = |name: &str| format!("§call: {{\"name\": {name}, \"args\": {{}}}}\n§execute");
    let both = &mut Both::new(Dialect::Sigil, Some(&tools));
    let accepted = [&*call("\"ls\""), &call("\"a\\\"b\""), &call("\"§end\""), "§respond: rm"];
    let refused = ["\"\"", "\"l\"", "\"lsx\"", "\"rm\"", "\"a\"b\""].map(call);
    check(both, &accepted, &refused.each_ref().map(|call| &**call));

    let action = |name: &str| {
        let tag = "<action type=\"tool\" mode=\"sync\">";
        format!("{tag}{{\"name\":\"{name}\",\"parameters\":{{}}}}</action>")
    };
    let list = |name: &str| {
        format!("<execute>\n[\n  {{\"name\":\"{name}\",\"args\":{{}}}}\n]\n</execute>")
    };
    check(&mut Both::new(Dialect::Action, Some(&tools)), &[&action("ls")], &[&action("rm")]);
    check(&mut Both::new(Dialect::Phase, Some(&tools)), &[&list("ls")], &[&list("rm")]);

    let none = &mut Both::new(Dialect::Sigil, Some(&[]));
    check(none, &["§respond: a\n§end"], &[&call("\"ls\""), &call("\"\"")]);
    check(&mut Both::new(Dialect::Phase, Some(&[])), &["a"], &[&list("ls"), "<execute>"]);
    check(
        &mut Both::new(Dialect::Action, Some(&[])),
        &["<response>a\n</response>"],
        &[&action("ls")],
    );
}
