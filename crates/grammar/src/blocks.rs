//! The control blocks of `action` (section 10): their tags and contents.
//!
//! Blocks are one rule per level of nesting, so that their depth is bounded.

use silcrow_event::ParallelJoin;

use crate::json::digits;
use crate::regex::{RegexId, Regexes};
use crate::rules::{GrammarRule, Symbol, many, nonterminal, rule, text};

/// The greatest number of blocks inside each other.
const DEPTH: u32 = 8;

/// Returns the rules of blocks, of which the first is the rule `block`. A block has actions and blocks,
/// each on a new line. `seconds` is the token of a time.
pub(crate) fn blocks(r: &Regexes, seconds: &Symbol) -> Vec<GrammarRule> {
    let name = Symbol::Token(r.name("BLOCK_NAME", name(r)));
    let expression = Symbol::Token(r.name("EXPRESSION", expression(r)));
    let count = Symbol::Token(r.name("BLOCK_COUNT", count(r)));
    let attribute =
        |key: &str, value: &Symbol| [text(format!(" {key}=\"")), value.clone(), text("\"")];
    let maybe = |rule_name: &'static str, key: &str, value: &Symbol| {
        rule(rule_name, vec![vec![], attribute(key, value).to_vec()])
    };
    let word = |rule_name: &'static str, key: &str, words: &[&str]| {
        let words = words.iter().map(|word| vec![text(format!(" {key}=\"{word}\""))]);
        rule(rule_name, std::iter::once(Vec::new()).chain(words).collect())
    };
    let tag = |name: &str, attributes: &[&[Symbol]], end: &str| {
        let begin = [text(format!("<{name}"))];
        [&begin[..], &attributes.concat(), &[text(end)]].concat()
    };
    let one = |rule: &'static str| [nonterminal(rule)];
    let own = |rules: &[&'static str]| -> Vec<Symbol> {
        rules.iter().map(|rule| nonterminal(*rule)).collect()
    };
    let each = own(&["block_index", "max_parallel", "limit", "block_policy", "block_key"]);
    let mut rules = Vec::new();
    for depth in 1..=DEPTH {
        rules.extend(level(depth));
    }
    let in_and_as = [attribute("in", &expression), attribute("as", &name)].concat();
    rules.extend([
        rule(
            "if_tag",
            vec![tag(
                "if",
                &[&one("block_id"), &attribute("test", &expression), &one("block_key")],
                ">",
            )],
        ),
        rule("foreach_tag", vec![tag("foreach", &[&one("block_id"), &in_and_as, &each], ">")]),
        rule(
            "parallel_tag",
            vec![tag(
                "parallel",
                &[&own(&["block_id", "join", "max", "block_timeout", "block_key"])],
                ">",
            )],
        ),
        rule(
            "transaction_tag",
            vec![tag("transaction", &[&own(&["block_id", "block_timeout", "block_key"])], ">")],
        ),
        rule(
            "value_tag",
            vec![tag("value", &[&one("value_name"), &attribute("expr", &expression)], "/>")],
        ),
        rule(
            "value_name",
            vec![
                attribute("name", &name).to_vec(),
                [attribute("id", &name).to_vec(), one("value_alias").to_vec()].concat(),
            ],
        ),
        maybe("value_alias", "name", &name),
        maybe("block_id", "id", &name),
        maybe("block_index", "index", &name),
        maybe("max_parallel", "max_parallel", &count),
        maybe("limit", "limit", &count),
        maybe("max", "max", &count),
        maybe("block_timeout", "timeout", seconds),
        maybe("block_key", "output_key", &name),
        word("block_policy", "on_error", &["fail", "skip"]),
        word("join", "join", &ParallelJoin::ALL.map(ParallelJoin::as_str)),
    ]);
    rules
}

/// Returns the rules of the blocks at one depth.
fn level(depth: u32) -> [GrammarRule; 3] {
    let at = |name: &str, depth: u32| match depth {
        1 => name.to_owned(),
        _ => format!("{name}{depth}"),
    };
    let body = || many(at("line", depth));
    let end = |name: &str| [text("\n"), text(format!("</{name}>"))];
    let simple =
        |name: &str, tag: &'static str| [&[nonterminal(tag), body()][..], &end(name)].concat();
    let choice =
        [&[nonterminal("if_tag"), body(), nonterminal(at("else", depth))][..], &end("if")].concat();
    let mut inner = vec![vec![text("\n"), nonterminal("action")]];
    if depth < DEPTH {
        inner.push(vec![text("\n"), nonterminal(at("block", depth + 1))]);
    }
    [
        rule(
            at("block", depth),
            vec![
                choice,
                simple("foreach", "foreach_tag"),
                simple("parallel", "parallel_tag"),
                simple("transaction", "transaction_tag"),
                vec![nonterminal("value_tag")],
            ],
        ),
        rule(at("else", depth), vec![vec![], vec![text("\n"), text("<else>"), body()]]),
        rule(at("line", depth), inner),
    ]
}

/// Returns a name of at most 40 letters, so that a tag stays short enough (P-19).
fn name(r: &Regexes) -> RegexId {
    let first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    let more = r.repeat(r.one_of(&format!("{first}0123456789")), 0, Some(39));
    r.seq(&[r.one_of(first), more])
}

/// Returns an expression in double quotes, of at most 400 characters of ASCII. The wire form does
/// not say whether it can be evaluated.
fn expression(r: &Regexes) -> RegexId {
    let chars = |first: char| {
        let first = first..='~';
        r.one_of(&first.filter(|char| *char != '"').collect::<String>())
    };
    r.seq(&[chars('!'), r.repeat(chars(' '), 0, Some(399))])
}

/// Returns a number from 1 to 9,999,999.
fn count(r: &Regexes) -> RegexId {
    r.seq(&[r.one_of("123456789"), digits(r, 0, 6)])
}
