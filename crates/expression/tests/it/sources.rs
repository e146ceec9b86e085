//! Sources: random ones, and the corpus.

use proptest::prelude::*;
use silcrow_cases::CaseFile;

use crate::surface::expression;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_source_is_read_or_rejected(text in any::<String>(), words in "[a-z0-9.()\\[\\]{},:?!<>=&|+*/%'\" -]{0,60}") {
        expression(text.as_bytes());
        expression(words.as_bytes());
    }
}

/// The corpus has every source that once failed.
#[test]
fn sources_of_the_corpus_are_read_or_rejected() {
    let file = CaseFile::read(include_str!("../cases/sources.cases"));
    let cases = file.unwrap_or_else(|error| panic!("{error}")).cases;
    assert!(cases.len() >= 8, "{} sources are too few", cases.len());
    for case in cases {
        expression(case.wire.as_bytes());
    }
}
