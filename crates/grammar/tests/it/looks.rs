//! Snapshots of the grammars.

use silcrow_grammar::{Dialect, GrammarFormat, grammar};

/// Omits the deeper levels of JSON, and all but the first states of the automata.
fn begun(grammar: &str) -> String {
    let is_deep = |line: &&str| {
        let name = line.split([' ', ':']).next().unwrap_or_default();
        // States have a capital letter and a number in digits up to `z`.
        if let Some((first, number)) = name.split_at_checked(1)
            && first.starts_with(|first: char| first.is_ascii_uppercase())
            && number.bytes().all(|digit| digit.is_ascii_digit() || digit.is_ascii_lowercase())
        {
            return !matches!(number, "1" | "2" | "3" | "4");
        }
        let number = name.trim_start_matches(|char: char| !char.is_ascii_digit());
        number.parse().is_ok_and(|number: u32| number > 2)
    };
    let mut deep = false;
    let mut out = String::new();
    for line in grammar.lines() {
        // An alternative belongs to the line before it.
        deep = if line.starts_with("    |") { deep } else { is_deep(&line) };
        if deep && !out.ends_with("…\n") {
            out.push_str("…\n");
        } else if !deep {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[test]
fn grammars_match_snapshots() {
    for dialect in Dialect::ALL {
        let name = dialect.as_str();
        let tools = Some(&["file_list", "file_read"][..]);
        for (format, word) in [(GrammarFormat::Lark, "lark"), (GrammarFormat::Gbnf, "gbnf")] {
            let grammar = grammar(dialect, format, tools);
            insta::assert_snapshot!(format!("grammar_{name}_{word}"), begun(&grammar));
        }
    }
}

#[test]
fn a_grammar_is_not_long() {
    let size = |dialect: Dialect, format| grammar(dialect, format, None).len();
    let sizes: Vec<_> = Dialect::ALL
        .into_iter()
        .map(|dialect| {
            let (gbnf, lark) =
                (size(dialect, GrammarFormat::Gbnf), size(dialect, GrammarFormat::Lark));
            format!("{}: {gbnf} bytes of GBNF, {lark} of Lark", dialect.as_str())
        })
        .collect();
    insta::assert_snapshot!(sizes.join("\n"));
}
