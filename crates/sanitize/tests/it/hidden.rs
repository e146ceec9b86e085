//! The list of hidden characters beside Unicode's own data.

use icu_properties::props::{
    BidiControl, DefaultIgnorableCodePoint, GeneralCategory, PrependedConcatenationMark,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use silcrow_sanitize::is_hidden;

#[test]
fn the_list_agrees_with_unicode_except_for_three_blanks() {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let bidi = CodePointSetData::new::<BidiControl>();
    // Format characters with a glyph, such as the Arabic end of a verse.
    let shown = CodePointSetData::new::<PrependedConcatenationMark>();
    let categories = CodePointMapData::<GeneralCategory>::new();
    for char in '\0'..=char::MAX {
        let by_category = match categories.get(char) {
            GeneralCategory::Control
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator => true,
            GeneralCategory::Format => !shown.contains(char),
            _ => false,
        };
        let hidden = by_category
            || ignorable.contains(char)
            || bidi.contains(char)
            || matches!(char, '\u{2800}' | '\u{16fe4}' | '\u{1d159}');
        assert_eq!(is_hidden(char), hidden, "U+{:04X}", u32::from(char));
    }
}
