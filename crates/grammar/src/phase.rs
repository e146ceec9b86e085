//! The turn of `phase` (P-15 to P-17), up to the execution point.

use silcrow_lex::{Delimiter, Dialect};

use crate::json::gap;
use crate::regex::Regexes;
use crate::rules::{GrammarRule, exit, many, nonterminal, rule, text, text_rule};
use crate::text::{answer, between_tags, thought};

/// Returns the rules of a turn, with or without calls. Only after an answer the turn may end: a turn
/// that only thinks, or only ends, says nothing.
pub(crate) fn turn(regexes: &Regexes, has_calls: bool) -> Vec<GrammarRule> {
    let literal = |delimiter| Dialect::Phase.literal(delimiter);
    let (think, think_end) = (literal(Delimiter::Think), literal(Delimiter::ThinkEnd));
    let (list, end) = (literal(Delimiter::Calls), literal(Delimiter::End));
    let begin = |thought: &'static str| {
        let mut begin = vec![vec![text(think), nonterminal(thought)], vec![nonterminal("answer")]];
        if has_calls {
            begin.push(vec![text(list), nonterminal("calls")]);
        }
        begin
    };
    let mut later = begin("later_thought");
    later.push(vec![text(end)]);
    let mut exits = vec![
        exit("", None),
        exit(format!("\n{think}"), Some("thought_or_answer")),
        exit(format!("\n{end}"), None),
    ];
    if has_calls {
        exits.push(exit(format!("\n{list}"), Some("calls")));
    }
    let close = |next| vec![exit(think_end, Some(next))];
    let then = |next: &'static str, lines: usize| {
        let mut then = vec![text("\n"); lines];
        then.push(nonterminal(next));
        then
    };
    let thought = between_tags(regexes, Dialect::Phase, thought(regexes, Dialect::Phase));
    // An empty thought separates two consecutive answers (P-5).
    let separated = vec![text(format!("{think_end}\n")), nonterminal("answer")];
    let thought = regexes.name("THOUGHT", thought);
    let mut rules = vec![
        rule("turn", begin("thought")),
        // A blank line may follow a thought.
        rule("more", vec![then("turn", 1), then("turn", 2)]),
        rule("later_turn", later),
        rule("later", vec![vec![], then("later_turn", 1), then("later_turn", 2)]),
        text_rule("thought", thought, close("more")),
        text_rule("later_thought", thought, close("later")),
        text_rule("answer", answer(regexes, Dialect::Phase), exits),
        rule("thought_or_answer", vec![vec![nonterminal("later_thought")], separated]),
    ];
    if has_calls {
        let open = [gap(), text("["), gap(), nonterminal("call"), gap(), many("more_calls")];
        let close = [text("]"), gap(), text(literal(Delimiter::Execute))];
        rules.extend([
            rule("calls", vec![[&open[..], &close].concat()]),
            rule("more_calls", vec![vec![text(","), gap(), nonterminal("call"), gap()]]),
        ]);
    }
    rules
}
