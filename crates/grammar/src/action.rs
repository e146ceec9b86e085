//! The turn of `action` (P-19 to P-22): its sections, and the attributes and members of an action.

use silcrow_event::{CallKind, CallMode, Json, OnError};
use silcrow_lex::{Delimiter, Dialect};

use crate::blocks::blocks;
use crate::json::{JsonStrings, digits, gap, member};
use crate::regex::{RegexId, Regexes};
use crate::rules::{GrammarRule, Symbol, exit, many, nonterminal, rule, text, text_rule};
use crate::text::{answer, between_tags, thought, unclosed};

fn literal(delimiter: Delimiter) -> &'static str {
    Dialect::Action.literal(delimiter)
}

/// Returns the rules of a turn: thoughts, answers that are not final, actions and control blocks in any
/// order, each on a new line. A turn does more than think. A final answer ends it, and may not follow an action,
/// because the model has not read the result yet; there, `<results>` ends the turn (P-10).
pub(crate) fn turn(regexes: &Regexes, has_calls: bool) -> Vec<GrammarRule> {
    let lines = |text| between_tags(regexes, Dialect::Action, text);
    let close = |delimiter, next| vec![exit(literal(delimiter), next)];
    let begin = |opening: String, next: &'static str| vec![text(opening), nonterminal(next)];
    let respond =
        |attribute: &str| literal(Delimiter::Respond).replace('>', &format!("{attribute}>"));
    let sections = |thought: &'static str, word: &'static str| {
        let mut sections = vec![
            begin(literal(Delimiter::Think).to_owned(), thought),
            begin(respond(" final=\"false\""), word),
        ];
        if has_calls {
            sections.push(vec![nonterminal("action"), nonterminal("acted")]);
            sections.push(vec![nonterminal("block"), nonterminal("acted")]);
        }
        sections
    };
    let answered = |thought: &'static str| {
        let answers =
            ["", " final=\"true\""].map(|attribute| begin(respond(attribute), "last_word"));
        [sections(thought, "first_word"), answers.to_vec()].concat()
    };
    let then = |next: &'static str| vec![text("\n"), nonterminal(next)];
    // A response tag at a line's start closes a thought (P-19).
    let thought = regexes.all(&[lines(thought(regexes, Dialect::Action)), unclosed(regexes)]);
    let thought = regexes.name("THOUGHT", thought);
    let answer = regexes.name("ANSWER", lines(answer(regexes, Dialect::Action)));
    let mut rules = vec![
        rule("turn", answered("first_thought")),
        rule("more", vec![then("turn")]),
        rule("later_turn", answered("later_thought")),
        rule("later", vec![vec![], then("later_turn")]),
        text_rule("first_thought", thought, close(Delimiter::ThinkEnd, Some("more"))),
        text_rule("later_thought", thought, close(Delimiter::ThinkEnd, Some("later"))),
        text_rule("first_word", answer, close(Delimiter::RespondEnd, Some("later"))),
        text_rule("last_word", answer, close(Delimiter::RespondEnd, None)),
    ];
    if has_calls {
        let mut acting = sections("acting_thought", "acting_word");
        acting.push(vec![text(literal(Delimiter::Results))]);
        rules.extend([
            rule("acting", acting),
            rule("acted", vec![vec![], then("acting")]),
            text_rule("acting_thought", thought, close(Delimiter::ThinkEnd, Some("acted"))),
            text_rule("acting_word", answer, close(Delimiter::RespondEnd, Some("acted"))),
        ]);
    }
    rules
}

