use silcrow_event::Json;

use super::regex::{Re, Regexes};
use super::rules::{Part, Rule, rule, text};

/// JSON strings that hold text: no half of a surrogate pair alone.
pub(super) struct Strings {
    pub(super) any: Re,
    char: Re,
}

impl Strings {
    pub(super) fn new(r: &Regexes) -> Self {
        let control: String = ('\0'..' ').collect();
        let plain = r.but(&format!("{control}\"\\"));
        let hex = "0123456789abcdefABCDEF";
        let (d, not_d) = (r.of("dD"), r.of(&hex.replace(['d', 'D'], "")));
        let hex = |count| r.repeat(r.of(hex), count, Some(count));
        let no_half = r.any(&[
            r.seq(&[not_d, hex(3)]),
            r.seq(&[d, r.of("01234567"), hex(2)]),
            r.seq(&[d, r.of("89abAB"), hex(2), r.text("\\u"), d, r.of("cdefCDEF"), hex(2)]),
        ]);
        let behind = r.any(&[r.of("\"\\/bfnrt"), r.seq(&[r.text("u"), no_half])]);
        let char = r.name("CHAR", r.any(&[plain, r.seq(&[r.text("\\"), behind])]));
        Self { any: r.name("STRING", quoted(r, r.many(char))), char }
    }

    /// Neither empty nor long.
    pub(super) fn some(&self, r: &Regexes) -> Re {
        r.name("SHORT_STRING", quoted(r, r.repeat(self.char, 1, Some(256))))
    }
}

fn quoted(r: &Regexes, inner: Re) -> Re {
    r.seq(&[r.text("\""), inner, r.text("\"")])
}

/// A call (P-9): the name, then the arguments.
pub(super) fn call() -> Rule {
    let mut parts = vec![text("{"), GAP];
    parts.extend(member(text(Json::string("name")), "name"));
    parts.extend([text(","), GAP]);
    parts.extend(member(text(Json::string("args")), "object"));
    parts.push(text("}"));
    rule("call", vec![parts])
}

/// JSON values (RFC 8259), with little white space, and numbers that end.
pub(super) fn values(r: &Regexes, strings: &Strings) -> Vec<Rule> {
    let string = Part::Token(strings.any);
    let number = Part::Token(r.name("NUMBER", number(r)));
    let indent = r.seq(&[r.text("\n"), r.repeat(r.of(" \t"), 0, Some(20))]);
    let blank = Part::Token(r.name("BLANK", r.any(&[r.text(" "), indent])));
    let list = |open: &str, item: &'static str, more: &'static str, close: &str| {
        let empty = vec![text(open), GAP, text(close)];
        let items = vec![text(open), GAP, Part::Rule(item), Part::Many(more), text(close)];
        vec![empty, items]
    };
    let more = |item| vec![vec![text(","), GAP, Part::Rule(item)]];
    let values = [
        Part::Rule("object"),
        Part::Rule("array"),
        string.clone(),
        number,
        text("true"),
        text("false"),
        text("null"),
    ];
    vec![
        rule("object", list("{", "member", "more_members", "}")),
        rule("member", vec![member(string, "value").to_vec()]),
        rule("more_members", more("member")),
        rule("array", list("[", "item", "more_items", "]")),
        rule("item", vec![vec![Part::Rule("value"), GAP]]),
        rule("more_items", more("item")),
        rule("value", values.map(|value| vec![value]).to_vec()),
        rule("gap", vec![vec![], vec![blank]]),
    ]
}

const GAP: Part = Part::Rule("gap");

fn member(key: Part, value: &'static str) -> [Part; 6] {
    [key, GAP, text(":"), GAP, Part::Rule(value), GAP]
}

/// A number that fits into a double.
fn number(r: &Regexes) -> Re {
    let whole = r.any(&[r.text("0"), r.seq(&[r.of("123456789"), digits(r, 0, 31)])]);
    let fraction = r.seq(&[r.text("."), digits(r, 1, 32)]);
    let exponent = r.seq(&[r.of("eE"), r.maybe(r.of("+-")), digits(r, 1, 2)]);
    r.seq(&[r.maybe(r.text("-")), whole, r.maybe(fraction), r.maybe(exponent)])
}

/// So many digits.
pub(super) fn digits(r: &Regexes, min: u32, max: u32) -> Re {
    r.repeat(r.of("0123456789"), min, Some(max))
}
