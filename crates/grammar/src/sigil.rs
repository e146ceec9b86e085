//! The turn of `sigil` (P-15), up to the execution point.

use silcrow_lex::{Delimiter, Dialect};

use crate::json::gap;
use crate::regex::Regexes;
use crate::rules::{GrammarRule, Symbol, exit, many, nonterminal, rule, text, text_rule};
use crate::text::{answer, thought};

/// Returns the rules of a turn, with or without calls.
pub(crate) fn turn(regexes: &Regexes, has_calls: bool) -> Vec<GrammarRule> {
    let literal = |delimiter| Dialect::Sigil.literal(delimiter);
    let call = literal(Delimiter::Call);
    let mut sections = vec![
        (format!("{} ", literal(Delimiter::Think)), Some("thought")),
        (format!("{} ", literal(Delimiter::Respond)), Some("answer")),
        (literal(Delimiter::End).to_owned(), None),
    ];
    if has_calls {
        sections.push((call.to_owned(), Some("calls")));
    }
    let begin = |(literal, next): &(String, Option<&'static str>)| -> Vec<Symbol> {
        [text(literal)].into_iter().chain(next.map(nonterminal)).collect()
    };
    let exits = || {
        let more = sections.iter().map(|(literal, next)| exit(format!("\n{literal}"), *next));
        [exit("", None)].into_iter().chain(more).collect()
    };
    let mut rules = vec![
        rule("turn", sections.iter().map(begin).collect()),
        text_rule("thought", thought(regexes, Dialect::Sigil), exits()),
        text_rule("answer", answer(regexes, Dialect::Sigil), exits()),
    ];
    if has_calls {
        let execute = text(format!("\n{}", literal(Delimiter::Execute)));
        let more = vec![text(format!("\n{call}")), gap(), nonterminal("call")];
        rules.extend([
            rule("calls", vec![vec![gap(), nonterminal("call"), many("more_calls"), execute]]),
            rule("more_calls", vec![more]),
        ]);
    }
    rules
}
