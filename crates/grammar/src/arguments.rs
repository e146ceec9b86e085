//! The rules of a tool's arguments, from their JSON schema.
//!
//! An object has its properties in the order of the schema, and no others. Constraints that the
//! rules cannot express, such as a pattern or a bound of a number, are dropped, and so are
//! constraints on values that are nested too deep.

use std::borrow::Cow;

use serde_json::Value;

use crate::json::{JsonStrings, digits, gap, number};
use crate::regex::{RegexId, Regexes};
use crate::rules::{GrammarRule, Symbol, many, nonterminal, rule, text};
use crate::schema::Schema;

/// Makes rules of schemas.
pub(crate) struct ArgumentRules<'a> {
    pub(crate) rules: Vec<GrammarRule>,
    regexes: &'a Regexes,
    string: RegexId,
    /// The name of an output, which may stand for a value (P-26), in dialects that have them.
    output: Option<RegexId>,
    /// The beginning of the names of rules, for one tool.
    prefix: String,
    count: usize,
}

impl<'a> ArgumentRules<'a> {
    pub(crate) fn new(regexes: &'a Regexes, strings: &JsonStrings, has_outputs: bool) -> Self {
        let output = has_outputs.then(|| output(regexes));
        let (rules, prefix) = (Vec::new(), String::new());
        Self { rules, regexes, string: strings.any, output, prefix, count: 0 }
    }

    /// Returns the symbol of the arguments of the tool with this number, and adds its rules.
    pub(crate) fn of_tool(&mut self, number: usize, schema: Option<&str>) -> Symbol {
        (self.prefix, self.count) = (format!("args_{number}"), 0);
        let made = self.rules.len();
        let any = nonterminal("object");
        let Some(schema) = schema.and_then(Schema::read) else { return any };
        let schema = schema.referred().unwrap_or(schema);
        let symbol = self.object(schema, 0);
        if self.rules.len() - made > MOST_RULES {
            self.rules.truncate(made);
            return any;
        }
        symbol
    }

