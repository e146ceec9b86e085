use silcrow_event::{Json, Kind, Mode, OnError};
use silcrow_lex::{Dialect, Marker};

use super::json::{Strings, digits};
use super::regex::{Re, Regexes};
use super::rules::{Body, Part, Rule, exit, rule, text};
use super::text::{answer, thought};

fn literal(marker: Marker) -> &'static str {
    Dialect::Action.literal(marker)
}

/// P-19 to P-22: sections and actions in any order, each on lines of its own.
pub(super) fn turn(regexes: &Regexes, calls: bool) -> Vec<Rule> {
    let close = |marker| vec![exit(format!("\n{}", literal(marker)), None)];
    let respond = literal(Marker::Respond);
    let not_final = respond.replace('>', " final=\"false\">");
    let mut sections = vec![
        vec![text(literal(Marker::Think)), Part::Rule("thought")],
        vec![text(respond), Part::Rule("answer")],
        vec![text(not_final), Part::Rule("answer")],
    ];
    if calls {
        sections.push(vec![Part::Rule("action")]);
    }
    let (thought, answer) = (thought(regexes, Dialect::Action), answer(regexes, Dialect::Action));
    vec![
        rule("turn", vec![vec![Part::Rule("section"), Part::Many("more_sections")]]),
        rule("more_sections", vec![vec![text("\n"), Part::Rule("section")]]),
        rule("section", sections),
        Rule { name: "thought", body: Body::Text(thought, close(Marker::ThinkEnd)) },
        Rule { name: "answer", body: Body::Text(answer, close(Marker::RespondEnd)) },
    ]
}

/// P-20: the id stands in the tag or in the body, a field only where there is something to say.
pub(super) fn calls(regexes: &Regexes, strings: &Strings) -> Vec<Rule> {
    let open = literal(Marker::Call).trim_end_matches('>');
    let tag = [
        text(format!("{open} type=\"")),
        Part::Rule("kind"),
        text("\" mode=\""),
        Part::Rule("mode"),
        text("\""),
    ];
    let id = [Part::Token(regexes.name("ID_IN_TAG", id_in_tag(regexes)))];
    let body =
        [text(">{\"name\":"), Part::Rule("name"), text(",\"parameters\":"), Part::Rule("object")];
    let fields = ["output_key", "depends_on", "timeout", "retry", "on_error"].map(Part::Rule);
    let end = [text(format!("}}{}", literal(Marker::CallEnd)))];
    let in_tag = [&tag[..], &id, &body, &fields, &end].concat();
    let in_body = [&tag[..], &body, &[Part::Rule("id")], &fields, &end].concat();
    let string = || Part::Token(strings.any);
    let seconds = Part::Token(regexes.name("SECONDS", seconds(regexes)));
    let count = Part::Token(regexes.name("COUNT", up_to(regexes, &u32::MAX.to_string())));
    vec![
        rule("action", vec![in_tag, in_body]),
        rule("kind", Kind::ALL.map(|kind| vec![text(kind.as_str())]).to_vec()),
        rule("mode", Mode::ALL.map(|mode| vec![text(mode.as_str())]).to_vec()),
        field("id", vec![Part::Token(strings.some(regexes))]),
        field("output_key", vec![string()]),
        field("depends_on", vec![text("["), string(), Part::Many("more_ids"), text("]")]),
        rule("more_ids", vec![vec![text(","), string()]]),
        field("timeout", vec![seconds]),
        field("retry", vec![count]),
        field("on_error", vec![Part::Rule("policy")]),
        rule("policy", OnError::ALL.map(|one| vec![text(Json::string(one.as_str()))]).to_vec()),
    ]
}

fn field(name: &'static str, value: Vec<Part>) -> Rule {
    let key = text(format!(",{}:", Json::string(name)));
    rule(name, vec![vec![], [vec![key], value].concat()])
}

/// Characters, not bytes, so it is bounded to what fits into a tag in any case.
fn id_in_tag(r: &Regexes) -> Re {
    let quoted = |quote: &str| {
        let id = r.repeat(r.but(&format!("<{quote}")), 1, Some(240));
        r.seq(&[r.text(&format!(" id={quote}")), id, r.text(quote)])
    };
    r.any(&[quoted("\""), quoted("'")])
}

/// A number that is neither negative nor infinite.
fn seconds(r: &Regexes) -> Re {
    let whole = r.any(&[r.text("0"), r.seq(&[r.of("123456789"), digits(r, 0, 15)])]);
    let fraction = r.seq(&[r.text("."), digits(r, 1, 32)]);
    let exponent = r.seq(&[r.text("e"), r.maybe(r.text("-")), digits(r, 1, 2)]);
    r.seq(&[whole, r.maybe(fraction), r.maybe(exponent)])
}

/// The numbers from 0 to this one.
fn up_to(r: &Regexes, last: &str) -> Re {
    let shorter = r.seq(&[r.of("123456789"), digits(r, 0, last.len() as u32 - 2)]);
    let mut numbers = vec![r.text("0"), shorter, r.text(last)];
    for (at, digit) in last.char_indices() {
        // The same digits up to here, and then a lower one.
        let low = if at == 0 { '1' } else { '0' };
        if low < digit {
            let lower = r.set([(low, (digit as u8 - 1) as char)].into_iter().collect());
            let rest = (last.len() - at - 1) as u32;
            numbers.push(r.seq(&[r.text(&last[..at]), lower, digits(r, rest, rest)]));
        }
    }
    r.any(&numbers)
}
