//! The arguments in the body of a call while the body is written.
//!
//! It finds the value of the member that has the arguments, and returns its text piece by piece. It
//! repairs nothing: the complete call has the last word.

/// The keys under which a body may have its arguments.
const KEYS: [&str; 4] = ["args", "arguments", "parameters", "input"];

/// Finds the arguments in pieces of a body.
#[derive(Debug, Default)]
pub(crate) struct ArgsText {
    /// The number of open objects and arrays.
    depth: u32,
    in_string: bool,
    /// Whether the last byte was a backslash in a string.
    is_escaped: bool,
    /// The last string of the outermost object: the key, once its colon has come.
    key: String,
    state: ArgsState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ArgsState {
    /// Before the value, or in another one.
    #[default]
    Before,
    /// After the colon of the key.
    AtValue,
    Inside,
    After,
}

impl ArgsText {
    /// Takes the next piece of a body, and returns the part of it that is in the arguments.
    pub(crate) fn push<'a>(&mut self, piece: &'a str) -> &'a str {
        let mut begin = if self.state == ArgsState::Inside { 0 } else { piece.len() };
        for (at, byte) in piece.bytes().enumerate() {
            if self.in_string {
                self.string_byte(byte);
                continue;
            }
            match byte {
                b'"' => {
                    self.in_string = true;
                    if self.depth == 1 && self.state == ArgsState::Before {
                        self.key.clear();
                    }
                    self.leave_value();
                }
                b'{' | b'[' => {
                    self.depth += 1;
                    if self.state == ArgsState::AtValue && byte == b'{' {
                        self.state = ArgsState::Inside;
                        begin = at;
                    }
                    self.leave_value();
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.state == ArgsState::Inside && self.depth == 1 {
                        self.state = ArgsState::After;
                        return &piece[begin..=at];
                    }
                }
                b':' if self.depth == 1 && self.state == ArgsState::Before => {
                    if KEYS.contains(&self.key.as_str()) {
                        self.state = ArgsState::AtValue;
                    }
                }
                b' ' | b'\n' | b'\r' | b'\t' => {}
                _ => self.leave_value(),
            }
        }
        &piece[begin..]
    }

    /// A value other than an object has no arguments.
    fn leave_value(&mut self) {
        if self.state == ArgsState::AtValue {
            self.state = ArgsState::After;
        }
    }

    fn string_byte(&mut self, byte: u8) {
        if self.is_escaped {
            self.is_escaped = false;
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
            return;
        }
        // A key with an escape or a byte beyond ASCII does not count.
        if self.depth == 1 && self.state == ArgsState::Before && self.key.len() < MAX_KEY {
            self.key.push(char::from(byte));
        }
    }
}

/// One byte more than the longest key that counts.
const MAX_KEY: usize = 11;

#[cfg(test)]
mod tests {
    use super::ArgsText;

    /// The arguments of a body that comes in pieces of this many characters.
    fn args(body: &str, size: usize) -> String {
        let mut args = ArgsText::default();
        let chars: Vec<_> = body.chars().collect();
        let pieces = chars.chunks(size).map(|piece| piece.iter().collect::<String>());
        pieces.map(|piece| args.push(&piece).to_owned()).collect()
    }

    #[test]
    fn arguments_are_independent_of_chunking() {
        let cases = [
            (
                r#"{"name":"a","args":{"x":[1,{"y":"}"}],"z":"\"}é"}}"#,
                r#"{"x":[1,{"y":"}"}],"z":"\"}é"}"#,
            ),
            (r#"{ "parameters" : { } , "name" : "a" }"#, "{ }"),
            (r#"{"name":"args","other":{"args":{"x":1}}}"#, ""),
            (r#"{"name":"a","args":"{}","input":{"x":1}}"#, ""),
            (r#"{"name":"a","args":null}"#, ""),
            (r#"{"argsargsargs":{"x":1},"args":{"y":2}}"#, r#"{"y":2}"#),
            ("not JSON", ""),
        ];
        for (body, expected) in cases {
            for size in 1..=body.len() {
                assert_eq!(args(body, size), expected, "{body} in pieces of {size}");
            }
        }
    }

    #[test]
    fn truncated_body_yields_partial_arguments() {
        assert_eq!(args(r#"{"name":"a","args":{"x":"on"#, 3), r#"{"x":"on"#);
    }
}
