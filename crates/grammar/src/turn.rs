//! The rules of a whole turn: the rules of the dialect and of its calls.

use std::collections::BTreeMap;

use silcrow_event::Json;
use silcrow_lex::Dialect;

use crate::arguments::ArgumentRules;
use crate::grammar_tool::{GrammarTool, by_name};
use crate::json::{JsonStrings, call, called, values};
use crate::regex::Regexes;
use crate::rules::{GrammarRule, RuleBody, Symbol, nonterminal, rule, text};
use crate::{action, phase, sigil};

/// Returns the rules of a turn; the first is the rule `turn`.
pub(crate) fn turn(
    regexes: &Regexes,
    dialect: Dialect,
    tools: Option<&[GrammarTool<'_>]>,
) -> Vec<GrammarRule> {
    let tools = tools.map(by_name);
    let has_calls = tools.as_ref().is_none_or(|tools| !tools.is_empty());
    let mut rules = match dialect {
        Dialect::Sigil => sigil::turn(regexes, has_calls),
        Dialect::Phase => phase::turn(regexes, has_calls),
        Dialect::Action => action::turn(regexes, has_calls),
    };
    if !has_calls {
        return rules;
    }
    let strings = JsonStrings::new(regexes);
    let key = match dialect {
        Dialect::Sigil | Dialect::Phase => "args",
        Dialect::Action => "parameters",
    };
    let mut named = Vec::new();
    let symbols = match tools {
        // Each name with its own arguments.
        Some(tools) if tools.values().any(Option::is_some) => {
            let mut args = ArgumentRules::new(regexes, &strings, dialect == Dialect::Action);
            let alternatives = tools.into_iter().zip(1..).map(|((name, schema), number)| {
                called(text(Json::string(name)), key, args.of_tool(number, schema))
            });
            named.push(rule("called", alternatives.collect()));
            named.extend(args.rules);
            vec![nonterminal("called")]
        }
        tools => {
            let names = match tools {
                None => vec![vec![Symbol::Token(strings.short(regexes))]],
                Some(tools) => tools.keys().map(|name| vec![text(Json::string(name))]).collect(),
            };
            named.push(rule("name", names));
            called(nonterminal("name"), key, nonterminal("object"))
        }
    };
    rules.extend(match dialect {
        Dialect::Sigil | Dialect::Phase => vec![call(&symbols)],
        Dialect::Action => action::calls(regexes, &strings, &symbols),
    });
    rules.extend(named);
    rules.extend(values(regexes, &strings));
    reachable(rules)
}

/// Returns the rules to which the first one leads. Schemas may leave no place for any object.
fn reachable(mut rules: Vec<GrammarRule>) -> Vec<GrammarRule> {
    let places: BTreeMap<_, _> =
        rules.iter().zip(0..).map(|(rule, at)| (&*rule.name, at)).collect();
    let mut is_reached = vec![false; rules.len()];
    let mut open = vec![0_usize];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut is_reached[at], true) {
            continue;
        }
        let exits = match &rules[at].body {
            RuleBody::Text(_, exits) => &exits[..],
            RuleBody::Choice(_) => &[],
        };
        let named = rules[at].symbols().filter_map(|symbol| match symbol {
            Symbol::Rule(name) | Symbol::Many(name) => Some(&**name),
            Symbol::Literal(_) | Symbol::Token(_) => None,
        });
        let names = named.chain(exits.iter().filter_map(|exit| exit.next));
        open.extend(names.filter_map(|name| places.get(name).copied()));
    }
    let mut reached = is_reached.into_iter();
    rules.retain(|_| reached.next().unwrap_or_default());
    rules
}
