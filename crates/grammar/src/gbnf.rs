//! Prints a grammar in GBNF.
//!
//! GBNF has neither intersection nor complement, so a text becomes an automaton, and each of its
//! states a rule; a text that several rules have is printed once. No rule is left-recursive, and a rule that
//! refers to the next state does so in its last part, so that a recogniser's stack does not grow with the
//! text.

use std::fmt::Write as _;

use crate::automaton::automaton;
use crate::choices::Choices;
use crate::gbnf_spelling::{class, literal, rule_name};
use crate::lark::{count, flat};
use crate::regex::{Precedence, RegexId, RegexNode, Regexes};
use crate::rules::{GrammarRule, RuleBody, Symbol, TextExit};
use crate::state_rules::{StateNames, state_rules};

pub(crate) fn gbnf(regexes: &Regexes, rules: &[GrammarRule]) -> String {
    let mut out = String::from("root ::= turn\n");
    let (mut printed, mut names) = (Vec::new(), StateNames::default());
    let choices = Choices::new(regexes, rules);
    for rule in rules.iter().filter(|rule| !choices.is_inside(&rule.name)) {
        let name = rule_name(&rule.name);
        match &rule.body {
            RuleBody::Choice(sequences) => {
                let _ = writeln!(out, "{name} ::= {}", choices.body(sequences));
            }
            RuleBody::Text(text, exits) => match (shared(regexes, rules, *text), &exits[..]) {
                (Some(states), [exit]) => {
                    let next = exit.next.map(|next| format!(" {}", rule_name(next)));
                    let _ = writeln!(out, "{name} ::= {states}{}", next.unwrap_or_default());
                    if !printed.contains(&states) {
                        let exit = TextExit { literal: exit.literal.clone(), next: None };
                        text_rules(regexes, &mut names, &states, *text, &[exit], &mut out);
                        printed.push(states);
                    }
                }
                _ => text_rules(regexes, &mut names, &name, *text, exits, &mut out),
            },
        }
    }
    let mut used = Vec::new();
    for symbol in rules.iter().flat_map(GrammarRule::symbols) {
        if let Symbol::Token(token) = symbol {
            names_in(regexes, *token, &mut used);
        }
    }
    for (name, re) in regexes.names() {
        if used.contains(&name) {
            let _ =
                writeln!(out, "{} ::= {}", rule_name(name), inline(regexes, re, Precedence::Any));
        }
    }
    out
}

/// Returns the name under which the states of a text are printed once, if several rules have this
/// text and each ends it with the same literal. The continuations differ.
fn shared(regexes: &Regexes, rules: &[GrammarRule], text: RegexId) -> Option<String> {
    let exits = rules.iter().filter_map(|rule| match &rule.body {
        RuleBody::Text(other, exits) if *other == text => Some(exits),
        _ => None,
    });
    let exits: Vec<_> = exits.collect();
    let is_same = |other: &&Vec<TextExit>| match (&other[..], &exits[0][..]) {
        ([other], [first]) => other.literal == first.literal,
        _ => false,
    };
    let name = rule_name(regexes.name_of(text)?);
    let is_taken = rules.iter().any(|rule| rule_name(&rule.name) == name);
    let name = if is_taken { format!("{name}-lines") } else { name };
    (exits.len() > 1 && exits.iter().all(is_same)).then_some(name)
}

/// Collects the names that the definition of a token uses, including its own.
fn names_in(regexes: &Regexes, re: RegexId, names: &mut Vec<&'static str>) {
    match regexes.node(re) {
        RegexNode::Named(name, inner) => {
            names.push(name);
            names_in(regexes, inner, names);
        }
        RegexNode::Seq(first, rest) => {
            names_in(regexes, first, names);
            names_in(regexes, rest, names);
        }
        RegexNode::Any(parts) | RegexNode::All(parts) => {
            for part in parts {
                names_in(regexes, part, names);
            }
        }
        RegexNode::Not(inner) | RegexNode::Repeat(inner, ..) => names_in(regexes, inner, names),
        RegexNode::Set(_) | RegexNode::Empty => {}
    }
}

/// Writes the rules of a text's automaton.
fn text_rules(
    regexes: &Regexes,
    names: &mut StateNames,
    name: &str,
    text: RegexId,
    exits: &[TextExit],
    out: &mut String,
) {
    let exits = exits.iter().map(|exit| match exit.next {
        Some(next) => format!("{} {}", literal(&exit.literal), rule_name(next)),
        None => literal(&exit.literal),
    });
    let exits = exits.collect::<Vec<_>>().join(" | ");
    state_rules(names, name, &automaton(regexes, text), &exits, out);
}

/// Prints a regular expression without `All` and `Not` in one line.
fn inline(regexes: &Regexes, re: RegexId, level: Precedence) -> String {
    let group =
        |text: String, own: Precedence| if level > own { format!("({text})") } else { text };
    match regexes.node(re) {
        RegexNode::Set(set) => {
            set.single().map_or_else(|| class(&set), |char| literal(&char.to_string()))
        }
        RegexNode::Any(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|&part| inline(regexes, part, Precedence::Any)).collect();
            group(parts.join(" | "), Precedence::Any)
        }
        RegexNode::Seq(..) => group(runs(regexes, re).join(" "), Precedence::Seq),
        RegexNode::Repeat(inner, min, max) => {
            format!("{}{}", inline(regexes, inner, Precedence::One), count(min, max))
        }
        RegexNode::Named(name, _) => rule_name(name),
        RegexNode::Empty | RegexNode::All(_) | RegexNode::Not(_) => literal(""),
    }
}

/// Prints the parts of a sequence; consecutive characters become one literal.
fn runs(regexes: &Regexes, re: RegexId) -> Vec<String> {
    let mut parts = Vec::new();
    let mut text = String::new();
    for part in flat(regexes, re) {
        if let RegexNode::Set(set) = regexes.node(part)
            && let Some(char) = set.single()
        {
            text.push(char);
            continue;
        }
        if !text.is_empty() {
            parts.push(literal(&std::mem::take(&mut text)));
        }
        parts.push(inline(regexes, part, Precedence::Seq));
    }
    if !text.is_empty() {
        parts.push(literal(&text));
    }
    parts
}
