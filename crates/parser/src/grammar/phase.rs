use silcrow_lex::{Delimiter, Dialect};

use super::json::gap;
use super::regex::Regexes;
use super::rules::{Rule, exit, flowing, many, part, rule, text};
use super::text::{answer, between_tags, thought};

/// P-15 to P-17, up to the execution point.
pub(super) fn turn(regexes: &Regexes, calls: bool) -> Vec<Rule> {
    let literal = |marker| Dialect::Phase.literal(marker);
    let (think, think_end) = (literal(Delimiter::Think), literal(Delimiter::ThinkEnd));
    let (list, end) = (literal(Delimiter::Calls), literal(Delimiter::End));
    let mut begin = vec![vec![text(think), part("thought")], vec![part("answer")], vec![text(end)]];
    let mut exits = vec![
        exit("", None),
        exit(format!("\n{think}"), Some("thought_or_answer")),
        exit(format!("\n{end}"), None),
    ];
    if calls {
        begin.push(vec![text(list), part("calls")]);
        exits.push(exit(format!("\n{list}"), Some("calls")));
    }
    let close = vec![exit(think_end, Some("more"))];
    let thought = between_tags(regexes, Dialect::Phase, thought(regexes, Dialect::Phase));
    // Two answers in a row are parted by an empty thought (P-5).
    let parted = vec![text(format!("{think_end}\n")), part("answer")];
    let mut rules = vec![
        rule("turn", begin),
        rule("more", vec![vec![], vec![text("\n"), part("turn")]]),
        flowing("thought", regexes.name("THOUGHT", thought), close),
        flowing("answer", answer(regexes, Dialect::Phase), exits),
        rule("thought_or_answer", vec![vec![part("thought")], parted]),
    ];
    if calls {
        let open = [gap(), text("["), gap(), part("call"), gap(), many("more_calls")];
        let close = [text("]"), gap(), text(literal(Delimiter::Execute))];
        rules.extend([
            rule("calls", vec![[&open[..], &close].concat()]),
            rule("more_calls", vec![vec![text(","), gap(), part("call"), gap()]]),
        ]);
    }
    rules
}
