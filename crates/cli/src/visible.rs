/// Text of a model, a tool or a file as a terminal may show it: tab and line break stay, CR LF
/// becomes LF, and every other character that could move the cursor, hide or reorder text is shown
/// by its number.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut visible = Visible::default();
    visible.push(text, &mut out);
    visible.finish(&mut out);
    out
}

/// The same on one line: a tab and a line break are shown by their numbers, too.
pub(crate) fn in_line(text: &str) -> String {
    visible(text).replace('\n', "\\x0a").replace('\t', "\\x09")
}

/// The same, piece by piece: however text is cut, the result is the same.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    /// A carriage return that may belong to a line break.
    cr: bool,
    /// The character before joins with others: a joiner behind it is no lone one.
    joins: bool,
}

impl Visible {
    pub(crate) fn push(&mut self, text: &str, out: &mut String) {
        for char in text.chars() {
            if std::mem::take(&mut self.cr) && char != '\n' {
                out.push_str("\\x0d");
            }
            match char {
                '\r' => self.cr = true,
                '\n' | '\t' => out.push(char),
                '\u{200c}' | '\u{200d}' if self.joins => out.push(char),
                '\0'..=' ' if char < ' ' => out.push_str(&format!("\\x{:02x}", char as u32)),
                '\u{7f}' => out.push_str("\\x7f"),
                _ if is_hidden(char) => out.push_str(&format!("\\u{{{:x}}}", char as u32)),
                _ => out.push(char),
            }
            self.joins = !char.is_ascii() && !is_hidden(char);
        }
    }

    pub(crate) fn finish(&mut self, out: &mut String) {
        if std::mem::take(&mut self.cr) {
            out.push_str("\\x0d");
        }
    }
}

fn is_hidden(char: char) -> bool {
    matches!(
        char,
        // C1
        '\u{80}'..='\u{9f}'
        // Bidirectional controls
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Zero width
        | '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
        // Line and paragraph separators, interlinear annotations
        | '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}'
        // Tags, supplementary variation selectors
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_hides_passes() {
        let hostile = "a\x1b[2Jb\x07\u{9b}31m\u{202e}x\u{200b}y\u{e0041}z\u{7f}\0\r";
        let shown = visible(hostile);
        assert!(shown.chars().all(|char| !char.is_control() && !is_hidden(char)), "{shown:?}");
        assert_eq!(
            shown,
            "a\\x1b[2Jb\\x07\\u{9b}31m\\u{202e}x\\u{200b}y\\u{e0041}z\\x7f\\x00\\x0d"
        );
    }

    #[test]
    fn ordinary_text_stays() {
        assert_eq!(visible("naïve 東京\t✓\r\n👩‍👩‍👧 ☀️"), "naïve 東京\t✓\n👩‍👩‍👧 ☀️");
    }

    #[test]
    fn it_is_the_same_for_every_cut() {
        let text = "a\r\nb\rc\r👩‍👧\u{200d}x\x1b";
        let whole = visible(text);
        for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            let mut out = String::new();
            let mut visible = Visible::default();
            visible.push(&text[..at], &mut out);
            visible.push(&text[at..], &mut out);
            visible.finish(&mut out);
            assert_eq!(out, whole);
        }
    }
}
