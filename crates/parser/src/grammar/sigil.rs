use silcrow_lex::{Dialect, Marker};

use super::regex::Regexes;
use super::rules::{Body, Part, Rule, exit, rule, text};
use super::text::{answer, thought};

/// P-15, up to the execution point.
pub(super) fn turn(regexes: &Regexes, calls: bool) -> Vec<Rule> {
    let literal = |marker| Dialect::Sigil.literal(marker);
    let mut sections = vec![
        (format!("{} ", literal(Marker::Think)), Some("thought")),
        (format!("{} ", literal(Marker::Respond)), Some("answer")),
        (literal(Marker::End).to_owned(), None),
    ];
    let call = format!("{} ", literal(Marker::Call));
    if calls {
        sections.push((call.clone(), Some("calls")));
    }
    let begin = |(literal, next): &(String, Option<&'static str>)| {
        [text(literal)].into_iter().chain(next.map(Part::Rule)).collect()
    };
    let exits = || {
        let more = sections.iter().map(|(literal, next)| exit(format!("\n{literal}"), *next));
        [exit("", None)].into_iter().chain(more).collect()
    };
    let (thought, answer) = (thought(regexes, Dialect::Sigil), answer(regexes, Dialect::Sigil));
    let mut rules = vec![
        rule("turn", sections.iter().map(begin).collect()),
        Rule { name: "thought", body: Body::Text(thought, exits()) },
        Rule { name: "answer", body: Body::Text(answer, exits()) },
    ];
    if calls {
        let execute = text(format!("\n{}", literal(Marker::Execute)));
        rules.extend([
            rule("calls", vec![vec![Part::Rule("call"), Part::Many("more_calls"), execute]]),
            rule("more_calls", vec![vec![text(format!("\n{call}")), Part::Rule("call")]]),
        ]);
    }
    rules
}
