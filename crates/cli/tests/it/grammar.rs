//! `silcrow grammar`.

use silcrow_parser::{Dialect, Form, grammar};

use crate::support::House;

#[test]
fn it_is_the_grammar_of_the_dialect_and_of_the_tools() {
    let house = House::new();
    let tools = house.write("tools.json", r#" ["ls", "say \"so\""] "#);
    for dialect in Dialect::ALL {
        for (word, form) in [("gbnf", Form::Gbnf), ("lark", Form::Lark)] {
            let args = ["grammar", "--dialect", dialect.as_str(), "--format", word];
            let said = house.silcrow(&args);
            assert_eq!(said.ends(0).out, grammar(dialect, form, None));
            let said = house.silcrow(&[&args[..], &["--tools", &tools]].concat());
            assert_eq!(said.ends(0).out, grammar(dialect, form, Some(&["ls", "say \"so\""])));
        }
    }
    let said = house.silcrow_with(&["grammar", "--format", "lark", "--tools", "-"], b"[]");
    assert_eq!(said.ends(0).out, grammar(Dialect::Sigil, Form::Lark, Some(&[])));
}

#[test]
fn a_list_that_is_none_is_named() {
    let house = House::new();
    for (text, word) in [
        ("[\"ls\",]", "column 7"),
        ("{\"ls\": 1}", "list of tool names"),
        ("[\"ls\", 5]", "item 2 is no tool's name: 5"),
        ("[\"\"]", "item 1"),
        ("", "not JSON"),
    ] {
        let tools = house.write("tools.json", text);
        let said = house.silcrow(&["grammar", "--format", "gbnf", "--tools", &tools]);
        let said = said.ends(2);
        assert!(said.err.contains("tools.json") && said.err.contains(word), "{}", said.err);
        assert_eq!(said.out, "");
    }
    for args in [&["grammar"][..], &["grammar", "--format", "ebnf"]] {
        house.silcrow(args).ends(2);
    }
    house.silcrow(&["grammar", "--format", "gbnf", "--tools", "/no/such"]).ends(2);
}