/// Returns the rules of an action (P-20). Its id is in the tag or in the body. The other fields are
/// optional.
pub(crate) fn calls(
    regexes: &Regexes,
    strings: &JsonStrings,
    called: &[Symbol],
) -> Vec<GrammarRule> {
    let open = text(literal(Delimiter::Call).trim_end_matches('>'));
    let attributes = [open, nonterminal("kind"), nonterminal("mode")];
    let id = [Symbol::Token(regexes.name("ID_IN_TAG", id_in_tag(regexes)))];
    let fields = ["output_key", "depends_on", "timeout", "retry", "on_error", "compensate", "show"]
        .map(nonterminal);
    let undo = [&[text("{"), gap(), nonterminal("undo_kind")][..], called, &[text("}")]].concat();
    let undo_kind = [&member("type", nonterminal("undo_types"))[..], &[text(","), gap()]].concat();
    let end = [text("}"), gap(), text(literal(Delimiter::CallEnd))];
    let head = [&[gap(), text("{"), gap()][..], called].concat();
    let in_tag = [&id[..], &[text(">"), nonterminal("head")]].concat();
    let in_body = vec![text(">"), nonterminal("head"), nonterminal("id")];
    let action = [&attributes[..], &[nonterminal("named")], &fields, &end].concat();
    let short = || Symbol::Token(strings.short(regexes));
    let ids = [text("["), gap(), short(), gap(), many("more_ids"), text("]")];
    let seconds = Symbol::Token(regexes.name("SECONDS", seconds(regexes)));
    let count = Symbol::Token(regexes.name("COUNT", up_to(regexes, &u32::MAX.to_string())));
    let attribute = |name: &str| {
        vec![vec![], vec![text(format!(" {name}=\"")), nonterminal(format!("{name}s"))]]
    };
    let word = |word: &str| vec![text(format!("{word}\""))];
    let blocks = blocks(regexes, &seconds);
    let mut rules = vec![
        rule("action", vec![action]),
        rule("named", vec![in_tag, in_body]),
        rule("head", vec![head]),
        rule("kind", attribute("type")),
        rule("types", CallKind::ALL.map(|kind| word(kind.as_str())).to_vec()),
        rule("mode", attribute("mode")),
        rule("modes", CallMode::ALL.map(|mode| word(mode.as_str())).to_vec()),
        field("id", short()),
        field("output_key", Symbol::Token(strings.any)),
        field("depends_on", nonterminal("ids")),
        rule("ids", vec![ids.to_vec()]),
        rule("more_ids", vec![vec![text(","), gap(), short(), gap()]]),
        field("timeout", seconds.clone()),
        field("retry", count),
        field("on_error", nonterminal("policy")),
        field("compensate", nonterminal("undo")),
        field("show", nonterminal("shown")),
        rule("shown", vec![vec![text("true")], vec![text("false")]]),
        rule("undo", vec![undo]),
        rule("undo_kind", vec![vec![], undo_kind]),
        rule(
            "undo_types",
            CallKind::ALL.map(|kind| vec![text(Json::string(kind.as_str()))]).to_vec(),
        ),
        rule(
            "policy",
            OnError::ALL.map(|policy| vec![text(Json::string(policy.as_str()))]).to_vec(),
        ),
    ];
    rules.extend(blocks);
    rules
}

/// Returns the rule of an optional member.
fn field(name: &'static str, value: Symbol) -> GrammarRule {
    rule(name, vec![vec![], [&[text(","), gap()][..], &member(name, value)].concat()])
}

/// Returns the id in a tag. Its bound is in characters, and low enough that any characters fit.
fn id_in_tag(r: &Regexes) -> RegexId {
    let quoted = |quote: &str| {
        let id = r.repeat(r.none_of(&format!("<{quote}")), 1, Some(240));
        r.seq(&[r.text(&format!(" id={quote}")), id, r.text(quote)])
    };
    r.any(&[quoted("\""), quoted("'")])
}

/// Returns a number that is not negative and fits into a double.
fn seconds(r: &Regexes) -> RegexId {
    let whole = r.any(&[r.text("0"), r.seq(&[r.one_of("123456789"), digits(r, 0, 15)])]);
    let fraction = r.seq(&[r.text("."), digits(r, 1, 32)]);
    let exponent = r.seq(&[r.text("e"), r.optional(r.text("-")), digits(r, 1, 2)]);
    r.seq(&[whole, r.optional(fraction), r.optional(exponent)])
}

/// Returns the numbers from 0 to `last`.
fn up_to(r: &Regexes, last: &str) -> RegexId {
    let shorter = r.seq(&[r.one_of("123456789"), digits(r, 0, last.len() as u32 - 2)]);
    let mut numbers = vec![r.text("0"), shorter, r.text(last)];
    for (at, digit) in last.char_indices() {
        // The digits of `last` up to here, and then a lower one.
        let low = if at == 0 { '1' } else { '0' };
        if low < digit {
            let lower = r.set([(low, (digit as u8 - 1) as char)].into_iter().collect());
            let rest = (last.len() - at - 1) as u32;
            numbers.push(r.seq(&[r.text(&last[..at]), lower, digits(r, rest, rest)]));
        }
    }
    r.any(&numbers)
}
