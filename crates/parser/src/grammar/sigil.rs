use silcrow_lex::{Delimiter, Dialect};

use super::json::gap;
use super::regex::Regexes;
use super::rules::{Part, Rule, exit, flowing, many, part, rule, text};
use super::text::{answer, thought};

/// P-15, up to the execution point.
pub(super) fn turn(regexes: &Regexes, calls: bool) -> Vec<Rule> {
    let literal = |marker| Dialect::Sigil.literal(marker);
    let call = literal(Delimiter::Call);
    let mut sections = vec![
        (format!("{} ", literal(Delimiter::Think)), Some("thought")),
        (format!("{} ", literal(Delimiter::Respond)), Some("answer")),
        (literal(Delimiter::End).to_owned(), None),
    ];
    if calls {
        sections.push((call.to_owned(), Some("calls")));
    }
    let begin = |(literal, next): &(String, Option<&'static str>)| -> Vec<Part> {
        [text(literal)].into_iter().chain(next.map(part)).collect()
    };
    let exits = || {
        let more = sections.iter().map(|(literal, next)| exit(format!("\n{literal}"), *next));
        [exit("", None)].into_iter().chain(more).collect()
    };
    let mut rules = vec![
        rule("turn", sections.iter().map(begin).collect()),
        flowing("thought", thought(regexes, Dialect::Sigil), exits()),
        flowing("answer", answer(regexes, Dialect::Sigil), exits()),
    ];
    if calls {
        let execute = text(format!("\n{}", literal(Delimiter::Execute)));
        let more = vec![text(format!("\n{call}")), gap(), part("call")];
        rules.extend([
            rule("calls", vec![vec![gap(), part("call"), many("more_calls"), execute]]),
            rule("more_calls", vec![more]),
        ]);
    }
    rules
}
