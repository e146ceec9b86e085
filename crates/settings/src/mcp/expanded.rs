//! `~` and variables of the environment in the words of a declaration.
//!
//! `~` and `~/` at the beginning stand for the home folder, `$NAME` and `${NAME}` for a variable, and
//! `$$` for the character itself. Nothing else is replaced, as a shell would do.

use std::env;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
enum DeclaredPiece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

/// Returns the text with the values of its variables, and with the home folder in place of `~`.
///
/// ```
/// use silcrow_settings::expanded;
///
/// let value = |name: &str| Ok(format!("value of {name}"));
/// assert_eq!(expanded("--level=$LEVEL", &value).unwrap(), "--level=value of LEVEL");
/// ```
///
/// # Errors
///
/// Returns the error of `value`, or says that there is no home folder.
pub fn expanded(
    text: &str,
    value: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let home = || env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
    let (mut out, rest) = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => match home() {
            Some(home) => (home, rest),
            None => return Err("there is no home folder that ~ could stand for".to_owned()),
        },
        _ => (String::new(), text),
    };
    for piece in pieces(rest) {
        match piece {
            DeclaredPiece::Text(text) => out.push_str(text),
            DeclaredPiece::Variable(name) => out.push_str(&value(name)?),
        }
    }
    Ok(out)
}

/// Returns the variables that a text names.
pub(crate) fn variables_in(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        DeclaredPiece::Variable(name) => Some(name),
        DeclaredPiece::Text(_) => None,
    })
}

/// Returns whether the word at an index is the text of a shell (`sh -c TEXT`), which replaces
/// variables by itself.
pub(crate) fn is_shell_text(words: &[String], index: usize) -> bool {
    let is_shell = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or_default();
        SHELLS.contains(&name)
    };
    let is_flag = |word: &String| {
        word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.ends_with('c'))
    };
    index > 1 && is_flag(&words[index - 1]) && words[..index - 1].iter().any(is_shell)
}

fn pieces(text: &str) -> Vec<DeclaredPiece<'_>> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find('$') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        let braced = after.strip_prefix('{').and_then(|inner| Some(inner.split_once('}')?.0));
        let (piece, length) = match braced.filter(|name| is_name(name)) {
            Some(name) => (DeclaredPiece::Variable(name), name.len() + 2),
            None if after.starts_with('$') => (DeclaredPiece::Text("$"), 1),
            None => {
                let end = after.find(|char| !is_name_char(char)).unwrap_or(after.len());
                match is_name(&after[..end]) {
                    true => (DeclaredPiece::Variable(&after[..end]), end),
                    false => (DeclaredPiece::Text("$"), 0),
                }
            }
        };
        pieces.extend((!before.is_empty()).then_some(DeclaredPiece::Text(before)));
        pieces.push(piece);
        rest = &after[length..];
    }
    pieces.extend((!rest.is_empty()).then_some(DeclaredPiece::Text(rest)));
    pieces
}

fn is_name(text: &str) -> bool {
    text.chars().all(is_name_char) && text.starts_with(|char: char| !char.is_ascii_digit())
}

const fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

/// The programs that read a script after `-c`.
const SHELLS: [&str; 7] = ["bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"];

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
    fn variables_and_the_home_folder_are_replaced_and_nothing_else() {
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

    #[test]
    fn the_text_of_a_shell_is_the_shells() {
        for (words, is_one) in [
            (&["sh", "-c", "x"][..], true),
            (&["env", "A=b", "/bin/bash", "-lc", "x"], true),
            (&["sh", "x", "-c", "y"], true),
            (&["python3", "-c", "x"], false),
            (&["sh", "--norc", "x"], false),
            (&["-c", "x"], false),
            (&["x"], false),
        ] {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(is_shell_text(&words, words.len() - 1), is_one, "{words:?}");
        }
    }
}
