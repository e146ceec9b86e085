use silcrow_event::{CallKind, CallMode, Json, OnError};
use silcrow_lex::{Delimiter, Dialect};

use super::json::{Strings, digits, gap, member};
use super::regex::{Re, Regexes};
use super::rules::{Part, Rule, exit, flowing, many, part, rule, text};
use super::text::{answer, between_tags, thought, unclosed};

fn literal(marker: Delimiter) -> &'static str {
    Dialect::Action.literal(marker)
}

/// P-19 to P-22: sections and actions in any order, each beginning a line.
pub(super) fn turn(regexes: &Regexes, calls: bool) -> Vec<Rule> {
    let lines = |text| between_tags(regexes, Dialect::Action, text);
    let close = |marker| vec![exit(literal(marker), None)];
    let respond = literal(Delimiter::Respond);
    let respond = ["", " final=\"false\"", " final=\"true\""]
        .map(|said| respond.replace('>', &format!("{said}>")))
        .map(|tag| vec![text(tag), part("answer")]);
    let mut sections = vec![vec![text(literal(Delimiter::Think)), part("thought")]];
    sections.extend(respond);
    if calls {
        sections.push(vec![part("action")]);
    }
    // An answer at a line's start closes a thought (P-19).
    let thought = regexes.all(&[lines(thought(regexes, Dialect::Action)), unclosed(regexes)]);
    let answer = lines(answer(regexes, Dialect::Action));
    vec![
        rule("turn", vec![vec![part("section"), many("more_sections")]]),
        rule("more_sections", vec![vec![text("\n"), part("section")]]),
        rule("section", sections),
        flowing("thought", regexes.name("THOUGHT", thought), close(Delimiter::ThinkEnd)),
        flowing("answer", regexes.name("ANSWER", answer), close(Delimiter::RespondEnd)),
    ]
}

/// P-20: the id stands in the tag or in the body; what is not said has a default.
pub(super) fn calls(regexes: &Regexes, strings: &Strings) -> Vec<Rule> {
    let open = text(literal(Delimiter::Call).trim_end_matches('>'));
    let attributes = [open, part("kind"), part("mode")];
    let id = [Part::Token(regexes.name("ID_IN_TAG", id_in_tag(regexes)))];
    let body = [
        &[text(">"), gap(), text("{"), gap()][..],
        &member("name", part("name")),
        &[text(","), gap()],
        &member("parameters", part("object")),
    ]
    .concat();
    let fields = ["output_key", "depends_on", "timeout", "retry", "on_error"].map(part);
    let end = [text("}"), gap(), text(literal(Delimiter::CallEnd))];
    let in_tag = [&attributes[..], &id, &body, &fields, &end].concat();
    let in_body = [&attributes[..], &body, &[part("id")], &fields, &end].concat();
    let some = || Part::Token(strings.some(regexes));
    let ids = [text("["), gap(), some(), gap(), many("more_ids"), text("]")];
    let seconds = Part::Token(regexes.name("SECONDS", seconds(regexes)));
    let count = Part::Token(regexes.name("COUNT", up_to(regexes, &u32::MAX.to_string())));
    let said =
        |name: &str| vec![vec![], vec![text(format!(" {name}=\"")), part(format!("{name}s"))]];
    let word = |word: &str| vec![text(format!("{word}\""))];
    vec![
        rule("action", vec![in_tag, in_body]),
        rule("kind", said("type")),
        rule("types", CallKind::ALL.map(|kind| word(kind.as_str())).to_vec()),
        rule("mode", said("mode")),
        rule("modes", CallMode::ALL.map(|mode| word(mode.as_str())).to_vec()),
        field("id", some()),
        field("output_key", Part::Token(strings.any)),
        field("depends_on", part("ids")),
        rule("ids", vec![ids.to_vec()]),
        rule("more_ids", vec![vec![text(","), gap(), some(), gap()]]),
        field("timeout", seconds),
        field("retry", count),
        field("on_error", part("policy")),
        rule("policy", OnError::ALL.map(|one| vec![text(Json::string(one.as_str()))]).to_vec()),
    ]
}

/// A member that may be left out.
fn field(name: &'static str, value: Part) -> Rule {
    rule(name, vec![vec![], [&[text(","), gap()][..], &member(name, value)].concat()])
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
