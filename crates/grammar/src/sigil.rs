//! The turn of `sigil` (P-15), up to the execution point.

use silcrow_lex::{Delimiter, Dialect};

use crate::json::gap;
use crate::regex::Regexes;
use crate::rules::{GrammarRule, Symbol, TextExit, exit, many, nonterminal, rule, text, text_rule};
use crate::text::{answer, thought};

/// Returns the rules of a turn, with or without calls. Only after an answer the turn may end: a turn
/// that only thinks, or only ends, says nothing.
pub(crate) fn turn(regexes: &Regexes, has_calls: bool) -> Vec<GrammarRule> {
    let literal = |delimiter| Dialect::Sigil.literal(delimiter);
    let call = literal(Delimiter::Call);
    let sections = |thought: &'static str| {
        let mut sections = vec![
            (format!("{} ", literal(Delimiter::Think)), thought),
            (format!("{} ", literal(Delimiter::Respond)), "answer"),
        ];
        if has_calls {
            sections.push((call.to_owned(), "calls"));
        }
        sections
    };
    let begin = |(literal, next): &(String, &'static str)| -> Vec<Symbol> {
        vec![text(literal), nonterminal(*next)]
    };
    let continued = |thought: &'static str| -> Vec<TextExit> {
        let next = |(literal, next): &(String, _)| exit(format!("\n{literal}"), Some(*next));
        sections(thought).iter().map(next).collect()
    };
    let answered = || {
        let mut exits = continued("later_thought");
        exits.push(exit("", None));
        exits.push(exit(format!("\n{}", literal(Delimiter::End)), None));
        exits
    };
    let thought = thought(regexes, Dialect::Sigil);
    let mut rules = vec![
        rule("turn", sections("thought").iter().map(begin).collect()),
        text_rule("thought", thought, continued("thought")),
        text_rule("answer", answer(regexes, Dialect::Sigil), answered()),
        text_rule("later_thought", thought, answered()),
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
