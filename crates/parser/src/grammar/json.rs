use silcrow_event::Json;

use super::regex::{Re, Regexes};
use super::rules::{Part, Rule, many, part, rule, text};

/// How deep the arguments of a call nest at most. What has no bound, a small model may never leave;
/// and a reader stops at some depth (P-9).
const DEPTH: u32 = 32;

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
    let mut parts = vec![text("{"), gap()];
    parts.extend(member("name", part("name")));
    parts.extend([text(","), gap()]);
    parts.extend(member("args", part("object")));
    parts.push(text("}"));
    rule("call", vec![parts])
}

/// A member of this name, and the white space behind it.
pub(super) fn member(key: &str, value: Part) -> [Part; 6] {
    [text(Json::string(key)), gap(), text(":"), gap(), value, gap()]
}

/// White space between what JSON is made of.
pub(super) fn gap() -> Part {
    part("gap")
}

/// JSON values (RFC 8259), with little white space, numbers that end, and objects and arrays that
/// are a rule for each level.
pub(super) fn values(r: &Regexes, strings: &Strings) -> Vec<Rule> {
    let string = || Part::Token(strings.any);
    let number = Part::Token(r.name("NUMBER", number(r)));
    let indent = r.seq(&[r.text("\n"), r.repeat(r.of(" \t"), 0, Some(20))]);
    let blank = Part::Token(r.name("BLANK", r.any(&[r.text(" "), indent])));
    let plain = [string(), number, text("true"), text("false"), text("null")];
    let mut rules = vec![
        rule("gap", vec![vec![], vec![blank]]),
        rule("key", vec![vec![string(), gap(), text(":"), gap()]]),
        rule("plain", plain.map(|value| vec![value]).to_vec()),
    ];
    for depth in 1..=DEPTH {
        rules.extend(level(depth));
    }
    rules
}

/// What stands in the arguments at one depth; the outermost is the object of all.
fn level(depth: u32) -> Vec<Rule> {
    let at = |name: &str, depth: u32| match depth {
        1 => name.to_owned(),
        _ => format!("{name}_{depth}"),
    };
    let value = || match depth {
        DEPTH => part("plain"),
        _ => part(at("value", depth + 1)),
    };
    let listed = |open: &str, item: Vec<Part>, more: String, close: &str| {
        let empty = vec![text(open), gap(), text(close)];
        let items = [vec![text(open), gap()], item, vec![many(more), text(close)]].concat();
        vec![empty, items]
    };
    let pair = || vec![part("key"), value(), gap()];
    let behind_comma = |item: Vec<Part>| vec![[vec![text(","), gap()], item].concat()];
    let mut rules = vec![
        rule(at("object", depth), listed("{", pair(), at("more_members", depth), "}")),
        rule(at("more_members", depth), behind_comma(pair())),
    ];
    if depth > 1 {
        let item = || vec![value(), gap()];
        let values = [part(at("object", depth)), part(at("array", depth)), part("plain")];
        rules.extend([
            rule(at("array", depth), listed("[", item(), at("more_items", depth), "]")),
            rule(at("more_items", depth), behind_comma(item())),
            rule(at("value", depth), values.map(|value| vec![value]).to_vec()),
        ]);
    }
    rules
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
