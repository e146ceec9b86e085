//! The rules of calls and of JSON values (RFC 8259).
//!
//! Objects and arrays are one rule per level of nesting, so that their depth is bounded.

use silcrow_event::Json;

use crate::regex::{RegexId, Regexes};
use crate::rules::{GrammarRule, Symbol, many, nonterminal, rule, text};

/// The maximal depth of a call's arguments. Without a bound, a small model may open brackets
/// forever; the parser has a higher limit (P-9).
const DEPTH: u32 = 32;

/// The JSON strings that decode to text, which have no lone surrogates.
pub(crate) struct JsonStrings {
    pub(crate) any: RegexId,
    char: RegexId,
}

impl JsonStrings {
    pub(crate) fn new(r: &Regexes) -> Self {
        let control: String = ('\0'..' ').collect();
        let plain = r.none_of(&format!("{control}\"\\"));
        let hex = "0123456789abcdefABCDEF";
        let (d, not_d) = (r.one_of("dD"), r.one_of(&hex.replace(['d', 'D'], "")));
        let hex = |count| r.repeat(r.one_of(hex), count, Some(count));
        let no_lone_surrogate = r.any(&[
            r.seq(&[not_d, hex(3)]),
            r.seq(&[d, r.one_of("01234567"), hex(2)]),
            r.seq(&[d, r.one_of("89abAB"), hex(2), r.text("\\u"), d, r.one_of("cdefCDEF"), hex(2)]),
        ]);
        let escape = r.any(&[r.one_of("\"\\/bfnrt"), r.seq(&[r.text("u"), no_lone_surrogate])]);
        let char = r.name("CHAR", r.any(&[plain, r.seq(&[r.text("\\"), escape])]));
        Self { any: r.name("STRING", quoted(r, r.many(char))), char }
    }

    /// Returns a string of 1 to 256 characters.
    pub(crate) fn short(&self, r: &Regexes) -> RegexId {
        r.name("SHORT_STRING", quoted(r, r.repeat(self.char, 1, Some(256))))
    }
}

fn quoted(r: &Regexes, inner: RegexId) -> RegexId {
    r.seq(&[r.text("\""), inner, r.text("\"")])
}

/// Returns the rule of a call (P-9): its name, then its arguments.
pub(crate) fn call(called: &[Symbol]) -> GrammarRule {
    rule("call", vec![[&[text("{"), gap()][..], called, &[text("}")]].concat()])
}

/// Returns the name of a call and its arguments, which are the member `key`.
pub(crate) fn called(name: Symbol, key: &str, args: Symbol) -> Vec<Symbol> {
    [&member("name", name)[..], &[text(","), gap()], &member(key, args)].concat()
}

/// Returns the symbols of a member, with the white space after it.
pub(crate) fn member(key: &str, value: Symbol) -> [Symbol; 4] {
    [text(Json::string(key)), nonterminal("colon"), value, gap()]
}

/// Returns optional white space between the tokens of JSON.
pub(crate) fn gap() -> Symbol {
    nonterminal("gap")
}

/// Returns the rules of JSON values, with bounds for white space, numbers and depth.
pub(crate) fn values(r: &Regexes, strings: &JsonStrings) -> Vec<GrammarRule> {
    let string = || Symbol::Token(strings.any);
    let number = Symbol::Token(r.name("NUMBER", number(r)));
    let indent = r.seq(&[r.text("\n"), r.repeat(r.one_of(" \t"), 0, Some(20))]);
    let blank = Symbol::Token(r.name("BLANK", r.any(&[r.text(" "), indent])));
    let plain = [string(), number, text("true"), text("false"), text("null")];
    let mut rules = vec![
        rule("gap", vec![vec![], vec![blank]]),
        rule("colon", vec![vec![gap(), text(":"), gap()]]),
        rule("key", vec![vec![string(), nonterminal("colon")]]),
        rule("plain", plain.map(|value| vec![value]).to_vec()),
    ];
    for depth in 1..=DEPTH {
        rules.extend(level(depth));
    }
    rules
}

/// Returns the rules of values at one depth; depth 1 is the object of all arguments.
fn level(depth: u32) -> Vec<GrammarRule> {
    let value = match depth {
        DEPTH => nonterminal("plain"),
        _ => nonterminal(value_at(depth + 1)),
    };
    let pair = vec![nonterminal("key"), value.clone(), gap()];
    let item = vec![value, gap()];
    let (pairs, items) = (format!("pairs_{depth}"), format!("items_{depth}"));
    let listed = |open: &str, list: &str, close: &str| {
        vec![text(open), gap(), nonterminal(list.to_owned()), text(close)]
    };
    // The items, and those behind a comma.
    let rules = |list: String, item: Vec<Symbol>| {
        let more = format!("more_{list}");
        let after_comma = [&[text(","), gap()][..], &item].concat();
        let full = [item, vec![many(more.clone())]].concat();
        [rule(list, vec![vec![], full]), rule(more, vec![after_comma])]
    };
    let object = listed("{", &pairs, "}");
    if depth == 1 {
        return [rule("object", vec![object])].into_iter().chain(rules(pairs, pair)).collect();
    }
    let array = listed("[", &items, "]");
    let values = rule(value_at(depth), vec![object, array, vec![nonterminal("plain")]]);
    [values].into_iter().chain(rules(pairs, pair)).chain(rules(items, item)).collect()
}

/// Returns the name of the values at a depth.
pub(crate) fn value_at(depth: u32) -> String {
    format!("v{depth}")
}

/// Returns a number that fits into a double.
pub(crate) fn number(r: &Regexes) -> RegexId {
    let whole = r.any(&[r.text("0"), r.seq(&[r.one_of("123456789"), digits(r, 0, 31)])]);
    let fraction = r.seq(&[r.text("."), digits(r, 1, 32)]);
    let exponent = r.seq(&[r.one_of("eE"), r.optional(r.one_of("+-")), digits(r, 1, 2)]);
    r.seq(&[r.optional(r.text("-")), whole, r.optional(fraction), r.optional(exponent)])
}

/// Returns from `min` to `max` digits.
pub(crate) fn digits(r: &Regexes, min: u32, max: u32) -> RegexId {
    r.repeat(r.one_of("0123456789"), min, Some(max))
}
