use std::fmt::Write as _;

use super::automaton::automaton;
use super::lark::{count, flat};
use super::regex::{Node, Re, Regexes};
use super::rules::{Body, Exit, Part, Rule};
use super::set::Set;

/// The grammar in GBNF: a text is an automaton, whose states are rules.
///
/// No rule is left-recursive, and what a rule goes on with is its last part, so that the reader's
/// stack does not grow with the text.
pub(super) fn gbnf(regexes: &Regexes, rules: &[Rule]) -> String {
    let mut out = String::from("root ::= turn\n");
    for rule in rules {
        let name = spelled(&rule.name);
        match &rule.body {
            Body::Any(sequences) => {
                let sequences: Vec<_> =
                    sequences.iter().map(|parts| sequence(regexes, parts)).collect();
                let _ = writeln!(out, "{name} ::= {}", sequences.join(" | "));
            }
            Body::Text(text, exits) => states(regexes, &name, *text, exits, &mut out),
        }
    }
    let mut used = Vec::new();
    for part in rules.iter().flat_map(Rule::parts) {
        if let Part::Token(token) = part {
            names_in(regexes, *token, &mut used);
        }
    }
    for (name, re) in regexes.names() {
        if used.contains(&name) {
            let _ = writeln!(out, "{} ::= {}", spelled(name), inline(regexes, re, Level::Any));
        }
    }
    out
}

/// The names that a token is written with, its own among them.
fn names_in(regexes: &Regexes, re: Re, names: &mut Vec<&'static str>) {
    match regexes.node(re) {
        Node::Named(name, inner) => {
            names.push(name);
            names_in(regexes, inner, names);
        }
        Node::Seq(first, rest) => {
            names_in(regexes, first, names);
            names_in(regexes, rest, names);
        }
        Node::Any(parts) | Node::All(parts) => {
            for part in parts {
                names_in(regexes, part, names);
            }
        }
        Node::Not(inner) | Node::Repeat(inner, ..) => names_in(regexes, inner, names),
        Node::Set(_) | Node::Empty => {}
    }
}

/// A rule for each state of the text's automaton, and one for its exits.
fn states(regexes: &Regexes, name: &str, text: Re, exits: &[Exit], out: &mut String) {
    let state = |number: usize| match number {
        0 => name.to_owned(),
        _ => format!("{name}-{number}"),
    };
    for (number, one) in automaton(regexes, text).iter().enumerate() {
        let mut moves: Vec<_> =
            one.moves.iter().map(|(set, to)| format!("{} {}", class(set), state(*to))).collect();
        if one.accepts {
            moves.push(format!("{name}-end"));
        }
        let _ = writeln!(out, "{} ::= {}", state(number), moves.join(" | "));
    }
    let exits = exits.iter().map(|exit| match exit.next {
        Some(next) => format!("{} {}", literal(&exit.literal), spelled(next)),
        None => literal(&exit.literal),
    });
    let _ = writeln!(out, "{name}-end ::= {}", exits.collect::<Vec<_>>().join(" | "));
}

fn sequence(regexes: &Regexes, parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => literal(text),
        Part::Token(re) => spelled(regexes.name_of(*re).expect("every token has a name")),
        Part::Rule(name) => spelled(name),
        Part::Many(name) => format!("{}*", spelled(name)),
    };
    match parts {
        [] => literal(""),
        parts => parts.iter().map(part).collect::<Vec<_>>().join(" "),
    }
}

/// How tightly the text around an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Any,
    Seq,
    One,
}

/// A regular expression without `All` and `Not`, in one line.
fn inline(regexes: &Regexes, re: Re, level: Level) -> String {
    let group = |text: String, own: Level| if level > own { format!("({text})") } else { text };
    match regexes.node(re) {
        Node::Set(set) => {
            set.single().map_or_else(|| class(&set), |char| literal(&char.to_string()))
        }
        Node::Any(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|&part| inline(regexes, part, Level::Any)).collect();
            group(parts.join(" | "), Level::Any)
        }
        Node::Seq(..) => group(runs(regexes, re).join(" "), Level::Seq),
        Node::Repeat(inner, min, max) => {
            format!("{}{}", inline(regexes, inner, Level::One), count(min, max))
        }
        Node::Named(name, _) => spelled(name),
        Node::Empty | Node::All(_) | Node::Not(_) => literal(""),
    }
}

/// The parts of a sequence; characters in a row are one literal.
fn runs(regexes: &Regexes, re: Re) -> Vec<String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    for part in flat(regexes, re) {
        if let Node::Set(set) = regexes.node(part)
            && let Some(char) = set.single()
        {
            text.push(char);
            continue;
        }
        if !text.is_empty() {
            parts.push(literal(&std::mem::take(&mut text)));
        }
        parts.push(inline(regexes, part, Level::Seq));
    }
    if !text.is_empty() {
        parts.push(literal(&text));
    }
    parts
}

/// A rule's name: no underscores, lower case.
fn spelled(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

fn literal(text: &str) -> String {
    let chars = text.chars().map(|char| match char {
        '"' | '\\' => format!("\\{char}"),
        _ => escape(char.into()),
    });
    format!("\"{}\"", chars.collect::<String>())
}

fn class(set: &Set) -> String {
    if *set == Set::all() {
        return ".".to_owned();
    }
    let inverse = set.inverse();
    let (sign, set) = if set.holds(char::MAX.into()) { ("^", &inverse) } else { ("", set) };
    let ranges = set.ranges().iter().map(|&(low, high)| match high - low {
        0 => in_class(low),
        1 => in_class(low) + &in_class(high),
        _ => format!("{}-{}", in_class(low), in_class(high)),
    });
    format!("[{sign}{}]", ranges.collect::<String>())
}

fn in_class(point: u32) -> String {
    match char::from_u32(point) {
        Some(char @ ('\\' | ']' | '[')) => format!("\\{char}"),
        Some('-' | '^') => format!("\\x{point:02X}"),
        _ => escape(point),
    }
}

fn escape(point: u32) -> String {
    match char::from_u32(point) {
        Some('\n') => "\\n".to_owned(),
        Some('\r') => "\\r".to_owned(),
        Some('\t') => "\\t".to_owned(),
        Some(char) if !char.is_control() => char.to_string(),
        _ if point <= 0xFF => format!("\\x{point:02X}"),
        _ if point <= 0xFFFF => format!("\\u{point:04X}"),
        _ => format!("\\U{point:08X}"),
    }
}
