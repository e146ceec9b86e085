use crate::tidy::is_library;
use crate::tidy::source::SourceFile;
use crate::tidy::table::CrateGroup;
use crate::tidy::words::{FileContext, check};

const PURE: FileContext<'_> =
    FileContext { package: Some("silcrow-plan"), group: CrateGroup::Pure, library: true };
const EDGE: FileContext<'_> =
    FileContext { package: Some("silcrow-agent"), group: CrateGroup::Edge, library: true };
const TEST: FileContext<'_> =
    FileContext { package: Some("silcrow-agent"), group: CrateGroup::Edge, library: false };
const TESTKIT: FileContext<'_> =
    FileContext { package: Some("silcrow-testkit"), group: CrateGroup::Tests, library: true };
const PARSER: FileContext<'_> =
    FileContext { package: Some("silcrow-parser"), group: CrateGroup::Pure, library: true };

#[test]
fn a_channel_without_bound_is_found() {
    let text = "// no unbounded_channel here\nlet (a, b) = mpsc::unbounded_channel();\n";
    assert_eq!(lines(text, &EDGE), [2]);
    assert_eq!(lines(text, &TEST), [0; 0]);
}

#[test]
fn markers_are_found_outside_of_lexer_and_parser() {
    let markers = [
        "§think:",
        "§call:",
        "§respond:",
        "§execute",
        "§end",
        "§result:",
        "<execute>",
        "<think>",
        "<results>",
    ];
    for marker in markers {
        let text = format!("/// Writes `{marker}`.\nlet a = \"x\";\nlet b = \"{marker}\";\n");
        assert_eq!(lines(&text, &EDGE), [3], "{marker}");
        assert_eq!(lines(&text, &PARSER), [0; 0], "{marker}");
        assert_eq!(lines(&text, &TESTKIT), [0; 0], "{marker}");
        let test = format!("#[cfg(test)]\nmod tests {{\n    const A: &str = \"{marker}\";\n}}\n");
        assert_eq!(lines(&test, &EDGE), [0; 0], "{marker}");
    }
}

#[test]
fn a_clock_in_a_pure_crate_is_found() {
    for clock in ["SystemTime::now()", "std::time::Instant::now()"] {
        let text = format!("fn a() {{\n    {clock};\n}}\n");
        assert_eq!(lines(&text, &PURE), [2]);
        assert_eq!(lines(&text, &EDGE), [0; 0]);
    }
}

#[test]
fn unfinished_work_is_found_everywhere() {
    for word in
        ["// TODO: later", "/* FIXME */", "todo!()", "dbg!(a)", "#[ignore]", "#[ignore = \"slow\"]"]
    {
        let text = format!("fn a() {{\n{word};\n}}\n#[cfg(test)]\nmod tests {{\n{word};\n}}\n");
        for place in [&PURE, &EDGE, &TEST, &PARSER] {
            assert_eq!(lines(&text, place), [2, 6], "{word}");
        }
    }
    assert_eq!(lines("let query = \"TODO\"; // METODO\n#[serde(ignore)]\n", &EDGE), [0; 0]);
}

#[test]
fn an_ignored_test_that_another_one_runs_is_fine() {
    let text = "#[ignore = \"run by the test above, in a process of its own\"]\n#[ignore]\n";
    assert_eq!(lines(text, &TEST), [2]);
}

#[test]
fn tests_are_told_by_their_path() {
    for (file, library) in [
        ("crates/lex/src/lexer.rs", true),
        ("crates/lex/src/body/item.rs", true),
        ("crates/lex/src/tests.rs", false),
        ("crates/lex/src/body/tests.rs", false),
        ("crates/lex/src/body/tests/item.rs", false),
        ("crates/lex/tests/it/main.rs", false),
        ("crates/lex/benches/push.rs", false),
    ] {
        assert_eq!(is_library(file), library, "{file}");
    }
}

/// Returns the lines with findings.
fn lines(text: &str, place: &FileContext<'_>) -> Vec<usize> {
    let mut findings = Vec::new();
    check("a.rs", &SourceFile::new(text.to_owned()), place, &mut findings);
    findings.iter().map(|finding| finding.line).collect()
}
