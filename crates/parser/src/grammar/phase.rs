use silcrow_lex::{Dialect, Marker};

use super::regex::Regexes;
use super::rules::{Body, Part, Rule, exit, rule, text};
use super::text::{answer, thought};

/// P-15 to P-17, up to the execution point.
pub(super) fn turn(regexes: &Regexes, calls: bool) -> Vec<Rule> {
    let literal = |marker| Dialect::Phase.literal(marker);
    let (think, think_end) = (literal(Marker::Think), literal(Marker::ThinkEnd));
    let end = literal(Marker::End);
    let list = format!("{}\n[\n  ", literal(Marker::Calls));
    let mut begin =
        vec![vec![text(think), Part::Rule("thought")], vec![Part::Rule("answer")], vec![text(end)]];
    let mut exits = vec![
        exit("", None),
        exit(format!("\n{think}"), Some("thought_or_answer")),
        exit(format!("\n{end}"), None),
    ];
    if calls {
        begin.push(vec![text(&list), Part::Rule("calls")]);
        exits.push(exit(format!("\n{list}"), Some("calls")));
    }
    let close = vec![exit(format!("\n{think_end}"), Some("more"))];
    let (thought, answer) = (thought(regexes, Dialect::Phase), answer(regexes, Dialect::Phase));
    // Two answers in a row are parted by an empty thought (P-5).
    let parted = vec![text(format!("{think_end}\n")), Part::Rule("answer")];
    let mut rules = vec![
        rule("turn", begin),
        rule("more", vec![vec![], vec![text("\n"), Part::Rule("turn")]]),
        Rule { name: "thought", body: Body::Text(thought, close) },
        Rule { name: "answer", body: Body::Text(answer, exits) },
        rule("thought_or_answer", vec![vec![Part::Rule("thought")], parted]),
    ];
    if calls {
        let execute = text(format!("\n]\n{}", literal(Marker::Execute)));
        rules.extend([
            rule("calls", vec![vec![Part::Rule("call"), Part::Many("more_calls"), execute]]),
            rule("more_calls", vec![vec![text(",\n  "), Part::Rule("call")]]),
        ]);
    }
    rules
}
