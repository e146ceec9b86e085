//! The words of a command that is typed as one text: blanks separate them, and quotation marks and
//! backslashes keep blanks in them. Nothing is replaced in them, as a shell would do.

/// Returns the words, or `None` if a quotation mark or a backslash has nothing after it.
///
/// ```
/// use silcrow_environment::{quoted_word, split_words};
///
/// assert_eq!(split_words("op read 'a b'").unwrap(), ["op", "read", "a b"]);
/// assert_eq!(split_words("it's"), None);
/// assert_eq!(quoted_word("a b"), "'a b'");
/// ```
pub fn split_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            char if char.is_whitespace() => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        char => word.push(char),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => match chars.next()? {
                            char @ ('"' | '\\' | '$' | '`') => word.push(char),
                            char => word.extend(['\\', char]),
                        },
                        char => word.push(char),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    Some(words)
}

/// Returns a word as it is typed, so that [`split_words`] reads it.
pub fn quoted_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_words_split_and_quote_back() {
        for (text, expected) in [
            ("uvx mcp-server-time", Some(&["uvx", "mcp-server-time"][..])),
            ("  a\t'b c'  d\\ e ", Some(&["a", "b c", "d e"])),
            (r#"x"y 'z'"w "a\"b\n""#, Some(&["xy 'z'w", "a\"b\\n"])),
            ("'' \"\"", Some(&["", ""])),
            ("", Some(&[])),
            ("$HOME `x` a=b", Some(&["$HOME", "`x`", "a=b"])),
            ("'a", None),
            ("\"a", None),
            ("a\\", None),
        ] {
            let found = split_words(text);
            assert_eq!(
                found.as_deref().map(|words| words.to_vec()),
                expected.map(|words| {
                    words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()
                }),
                "{text}"
            );
            for word in found.into_iter().flatten() {
                assert_eq!(split_words(&quoted_word(&word)), Some(vec![word]));
            }
        }
    }
}