    /// Returns the alternatives of a value.
    fn value(&mut self, schema: Schema<'_>, depth: u32) -> Vec<Symbol> {
        if depth > DEPTH || self.count > MOST_RULES {
            return vec![anything()];
        }
        if let Some(referred) = schema.referred() {
            return self.value(referred, depth + 1);
        }
        if let Some(value) = schema.value("const") {
            return vec![literal(&value)];
        }
        if let Some(Value::Array(values)) = schema.value("enum") {
            return values.iter().map(literal).collect();
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(schemas) = schema.list(key) {
                return schemas.into_iter().flat_map(|one| self.value(one, depth + 1)).collect();
            }
        }
        if let Some([only]) = schema.list("allOf").as_deref() {
            return self.value(*only, depth + 1);
        }
        match schema.value("type") {
            Some(Value::String(kind)) => vec![self.of_type(&kind, schema, depth)],
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                kinds.map(|kind| self.of_type(kind, schema, depth)).collect()
            }
            _ if schema.has("properties") => vec![self.object(schema, depth)],
            _ => vec![anything()],
        }
    }

    fn of_type(&mut self, kind: &str, schema: Schema<'_>, depth: u32) -> Symbol {
        match kind {
            "string" => Symbol::Token(self.string),
            "integer" => Symbol::Token(self.regexes.name("INTEGER", integer(self.regexes))),
            "number" => Symbol::Token(self.regexes.name("NUMBER", number(self.regexes))),
            "boolean" => self.choice(vec![vec![text("true")], vec![text("false")]]),
            "null" => text("null"),
            "array" => self.array(schema, depth),
            "object" => self.object(schema, depth),
            _ => anything(),
        }
    }

    /// Returns one of the alternatives of a value as a symbol.
    fn one(&mut self, schema: Schema<'_>, depth: u32) -> Symbol {
        let mut symbols = self.value(schema, depth);
        let is = |token| move |symbol: &Symbol| matches!(symbol, Symbol::Token(of) if *of == token);
        let number = self.regexes.name("NUMBER", number(self.regexes));
        let integer = self.regexes.name("INTEGER", integer(self.regexes));
        // If one alternative accepts any value, the others add nothing; two tokens for one text
        // confuse.
        if symbols.iter().any(|symbol| matches!(symbol, Symbol::Rule(name) if *name == ANYTHING)) {
            return anything();
        }
        let has_string = symbols.iter().any(is(self.string));
        if has_string {
            symbols.retain(|symbol| !is_literal_of(symbol, '"'));
        }
        if symbols.iter().any(is(number)) {
            symbols.retain(|symbol| !is(integer)(symbol) && !is_number(symbol));
        } else if symbols.iter().any(is(integer)) {
            symbols.retain(|symbol| !is_number(symbol));
        }
        if let (Some(output), false) = (self.output, has_string) {
            symbols.push(Symbol::Token(output));
        }
        match symbols.pop() {
            None => anything(),
            Some(only) if symbols.is_empty() => only,
            Some(last) => {
                symbols.push(last);
                self.choice(symbols.into_iter().map(|symbol| vec![symbol]).collect())
            }
        }
    }

    fn array(&mut self, schema: Schema<'_>, depth: u32) -> Symbol {
        let item = match schema.schema("items") {
            Some(items) if !schema.has("prefixItems") => self.one(items, depth + 1),
            _ => anything(),
        };
        let more = self.name();
        self.add(&more, vec![vec![text(","), gap(), item.clone(), gap()]]);
        let full = vec![text("["), gap(), item, gap(), many(more), text("]")];
        let least = schema.value("minItems").and_then(|count| count.as_u64()).unwrap_or(0);
        match least {
            0 => self.choice(vec![vec![text("["), gap(), text("]")], full]),
            _ => self.choice(vec![full]),
        }
    }

    /// Returns an object with its properties in the order of the schema. One that may have others is
    /// any object.
    fn object(&mut self, schema: Schema<'_>, depth: u32) -> Symbol {
        let others = schema.value("additionalProperties");
        let is_open = !matches!(others, None | Some(Value::Bool(false)));
        let is_varied = ["anyOf", "oneOf", "allOf", "patternProperties"].iter();
        let Some(properties) = schema.schemas("properties") else { return nonterminal("object") };
        if is_open || is_varied.into_iter().any(|key| schema.has(key)) {
            return nonterminal("object");
        }
        let required = schema.value("required").unwrap_or_default();
        let is_required = |name: &str| {
            required.as_array().is_some_and(|names| names.iter().any(|one| one == name))
        };
        let mut pairs = Vec::new();
        for (name, property) in properties {
            let value = self.one(property, depth + 1);
            let key = Value::from(&*name).to_string();
            let pair = vec![text(key), nonterminal("colon"), value, gap()];
            pairs.push((pair, is_required(&name)));
        }
        // From the last to the first: the continuations after a written member, and without one.
        let (mut after, mut first): (Vec<Symbol>, Vec<Symbol>) = (vec![], vec![]);
        for (pair, is_required) in pairs.into_iter().rev() {
            let comma = [text(","), gap()];
            let mut afters = vec![[&comma[..], &pair, &after].concat()];
            let mut firsts = vec![[&pair[..], &after].concat()];
            if !is_required {
                afters.push(after);
                firsts.push(first);
            }
            after = vec![self.choice(afters)];
            first = vec![self.choice(firsts)];
        }
        self.choice(vec![[&[text("{"), gap()][..], &first, &[text("}")]].concat()])
    }

    fn choice(&mut self, sequences: Vec<Vec<Symbol>>) -> Symbol {
        let name = self.name();
        self.add(&name, sequences);
        nonterminal(name)
    }

    fn add(&mut self, name: &str, sequences: Vec<Vec<Symbol>>) {
        self.rules.push(rule(Cow::Owned(name.to_owned()), sequences));
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("{}_{}", self.prefix, self.count)
    }
}

/// Returns any value that is nested less deep than the arguments of a call may be.
fn anything() -> Symbol {
    nonterminal(ANYTHING)
}

fn literal(value: &Value) -> Symbol {
    text(value)
}

fn is_literal_of(symbol: &Symbol, first: char) -> bool {
    matches!(symbol, Symbol::Literal(text) if text.starts_with(first))
}

fn is_number(symbol: &Symbol) -> bool {
    let begins = |char: char| char == '-' || char.is_ascii_digit();
    matches!(symbol, Symbol::Literal(text) if text.starts_with(begins))
}

/// Returns a whole number of at most 32 digits.
fn integer(r: &Regexes) -> RegexId {
    let whole = r.any(&[r.text("0"), r.seq(&[r.one_of("123456789"), digits(r, 0, 31)])]);
    r.seq(&[r.optional(r.text("-")), whole])
}

/// Returns the name of an output as a string, of at most 40 letters.
fn output(r: &Regexes) -> RegexId {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    let more = r.repeat(r.one_of(&format!("{letters}0123456789")), 0, Some(39));
    r.name("OUTPUT", r.seq(&[r.text("\"$"), r.one_of(letters), more, r.text("\"")]))
}

/// The rule of any value inside an object.
const ANYTHING: &str = "v2";

/// The greatest depth of a schema, below which values are free.
const DEPTH: u32 = 12;

/// The greatest number of rules for a tool. One that needs more takes any object.
const MOST_RULES: usize = 2_000;
