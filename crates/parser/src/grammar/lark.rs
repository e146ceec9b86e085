use std::fmt::Write as _;

use silcrow_event::Json;

use super::regex::{Node, Re, Regexes};
use super::rules::{Body, Exit, Part, Rule};
use super::set::Set;

/// The grammar in Lark's form, with the operators `&` and `~` of llguidance.
///
/// That engine takes the longest token it can, and never goes back. So a text and what ends it are
/// one token: the text cannot hold its end, and where tokens begin alike, no one is the start of
/// another.
pub(super) fn lark(regexes: &Regexes, rules: &[Rule]) -> String {
    let mut out = String::from("%llguidance {}\n\nstart: turn\n");
    let mut tokens = String::new();
    for rule in rules {
        let mut alternatives = Vec::new();
        match &rule.body {
            Body::Any(sequences) => {
                alternatives.extend(sequences.iter().map(|parts| sequence(regexes, parts)));
            }
            Body::Text(text, exits) => {
                for exit in exits {
                    let token = ended(regexes, *text, exit);
                    if !exit.literal.is_empty() {
                        let text = named(regexes, *text);
                        let literal = Json::string(&exit.literal);
                        let _ = writeln!(tokens, "{token}: {text} {literal}");
                    }
                    alternatives.push(match exit.next {
                        Some(next) => format!("{token} {next}"),
                        None => token,
                    });
                }
            }
        }
        let empty = alternatives.iter().position(String::is_empty);
        let _ = match (empty.map(|at| alternatives.remove(at)), &*alternatives) {
            (None, _) => writeln!(out, "{}: {}", rule.name, alternatives.join("\n    | ")),
            (Some(_), [one]) if !one.contains(' ') => writeln!(out, "{}: {one}?", rule.name),
            (Some(_), _) => writeln!(out, "{}: ({})?", rule.name, alternatives.join(" | ")),
        };
    }
    out.push('\n');
    for (name, re) in regexes.names() {
        let _ = writeln!(out, "{name}: {}", token(regexes, re, Level::Any));
    }
    out + &tokens
}

fn sequence(regexes: &Regexes, parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => Json::string(text).to_string(),
        Part::Token(re) => named(regexes, *re).to_owned(),
        Part::Rule(name) => name.to_string(),
        Part::Many(name) => format!("{name}*"),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

/// The name of a text with one of its exits.
fn ended(regexes: &Regexes, text: Re, exit: &Exit) -> String {
    let text = named(regexes, text);
    match (&*exit.literal, exit.next) {
        ("", _) => text.to_owned(),
        (_, None) => format!("{text}_TO_END"),
        (_, Some(next)) => format!("{text}_TO_{}", next.to_uppercase()),
    }
}

fn named(regexes: &Regexes, re: Re) -> &'static str {
    regexes.name_of(re).expect("every token has a name")
}

/// How tightly the text around an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    All,
    Seq,
    One,
}

/// The definition of a token.
fn token(regexes: &Regexes, re: Re, level: Level) -> String {
    if is_plain(regexes, re) {
        return format!("/{}/", regex(regexes, re, Level::Any));
    }
    let join = |parts: &[Re], own: Level, sign: &str| {
        let parts: Vec<_> = parts.iter().map(|&part| token(regexes, part, own)).collect();
        group(parts.join(sign), level > own)
    };
    match regexes.node(re) {
        Node::Named(name, _) => name.to_owned(),
        Node::Any(parts) => join(&parts, Level::Any, " | "),
        Node::All(parts) => join(&parts, Level::All, " & "),
        Node::Seq(..) => group(runs(regexes, re).join(" "), level > Level::Seq),
        Node::Not(inner) => format!("~{}", token(regexes, inner, Level::One)),
        Node::Repeat(inner, min, max) => {
            format!("{}{}", token(regexes, inner, Level::One), count(min, max))
        }
        Node::Set(_) | Node::Empty => String::new(),
    }
}

/// The parts of a sequence; what one regular expression can say is one.
fn runs(regexes: &Regexes, re: Re) -> Vec<String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    for part in flat(regexes, re) {
        if is_plain(regexes, part) {
            plain += &regex(regexes, part, Level::Seq);
            continue;
        }
        if !plain.is_empty() {
            parts.push(format!("/{}/", std::mem::take(&mut plain)));
        }
        parts.push(token(regexes, part, Level::Seq));
    }
    if !plain.is_empty() {
        parts.push(format!("/{plain}/"));
    }
    parts
}

/// Whether it needs neither `&` nor `~` nor a name.
fn is_plain(regexes: &Regexes, re: Re) -> bool {
    match regexes.node(re) {
        Node::Set(_) | Node::Empty => true,
        Node::Seq(first, rest) => is_plain(regexes, first) && is_plain(regexes, rest),
        Node::Any(parts) => parts.into_iter().all(|part| is_plain(regexes, part)),
        Node::Repeat(inner, ..) => is_plain(regexes, inner),
        Node::All(_) | Node::Not(_) | Node::Named(..) => false,
    }
}

/// In the syntax between slashes.
fn regex(regexes: &Regexes, re: Re, level: Level) -> String {
    match regexes.node(re) {
        Node::Set(set) => one(&set),
        Node::Any(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|&part| regex(regexes, part, Level::Any)).collect();
            group(parts.join("|"), level > Level::Any)
        }
        Node::Seq(..) => {
            let parts: String = flat(regexes, re)
                .into_iter()
                .map(|part| regex(regexes, part, Level::Seq))
                .collect();
            group(parts, level > Level::Seq)
        }
        Node::Repeat(inner, min, max) => {
            format!("{}{}", regex(regexes, inner, Level::One), count(min, max))
        }
        Node::Empty | Node::All(_) | Node::Not(_) | Node::Named(..) => String::new(),
    }
}

pub(super) fn flat(regexes: &Regexes, re: Re) -> Vec<Re> {
    let mut parts = Vec::new();
    let mut rest = re;
    while let Node::Seq(first, behind) = regexes.node(rest) {
        parts.push(first);
        rest = behind;
    }
    parts.push(rest);
    parts
}

fn group(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}

pub(super) fn count(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

fn one(set: &Set) -> String {
    if *set == Set::all() {
        return "(?s:.)".to_owned();
    }
    match set.single() {
        Some(char) => point(char.into()),
        None => {
            let inverse = set.inverse();
            let (sign, set) = if set.holds(char::MAX.into()) { ("^", &inverse) } else { ("", set) };
            let ranges = set.ranges().iter().map(|&(low, high)| match high - low {
                0 => point(low),
                1 => point(low) + &point(high),
                _ => format!("{}-{}", point(low), point(high)),
            });
            format!("[{sign}{}]", ranges.collect::<String>())
        }
    }
}

/// A character of a regular expression.
fn point(point: u32) -> String {
    match char::from_u32(point) {
        Some('\n') => "\\n".to_owned(),
        Some('\r') => "\\r".to_owned(),
        Some('\t') => "\\t".to_owned(),
        Some(char) if char.is_ascii_punctuation() && !":_<>,;\"'`~=!%@".contains(char) => {
            format!("\\{char}")
        }
        Some(char) if !char.is_control() => char.to_string(),
        _ => format!("\\x{{{point:X}}}"),
    }
}
