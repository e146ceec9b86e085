//! Names in text: `$name` is replaced by an output, and `$$name` is the text `$name` (P-26).

/// A piece of text in which names are replaced by outputs (P-26).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-26 names them all")]
pub enum NamePart<'a> {
    /// Text without a name.
    Text(&'a str),
    /// A name, without its `$`.
    Name(&'a str),
    /// An escaped name: `$$name`, without the first `$`.
    Escaped(&'a str),
}

/// Returns the pieces of a whole text.
///
/// ```
/// use silcrow_expression::{NamePart, name_parts};
///
/// let parts: Vec<_> = name_parts("see $list, not $$list").collect();
/// let (name, escaped) = (NamePart::Name("list"), NamePart::Escaped("$list"));
/// assert_eq!(parts, [NamePart::Text("see "), name, NamePart::Text(", not "), escaped]);
/// ```
pub fn name_parts(text: &str) -> impl Iterator<Item = NamePart<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let dollar = rest.find('$').unwrap_or(rest.len());
        let (piece, len) = match (dollar, &rest.as_bytes()[dollar..]) {
            (_, []) if rest.is_empty() => return None,
            (0, [_, first, ..]) if begins_name(*first) => {
                let len = 1 + name_len(&rest[1..]);
                (NamePart::Name(&rest[1..len]), len)
            }
            (0, [_, b'$', first, ..]) if begins_name(*first) => {
                let len = 2 + name_len(&rest[2..]);
                (NamePart::Escaped(&rest[1..len]), len)
            }
            (0, _) => (NamePart::Text(&rest[..1]), 1),
            _ => (NamePart::Text(&rest[..dollar]), dollar),
        };
        rest = &rest[len..];
        Some(piece)
    })
}

/// Returns the length of the name with which `text` begins, in bytes.
pub fn name_len(text: &str) -> usize {
    text.bytes().take_while(|&byte| continues_name(byte)).count()
}

/// Returns whether a name may begin with this byte.
pub const fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Returns whether a name may go on with this byte.
pub const fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::NamePart::{Escaped, Name, Text};
    use super::name_parts;

    #[test]
    fn a_name_is_a_dollar_and_a_word() {
        let read = |text| name_parts(text).collect::<Vec<_>>();
        assert_eq!(read("a $b_1-c"), [Text("a "), Name("b_1"), Text("-c")]);
        assert_eq!(read("$a$b"), [Name("a"), Name("b")]);
        assert_eq!(read("$$a"), [Escaped("$a")]);
        assert_eq!(read("$$$a"), [Text("$"), Escaped("$a")]);
        assert_eq!(
            read("5 $ $1 $"),
            [Text("5 "), Text("$"), Text(" "), Text("$"), Text("1 "), Text("$")]
        );
        assert_eq!(read("é$é"), [Text("é"), Text("$"), Text("é")]);
        assert_eq!(read(""), []);
    }
}
