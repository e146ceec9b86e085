use crate::Dialect;
use Dialect::{Phase, Sigil};

/// Text that is expensive for a search for delimiters, for pending text, or for following JSON.
pub(crate) struct Pattern {
    pub(crate) name: &'static str,
    pub(crate) dialect: Dialect,
    before: &'static str,
    /// The text that fills the first half, unless it is empty.
    half: &'static str,
    again: &'static str,
}

impl Pattern {
    /// Returns about `len` bytes of the pattern.
    pub(crate) fn text(&self, len: usize) -> String {
        let mut text = self.before.to_owned();
        if !self.half.is_empty() {
            text.push_str(&self.half.repeat(len / 2 / self.half.len()));
        }
        text.push_str(&self.again.repeat((len - text.len()) / self.again.len()));
        text
    }
}

const fn plain(name: &'static str, dialect: Dialect, again: &'static str) -> Pattern {
    Pattern { name, dialect, before: "", half: "", again }
}

const fn in_call(name: &'static str, again: &'static str) -> Pattern {
    Pattern { name, dialect: Sigil, before: CALL, half: "", again }
}

const CALL: &str = "§call: {\"name\": \"t\", \"args\": {\"a\": ";

pub(crate) const PATTERNS: &[Pattern] = &[
    plain("`§`", Sigil, "§"),
    plain("`§e`", Sigil, "§e"),
    plain("`\\n§en`", Sigil, "\n§en"),
    plain("`\\n§§en`", Sigil, "\n§§en"),
    plain("`\\n§call:`, a call a line", Sigil, "\n§call:"),
    plain("`°`, which begins as `§` does", Sigil, "°"),
    plain("`\\n` and a backtick", Sigil, "\n`"),
    plain("line breaks", Sigil, "\n"),
    Pattern {
        name: "blanks after `§execute`, then `§a`",
        dialect: Sigil,
        before: "§execute",
        half: " ",
        again: "§a",
    },
    plain("`<`", Phase, "<"),
    plain("`<e`", Phase, "<e"),
    Pattern {
        name: "`</execut` in a list of calls",
        dialect: Phase,
        before: "<execute>[",
        half: "",
        again: "</execut",
    },
    Pattern {
        name: "`</execut` in a call",
        dialect: Phase,
        before: "<execute>[{\"a\": ",
        half: "",
        again: "</execut",
    },
    in_call("backslashes in a string", "\"\\"),
    in_call("strings of a call", "\"\","),
    in_call("`§` in a call", "§"),
    in_call("deep brackets", "["),
    Pattern {
        name: "`\\\\` in one string",
        dialect: Sigil,
        before: "§call: {\"name\": \"t\", \"args\": {\"a\": \"",
        half: "",
        again: "\\\\",
    },
    Pattern {
        name: "`\\n§en` in one string",
        dialect: Sigil,
        before: "§call: {\"name\": \"t\", \"args\": {\"a\": \"",
        half: "",
        again: "\n§en",
    },
];
