//! Every text that consists of a few pieces.

use silcrow_grammar::Dialect;

use crate::agreement::Both;
use crate::gbnf::Gbnf;

/// A prefix, the pieces between, of which a text has up to three, and a suffix.
type Case = (&'static str, &'static [&'static str], &'static str);

#[track_caller]
fn check(dialect: Dialect, cases: &[Case]) {
    let mut both = Both::new(dialect, None);
    for (prefix, pieces, suffix) in cases {
        let mut texts = Texts { both: &mut both, pieces, suffix, accepted: 0, rejected: 0 };
        texts.both.engine.restart();
        let at = texts.both.gbnf.after(Gbnf::START, prefix);
        assert_eq!(texts.both.engine.consume(prefix), prefix.len());
        texts.go(prefix, true, at, 3);
        let Texts { accepted, rejected, .. } = texts;
        assert!(accepted > 1 && rejected > 3, "{accepted} and {rejected} of {prefix:?}");
    }
}

struct Texts<'a> {
    both: &'a mut Both,
    pieces: &'static [&'static str],
    suffix: &'static str,
    accepted: u32,
    rejected: u32,
}

impl Texts<'_> {
    /// Checks all texts that begin with `text` and have up to `more` further pieces. If `open`, the
    /// engine has accepted `text` as a prefix.
    fn go(&mut self, text: &str, open: bool, at: crate::gbnf::StackSet, more: u32) {
        let end = self.both.gbnf.after(at, self.suffix);
        let accepted = self.both.gbnf.may_end(end);
        if open {
            let taken = self.both.engine.consume(self.suffix);
            let ended = taken == self.suffix.len() && self.both.engine.may_end();
            self.both.engine.pop(taken);
            assert_eq!(ended, accepted, "the formats differ: {text:?}{:?}", self.suffix);
        } else {
            assert!(!accepted, "the formats differ: {text:?}{:?}", self.suffix);
        }
        let wire = format!("{text}{}", self.suffix);
        if accepted {
            self.accepted += 1;
            self.both.check_accepted(&wire);
        } else {
            self.rejected += 1;
            assert!(!self.both.is_well_formed(&wire), "well-formed, but rejected: {wire:?}");
        }
        for piece in self.pieces.iter().filter(|_| more > 0) {
            let taken = if open { self.both.engine.consume(piece) } else { 0 };
            let next = self.both.gbnf.after(at, piece);
            self.go(&format!("{text}{piece}"), open && taken == piece.len(), next, more - 1);
            self.both.engine.pop(taken);
        }
    }
}

const CALL: &str = "{\"name\":\"t\",\"args\":{}}";
const ACTION: &str = "{\"name\":\"t\",\"parameters\":{}}";

#[test]
fn sigil() {
    check(
        Dialect::Sigil,
        &[
            (
                "",
                &["§end", "§think: ", "§respond: ", "§result:", "§execute", "§", "\n", " ", "x"],
                "",
            ),
            ("§respond: ", &["§", "§end", "\n", "`", "```", "~", "~~~", " ", "x", "\t"], ""),
            ("§respond: ", &["§", "\n", "```", "````", "   ", "x", "§end", "\n```"], "\n§end"),
            (
                "§think: ",
                &["§", "\n", "```", "e", "end", "_", "§think:", "\n§execute", "call:"],
                "\n§respond: a",
            ),
            (
                "§call:",
                &["\n", " ", CALL, "\n§call:", "```", "\n§execute", "§execute"],
                "\n§execute",
            ),
            (
                "§call: {\"name\":\"t\",\"args\":",
                &["{", "}", "[", "]", "\"a\"", ":", ",", "1", "\"a\":", "\n", "{}"],
                "}\n§execute",
            ),
            (
                "§call: {\"name\":\"t\",\"args\":{\"a\":",
                &["1", "0", "-", "+", ".", "e", "E", "true"],
                "}}\n§execute",
            ),
            (
                "§call: {\"name\":\"t\",\"args\":{\"a\":\"",
                &["\\", "u", "d83d", "\\ude00", "n", "\"", "x", "00e9", "\u{7f}", "\t", "\n§end"],
                "\"}}\n§execute",
            ),
            (
                "§call: {\"name\":\"",
                &["\\", "u0041", "\"", "x", "\",\"args\":{}}\n§call:{\"name\":\"", "§end", "/"],
                "\",\"args\":{}}\n§execute",
            ),
        ],
    );
}

