//! Protected names as regular expressions of a profile.

/// Returns an expression of the paths that have a name at any depth, and of all that is beneath
/// them, in any case of the letters, as file systems of macOS compare names. A last part that
/// begins with `*` stands for all names with this ending.
///
/// # Errors
///
/// Returns the error that the name cannot be written: the language has no escape there for a
/// quotation mark or a control character.
pub(super) fn expression(name: &str) -> Result<String, String> {
    let mut text = String::from("/");
    let start = name.rfind('/').map_or(0, |slash| slash + 1);
    for (at, char) in name.char_indices() {
        match char {
            '*' if at == start => text.push_str("[^/]*"),
            '"' => return Err(format!("the protected name {name:?} has a quotation mark")),
            char if char.is_control() => {
                return Err(format!("the protected name {name:?} has a control character"));
            }
            char if char.is_ascii_alphabetic() => {
                let (small, capital) = (char.to_ascii_lowercase(), char.to_ascii_uppercase());
                text.extend(['[', small, capital, ']']);
            }
            char if SPECIAL.contains(char) => text.extend(['\\', char]),
            char => text.push(char),
        }
    }
    text.push_str("(/|$)");
    Ok(text)
}

/// The characters that mean something in an expression.
const SPECIAL: &str = r"\.^$*+?()[]{}|";
