//! The check of words in places where they do not belong, such as a clock in a pure crate.
//!
//! This module knows the words and the places.

use super::Finding;
use super::source::{ByteKind, SourceFile};
use super::table::CrateGroup;

/// The context of a file.
pub(crate) struct FileContext<'a> {
    /// The crate of the workspace to which the file belongs.
    pub(crate) package: Option<&'a str>,
    pub(crate) group: CrateGroup,
    /// Whether it is built into the crate and is not a test.
    pub(crate) library: bool,
}

/// Reports words in places where they do not belong.
pub(crate) fn check(
    file: &str,
    source: &SourceFile,
    place: &FileContext<'_>,
    findings: &mut Vec<Finding>,
) {
    for rule in RULES.iter().filter(|rule| (rule.applies)(place)) {
        let text = source.only(rule.kinds, rule.tests);
        for (index, line) in text.lines().enumerate() {
            let fine = |word: &str| {
                rule.unless.is_some_and(|more| line.contains(&*(word.to_owned() + more)))
            };
            for word in rule.words.iter().filter(|word| stands(line, word) && !fine(word)) {
                let what = format!("`{word}`: {}", rule.advice);
                findings.push(Finding { file: file.to_owned(), line: index + 1, what });
            }
        }
    }
}

struct WordRule {
    words: &'static [&'static str],
    /// The kinds of bytes in which they are looked for.
    kinds: &'static [ByteKind],
    /// Whether they are looked for in tests inside the file, too.
    tests: bool,
    /// The text after a word that makes it acceptable.
    unless: Option<&'static str>,
    applies: fn(&FileContext<'_>) -> bool,
    advice: &'static str,
}

const RULES: &[WordRule] = &[
    WordRule {
        words: &["unbounded_channel"],
        kinds: &[ByteKind::Code],
        tests: false,
        unless: None,
        applies: |place| place.library,
        advice: "a channel has a capacity, so that what is slow is felt by what is fast",
    },
    WordRule {
        words: &[
            "§think",
            "§call",
            "§respond",
            "§execute",
            "§end",
            "§result",
            "<execute>",
            "<results>",
        ],
        kinds: &[ByteKind::Code, ByteKind::Literal],
        tests: false,
        unless: None,
        applies: |place| place.library && !holds_delimiters(place),
        advice: DELIMITERS,
    },
    WordRule {
        words: &["<think>"],
        kinds: &[ByteKind::Code, ByteKind::Literal],
        tests: false,
        unless: None,
        // Some servers leave thoughts in the text, between tags with the same name.
        applies: |place| {
            place.library && !holds_delimiters(place) && place.package != Some("silcrow-vendors")
        },
        advice: DELIMITERS,
    },
    WordRule {
        words: &["SystemTime::now", "Instant::now"],
        kinds: &[ByteKind::Code],
        tests: false,
        unless: None,
        applies: |place| place.library && place.group == CrateGroup::Pure,
        advice: "a pure crate has no clock; take the time as an argument",
    },
    WordRule {
        words: &["TODO", "FIXME"],
        kinds: &[ByteKind::Code, ByteKind::Comment],
        tests: true,
        unless: None,
        applies: |_| true,
        advice: "finish it, or say in the docs what is not done",
    },
    WordRule {
        words: &["todo!", "dbg!"],
        kinds: &[ByteKind::Code],
        tests: true,
        unless: None,
        applies: |_| true,
        advice: "finish it or take it out",
    },
    WordRule {
        words: &["#[ignore"],
        kinds: &[ByteKind::Code, ByteKind::Literal],
        tests: true,
        // Another test starts a test that needs a process of its own.
        unless: Some(" = \"run by "),
        applies: |_| true,
        advice: "a test that nobody runs tests nothing; if another test runs it, the reason begins \
                 `run by`",
    },
    WordRule {
        words: &["SILCROW_SEED"],
        kinds: &[ByteKind::Code, ByteKind::Literal],
        tests: true,
        unless: None,
        // The commands of this workspace pass it on.
        applies: |place| place.package.is_some_and(|package| package != "silcrow-testkit"),
        advice: "one place decides about seeds: ask `silcrow_testkit::run_seed`",
    },
];

const DELIMITERS: &str =
    "delimiters live in `silcrow-lex` and `silcrow-parser`; ask `silcrow_parser::write`";

fn holds_delimiters(place: &FileContext<'_>) -> bool {
    place.group == CrateGroup::Tests
        // Some models use the same words as marks.
        || matches!(place.package, Some("silcrow-lex" | "silcrow-native" | "silcrow-parser"))
}

/// Returns whether a line contains a word that is not the end of a longer one.
fn stands(line: &str, word: &str) -> bool {
    let is_name = |char: char| char.is_alphanumeric() || char == '_';
    line.match_indices(word)
        .any(|(at, _)| !word.starts_with(is_name) || !line[..at].ends_with(is_name))
}