#[test]
fn phase() {
    check(
        Dialect::Phase,
        &[
            (
                "",
                &["<end>", "<think>", "</think>", "<execute>", "<results>", "<", "\n", " ", "x"],
                "",
            ),
            ("", &["<", "<end>", "\n", "`", "```", "~~~", " ", "x", "end>", "\t"], ""),
            ("a\n", &["<", "<end>", "\n", "````", "```", "~~~", "   ", "x"], "\n<end>"),
            ("a", &["<think></think>", "\n", "<think>", "b", "\n</think>", "<"], "\n<end>"),
            ("<think>", &["<", "/think>", "</think", ">", "\n", "```", " ", "x"], "</think>\na"),
            (
                "a\n<execute>",
                &["[", "]", CALL, ",", "\n", " ", "\t", "```", "[{\"name\":\"t\",\"args\":{}}"],
                "]</execute>",
            ),
            (
                "<execute>\n[\n  {\"name\":\"t\",\"args\":{}}",
                &["\n]\n</execute>", ",\n  ", CALL, "\n<end>", "<think>x\n</think>", "]"],
                "\n]\n</execute>",
            ),
        ],
    );
}

#[test]
fn action() {
    check(
        Dialect::Action,
        &[
            (
                "<thought>a",
                &["</thought>", "<thought>", "<response>", "</response>", "<!--", "<", "\n", "x"],
                "</thought>\n<response>a</response>",
            ),
            ("<response>", &["<", "/response>", "\n", "`", "```", "~~~", " ", "x"], "</response>"),
            (
                "<response final=\"false\">",
                &["<", "</response>", "\n", "````", "```", "`", "   ", "x"],
                "\n</response>\n<thought>b\n</thought>",
            ),
            (
                "<thought>",
                &["<", "<action", " ", ">", "<action>", "\n", "x", "a=", "\"", "[", "<response>"],
                "</thought>\n<response>a</response>",
            ),
            (
                "<thought>",
                &["<", "\n<response", ">", " ", "\n", "<response>"],
                "\n</thought>\n<response>a</response>",
            ),
            (
                "<action>",
                &[ACTION, "</action>", "\n", " ", "x", "\n<action>", "<thought>x</thought>\n"],
                "</action>",
            ),
            (
                "<action",
                &[" type=\"tool\"", " mode=\"sync\"", " id=\"x\"", " id='y'", " type=\"x\"", "\n"],
                ">{\"name\":\"t\",\"parameters\":{}}</action>",
            ),
            (
                "<action type=\"tool\" mode=\"sync\" id=\"x",
                &["\"", "'", ">", "<", "=", " ", "\n", "/", "é"],
                "\">{\"name\":\"t\",\"parameters\":{}}</action>",
            ),
            (
                "<action>{\"name\":\"t\",\"parameters\":{}",
                &[
                    ",\"id\":\"x\"",
                    ",\"output_key\":\"\"",
                    ",\"depends_on\":[",
                    "\"a\"",
                    ",",
                    "]",
                    ",\"timeout\":1.5",
                    "0",
                    ",\"retry\":3",
                    ",\"on_error\":\"skip\"",
                    ",\"on_error\":\"stop\"",
                    " ",
                ],
                "}</action>",
            ),
            (
                "<action>{\"name\":\"t\",\"parameters\":{},\"timeout\":",
                &["1", "0", "-", "+", ".", "e", "E", "5"],
                "}</action>",
            ),
            (
                "<action>{\"name\":\"t\",\"parameters\":{},\"retry\":",
                &["1", "0", "-", "4294967295", "429496729", "6", "9", "e"],
                "}</action>",
            ),
        ],
    );
}
