//! Prints a grammar in Lark, with the operators `&` and `~` of llguidance.
//!
//! The engine matches the longest token that it can, and never backtracks. So a text and its exit
//! are one token: the text cannot contain its exit, and no token is a prefix of another that can be
//! in the same place.

use std::fmt::Write as _;

use silcrow_event::Json;

use crate::char_set::CharSet;
use crate::regex::{Precedence, RegexId, RegexNode, Regexes};
use crate::rules::{GrammarRule, RuleBody, Symbol, TextExit};

pub(crate) fn lark(regexes: &Regexes, rules: &[GrammarRule]) -> String {
    let mut out = String::from("%llguidance {}\n\nstart: turn\n");
    let mut tokens = String::new();
    for rule in rules {
        let mut alternatives = Vec::new();
        match &rule.body {
            RuleBody::Choice(sequences) => {
                alternatives.extend(sequences.iter().map(|symbols| sequence(regexes, symbols)));
            }
            RuleBody::Text(text, exits) => {
                for exit in exits {
                    let token = exit_token(regexes, *text, exit);
                    if !exit.literal.is_empty() {
                        let text = token_name(regexes, *text);
                        let literal = Json::string(&exit.literal);
                        let definition = format!("{token}: {text} {literal}\n");
                        // Two rules may have the same text and the same exit.
                        if !tokens.contains(&definition) {
                            tokens.push_str(&definition);
                        }
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
        let _ = writeln!(out, "{name}: {}", token(regexes, re, Precedence::Any));
    }
    out + &tokens
}

fn sequence(regexes: &Regexes, symbols: &[Symbol]) -> String {
    let print = |symbol: &Symbol| match symbol {
        Symbol::Literal(text) => Json::string(text).to_string(),
        Symbol::Token(re) => token_name(regexes, *re).to_owned(),
        Symbol::Rule(name) => name.to_string(),
        Symbol::Many(name) => format!("{name}*"),
    };
    symbols.iter().map(print).collect::<Vec<_>>().join(" ")
}

/// Returns the name of the token for a text with one of its exits.
fn exit_token(regexes: &Regexes, text: RegexId, exit: &TextExit) -> String {
    let text = token_name(regexes, text);
    match (&*exit.literal, exit.next) {
        ("", _) => text.to_owned(),
        (_, None) => format!("{text}_TO_END"),
        (_, Some(next)) => format!("{text}_TO_{}", next.to_uppercase()),
    }
}

fn token_name(regexes: &Regexes, re: RegexId) -> &'static str {
    regexes.name_of(re).expect("every token has a name")
}

/// Prints the definition of a token.
fn token(regexes: &Regexes, re: RegexId, level: Precedence) -> String {
    if is_plain(regexes, re) {
        return format!("/{}/", regex(regexes, re, Precedence::Any));
    }
    let join = |parts: &[RegexId], own: Precedence, sign: &str| {
        let parts: Vec<_> = parts.iter().map(|&part| token(regexes, part, own)).collect();
        group(parts.join(sign), level > own)
    };
    match regexes.node(re) {
        RegexNode::Named(name, _) => name.to_owned(),
        RegexNode::Any(parts) => join(&parts, Precedence::Any, " | "),
        RegexNode::All(parts) => join(&parts, Precedence::All, " & "),
        RegexNode::Seq(..) => group(runs(regexes, re).join(" "), level > Precedence::Seq),
        RegexNode::Not(inner) => format!("~{}", token(regexes, inner, Precedence::One)),
        RegexNode::Repeat(inner, min, max) => {
            format!("{}{}", token(regexes, inner, Precedence::One), count(min, max))
        }
        RegexNode::Set(_) | RegexNode::Empty => String::new(),
    }
}

/// Prints the parts of a sequence; consecutive plain parts become one regular expression.
fn runs(regexes: &Regexes, re: RegexId) -> Vec<String> {
    let mut parts = Vec::new();
    let mut plain = String::new();
    for part in flat(regexes, re) {
        if is_plain(regexes, part) {
            plain += &regex(regexes, part, Precedence::Seq);
            continue;
        }
        if !plain.is_empty() {
            parts.push(format!("/{}/", std::mem::take(&mut plain)));
        }
        parts.push(token(regexes, part, Precedence::Seq));
    }
    if !plain.is_empty() {
        parts.push(format!("/{plain}/"));
    }
    parts
}

/// Returns whether the expression needs neither `&` nor `~` nor a name.
fn is_plain(regexes: &Regexes, re: RegexId) -> bool {
    match regexes.node(re) {
        RegexNode::Set(_) | RegexNode::Empty => true,
        RegexNode::Seq(first, rest) => is_plain(regexes, first) && is_plain(regexes, rest),
        RegexNode::Any(parts) => parts.into_iter().all(|part| is_plain(regexes, part)),
        RegexNode::Repeat(inner, ..) => is_plain(regexes, inner),
        RegexNode::All(_) | RegexNode::Not(_) | RegexNode::Named(..) => false,
    }
}

/// Prints a plain expression in the syntax between slashes.
fn regex(regexes: &Regexes, re: RegexId, level: Precedence) -> String {
    match regexes.node(re) {
        RegexNode::Set(set) => class(&set),
        RegexNode::Any(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|&part| regex(regexes, part, Precedence::Any)).collect();
            group(parts.join("|"), level > Precedence::Any)
        }
        RegexNode::Seq(..) => {
            let parts: String = flat(regexes, re)
                .into_iter()
                .map(|part| regex(regexes, part, Precedence::Seq))
                .collect();
            group(parts, level > Precedence::Seq)
        }
        RegexNode::Repeat(inner, min, max) => {
            format!("{}{}", regex(regexes, inner, Precedence::One), count(min, max))
        }
        RegexNode::Empty | RegexNode::All(_) | RegexNode::Not(_) | RegexNode::Named(..) => {
            String::new()
        }
    }
}

/// Returns the parts of a sequence.
pub(crate) fn flat(regexes: &Regexes, re: RegexId) -> Vec<RegexId> {
    let mut parts = Vec::new();
    let mut rest = re;
    while let RegexNode::Seq(first, next) = regexes.node(rest) {
        parts.push(first);
        rest = next;
    }
    parts.push(rest);
    parts
}

fn group(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}

pub(crate) fn count(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

fn class(set: &CharSet) -> String {
    if *set == CharSet::all() {
        return "(?s:.)".to_owned();
    }
    match set.single() {
        Some(char) => point(char.into()),
        None => {
            let complement = set.complement();
            let (sign, set) =
                if set.contains(char::MAX.into()) { ("^", &complement) } else { ("", set) };
            let ranges = set.ranges().iter().map(|&(low, high)| match high - low {
                0 => point(low),
                1 => point(low) + &point(high),
                _ => format!("{}-{}", point(low), point(high)),
            });
            format!("[{sign}{}]", ranges.collect::<String>())
        }
    }
}

/// Prints a character of a plain expression.
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
