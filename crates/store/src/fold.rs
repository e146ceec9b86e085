//! Text as a search compares it: without case and accents.
//!
//! It folds letters; words are found elsewhere.

use unicode_normalization::char::decompose_canonical;

/// Returns a text in lower case and without accents: `É` becomes `e`, `ß` becomes `ss`, and `ς`
/// becomes `σ`.
///
/// Each character is folded alone, so folding two texts and joining them gives the same as folding
/// the joined text.
///
/// ```
/// use silcrow_store::search::fold;
///
/// assert_eq!(fold("Straße nach Genève"), "strasse nach geneve");
/// ```
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for char in text.chars() {
        char.to_lowercase().for_each(|char| fold_char(char, &mut folded));
    }
    folded
}

fn fold_char(char: char, to: &mut String) {
    match char {
        '\0'..='\x7f' => to.push(char),
        'ß' => to.push_str("ss"),
        'æ' => to.push_str("ae"),
        'œ' => to.push_str("oe"),
        'ø' => to.push('o'),
        'ł' => to.push('l'),
        'đ' => to.push('d'),
        'ı' => to.push('i'),
        'ς' => to.push('σ'),
        // In other scripts a mark makes another letter.
        '\u{80}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}' => {
            decompose_canonical(char, |part| {
                if !is_accent(part) {
                    to.push(part);
                }
            });
        }
        _ => to.push(char),
    }
}

const fn is_accent(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_do_not_count() {
        let cases = [
            ("Hello", "hello"),
            ("ÄRGER, Größe, façade", "arger, grosse, facade"),
            ("a\u{308}rger", "arger"),
            ("ΟΔΥΣΣΕΥΣ Ὀδυσσεύς", "οδυσσευσ οδυσσευσ"),
            ("Łódź Ærø İstanbul", "lodz aero istanbul"),
            ("日本語 が 한국", "日本語 が 한국"),
            ("𝕏 🦀", "𝕏 🦀"),
        ];
        for (text, folded) in cases {
            assert_eq!(fold(text), folded, "{text}");
            let each: String = text.chars().map(|char| fold(&char.to_string())).collect();
            assert_eq!(each, folded, "{text}");
        }
    }
}
