//! `~` and variables of the environment in a word.
//!
//! `~` and `~/` at the beginning stand for the home folder, `$NAME` and `${NAME}` for a variable, and
//! `$$` for the character itself. Nothing else is replaced, as a shell would do.

use std::env;

/// A piece of a word.
#[derive(Debug, PartialEq, Eq)]
enum WordPiece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// Returns the text with the values of its variables, and with the home folder in place of `~`.
///
/// ```
/// use silcrow_environment::expanded;
///
/// let value = |name: &str| Ok(format!("value of {name}"));
/// assert_eq!(expanded("--level=$LEVEL", &value).unwrap(), "--level=value of LEVEL");
/// ```
///
/// # Errors
///
/// Returns the error of `value`, or an error if the home folder is unknown.
pub fn expanded(
    text: &str,
    value: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let home = || env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
    let (mut out, rest) = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => match home() {
            Some(home) => (home, rest),
            None => return Err("no home folder that `~` could stand for".to_owned()),
        },
        _ => (String::new(), text),
    };
    for piece in pieces(rest) {
        match piece {
            WordPiece::Text(text) => out.push_str(text),
            WordPiece::Variable(name) => out.push_str(&value(name)?),
        }
    }
    Ok(out)
}

/// Returns the names of the variables in a text.
///
/// ```
/// use silcrow_environment::variables_in;
///
/// assert_eq!(variables_in("$HOME/${NAME} costs $$5").collect::<Vec<_>>(), ["HOME", "NAME"]);
/// ```
pub fn variables_in(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        WordPiece::Variable(name) => Some(name),
        WordPiece::Text(_) => None,
    })
}

fn pieces(text: &str) -> Vec<WordPiece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('$') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let braced = after.strip_prefix('{').and_then(|inner| Some(inner.split_once('}')?.0));
        let (piece, length) = match braced.filter(|name| is_name(name)) {
            Some(name) => (WordPiece::Variable(name), name.len() + 2),
            None if after.starts_with('$') => (WordPiece::Text("$"), 1),
            None => {
                let end = after.find(|char| !is_name_char(char)).unwrap_or(after.len());
                match is_name(&after[..end]) {
                    true => (WordPiece::Variable(&after[..end]), end),
                    false => (WordPiece::Text("$"), 0),
                }
            }
        };
        pieces.extend((!before.is_empty()).then_some(WordPiece::Text(before)));
        pieces.push(piece);
        rest = &after[length..];
    }
    pieces.extend((!rest.is_empty()).then_some(WordPiece::Text(rest)));
    pieces
}

fn is_name(text: &str) -> bool {
    text.chars().all(is_name_char) && text.starts_with(|char: char| !char.is_ascii_digit())
}

const fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str) -> Result<String, String> {
        match name {
            "MISSING" => Err("MISSING is not set".to_owned()),
            name => Ok(format!("<{name}>")),
        }
    }

    #[test]
    fn only_variables_and_home_are_expanded() {
        let home = env::home_dir().unwrap().into_os_string().into_string().unwrap();
        for (text, expected) in [
            ("~", home.clone()),
            ("~/a b", format!("{home}/a b")),
            ("~ann/x a~ --x=~/y", "~ann/x a~ --x=~/y".to_owned()),
            ("$HOME_OF/x ${A}b$C.d", "<HOME_OF>/x <A>b<C>.d".to_owned()),
            ("5$ $1 ${} ${a-b} $", "5$ $1 ${} ${a-b} $".to_owned()),
            ("$$HOME costs $$5", "$HOME costs $5".to_owned()),
            ("~/$A", format!("{home}/<A>")),
            ("é$É", "é$É".to_owned()),
            ("", String::new()),
        ] {
            assert_eq!(expanded(text, &value).unwrap(), expected, "{text}");
        }
        assert_eq!(expanded("a $MISSING", &value).unwrap_err(), "MISSING is not set");
        assert_eq!(variables_in("$A ${B}$$C $1").collect::<Vec<_>>(), ["A", "B"]);
    }
}
