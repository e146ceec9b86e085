//! Plans that are written and driven in any order.

use proptest::prelude::*;
use silcrow_cases::CaseFile;

use crate::surface::plan;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_ends_every_call_once(letters in "[a-zA-Z).:,;?!]{0,50}") {
        plan(letters.as_bytes());
    }
}

/// The corpus has every text that once failed.
#[test]
fn texts_of_the_corpus_end_once() {
    let file = CaseFile::read(include_str!("../cases/letters.cases"));
    let cases = file.unwrap_or_else(|error| panic!("{error}")).cases;
    assert!(cases.len() >= 9, "{} texts are too few", cases.len());
    for case in cases {
        plan(case.wire.as_bytes());
    }
}
