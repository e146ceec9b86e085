//! `silcrow dev grammar`.

use std::io::Read as _;
use std::process::Stdio;

use silcrow_grammar::{GrammarFormat, GrammarTool, grammar, grammar_of_tools};
use silcrow_parser::Dialect;

use crate::support::Sandbox;

#[test]
fn printed_grammar_fits_dialect_and_tools() {
    let sandbox = Sandbox::new();
    let tools = sandbox.write("tools.json", r#" ["ls", "say \"so\"\t", "ls"] "#);
    for dialect in Dialect::ALL {
        for (word, form) in [("gbnf", GrammarFormat::Gbnf), ("lark", GrammarFormat::Lark)] {
            let args = ["grammar", "--dialect", dialect.as_str(), "--format", word];
            let said = sandbox.silcrow(&args);
            assert_eq!(said.ends(0).out, grammar(dialect, form, None));
            let said = sandbox.silcrow(&[&args[..], &["--tools", &tools]].concat());
            assert_eq!(said.ends(0).out, grammar(dialect, form, Some(&["ls", "say \"so\"\t"])));
        }
    }
    let schema = r#"{"properties": {"b": {"type": "integer"}, "a": {}}}"#;
    let tools =
        sandbox.write("tools.json", &format!(r#"[{{"name":"t","parameters":{schema}}},"ls"]"#));
    let said = sandbox.silcrow(&["grammar", "--format", "gbnf", "--tools", &tools]);
    let held = [GrammarTool::new("t").with_schema(schema), GrammarTool::new("ls")];
    assert_eq!(said.ends(0).out, grammar_of_tools(Dialect::Sigil, GrammarFormat::Gbnf, &held));
    let said = sandbox.silcrow_with(&["grammar", "--format", "lark", "--tools", "-"], b"[]");
    assert_eq!(said.ends(0).out, grammar(Dialect::Sigil, GrammarFormat::Lark, Some(&[])));
}

#[test]
fn invalid_tool_list_is_explained() {
    let sandbox = Sandbox::new();
    for (text, word) in [
        ("[\"ls\",]", "is not JSON: trailing comma at line 1 column 7"),
        ("[\"\\ud800\"]", "is not JSON"),
        ("{\"ls\": 1}", "is not a JSON list of tool names"),
        ("\"ls\"", "is not a JSON list of tool names"),
        ("[\"ls\", 5]", "item 2 is not a name: a tool's name is a string"),
        ("[[\"ls\"]]", "item 1 is not a name"),
        ("[\"\"]", "item 1 is an empty name"),
        ("[\"ls\", {\"schema\": {}}]", "item 2 is not a name"),
        ("", "is not JSON"),
    ] {
        let tools = sandbox.write("tools.json", text);
        let said = sandbox.silcrow(&["grammar", "--format", "gbnf", "--tools", &tools]);
        let said = said.ends(2);
        assert!(said.err.contains("tools.json") && said.err.contains(word), "{}", said.err);
        assert_eq!((said.err.lines().count(), &*said.out), (1, ""));
    }
    std::fs::write(sandbox.path("tools.json"), b"[\"\xff\"]").unwrap();
    let path = sandbox.path("tools.json");
    for (file, word) in
        [(path.to_str().unwrap(), "not UTF-8"), ("/no/such", "does not exist"), ("/", "folder")]
    {
        let said = sandbox.silcrow(&["grammar", "--format", "gbnf", "--tools", file]);
        assert!(said.ends(2).err.contains(word), "{}", said.err);
    }
}

#[test]
fn invalid_arguments_are_named() {
    let sandbox = Sandbox::new();
    for (args, word) in [
        (&["grammar"][..], "--format"),
        (&["grammar", "--format", "ebnf"], "gbnf, lark"),
        (&["grammar", "--format", "gbnf", "--dialect", "rune"], "sigil"),
        (&["grammar", "--format", "gbnf", "--tools"], "--tools"),
        (&["grammar", "--format", "gbnf", "tools.json"], "tools.json"),
    ] {
        let said = sandbox.silcrow(args);
        assert!(said.ends(2).err.contains(word), "{}", said.err);
        assert_eq!(said.out, "");
    }
}

#[test]
fn help_names_formats_and_options() {
    let said = Sandbox::new().silcrow(&["grammar", "--help"]);
    let said = said.ends(0);
    for word in ["--dialect", "--format", "--tools", "llama.cpp", "llguidance", "list of names"] {
        assert!(said.out.contains(word), "{word}: {}", said.out);
    }
}

#[test]
fn reader_stopping_early_is_not_a_failure() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["grammar", "--format", "gbnf"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), &*err), (Some(0), ""));
}
