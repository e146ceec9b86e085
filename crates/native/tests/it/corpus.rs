//! The corpora of the fuzz targets: texts to begin with, and every input that once failed.

use silcrow_cases::CaseFile;

use crate::surface;

/// A law over bytes.
type Law = fn(&[u8]);

#[test]
fn inputs_of_the_corpora_hold_the_laws() {
    let corpora: [(&str, Law); 6] = [
        (include_str!("../cases/corpus/json.cases"), surface::json),
        (include_str!("../cases/corpus/parameters.cases"), surface::parameters),
        (include_str!("../cases/corpus/elements.cases"), surface::elements),
        (include_str!("../cases/corpus/expression.cases"), surface::expression),
        (include_str!("../cases/corpus/loose.cases"), surface::loose),
        (include_str!("../cases/corpus/messages.cases"), surface::messages),
    ];
    for (text, check) in corpora {
        let file = CaseFile::read(text).unwrap_or_else(|error| panic!("{error}"));
        assert!(file.cases.len() >= 7, "{} inputs are too few", file.cases.len());
        file.cases.iter().for_each(|case| check(case.wire.as_bytes()));
    }
}
