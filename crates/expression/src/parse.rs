//! From a source to a tree.
//!
//! This module checks the order of tokens, and the names that a loop binds.

use std::ops::RangeInclusive;

use crate::error::Fault;
use crate::function::{Function, LoopKind, closest};
use crate::syntax::{BinaryOperator, EndTest, Expr, ExprKind, MAX_DEPTH, node, too_deep};
use crate::token::{self, ExpressionToken};
use crate::value::ExpressionValue;

/// The length of the longest source, in bytes.
pub const MAX_SOURCE: usize = 8 << 10;

/// The tree of a source.
pub(crate) struct Tree {
    pub(crate) root: Expr,
    pub(crate) variables: Vec<String>,
    pub(crate) calls: Vec<String>,
}

pub(crate) fn parse(source: &str) -> Result<Tree, Fault> {
    if source.len() > MAX_SOURCE {
        return Err(Fault::new(0, format!("an expression has at most {MAX_SOURCE} bytes")));
    }
    let mut parser = ExpressionParser {
        source,
        token: ExpressionToken::End,
        at: 0,
        after: 0,
        nesting: 0,
        bound: Vec::new(),
        variables: Vec::new(),
        calls: Vec::new(),
    };
    parser.advance()?;
    let root = parser.expression()?;
    match parser.token {
        ExpressionToken::End => {}
        _ => return Err(parser.fault("an operator is missing")),
    }
    Ok(Tree { root, variables: parser.variables, calls: parser.calls })
}

struct ExpressionParser<'s> {
    source: &'s str,
    token: ExpressionToken<'s>,
    /// The position of the token, and the one after it.
    at: usize,
    after: usize,
    /// The number of expressions that are open.
    nesting: usize,
    /// The variables of the loops around this place, from the outermost.
    bound: Vec<&'s str>,
    variables: Vec<String>,
    calls: Vec<String>,
}

impl<'s> ExpressionParser<'s> {
    fn expression(&mut self) -> Result<Expr, Fault> {
        let at = self.at;
        self.open()?;
        let mut expr = self.binary(1)?;
        if self.take("?")? {
            let one = self.expression()?;
            self.expect(":")?;
            let other = self.expression()?;
            expr = node(ExprKind::Choice(Box::new([expr, one, other])), at)?;
        }
        self.nesting -= 1;
        Ok(expr)
    }

    /// Reads operands and operators that bind at least as strongly as `least`.
    fn binary(&mut self, least: u8) -> Result<Expr, Fault> {
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|found| found.strength() >= least) {
            let at = self.at;
            self.advance()?;
            let right = self.binary(operator.strength() + 1)?;
            left = node(ExprKind::Binary(operator, Box::new([left, right])), at)?;
        }
        Ok(left)
    }

    fn operator(&self) -> Option<BinaryOperator> {
        let written = match self.token {
            ExpressionToken::Sign(sign) => sign,
            ExpressionToken::Word("and") => "&&",
            ExpressionToken::Word("or") => "||",
            ExpressionToken::Word("in") => "in",
            _ => return None,
        };
        BinaryOperator::find(written)
    }

    fn unary(&mut self) -> Result<Expr, Fault> {
        let at = self.at;
        let operand = match self.token {
            ExpressionToken::Sign("!") => Self::unary,
            ExpressionToken::Sign("-") => Self::unary,
            // The word binds less strongly than the sign: `not a == b` is `!(a == b)`.
            ExpressionToken::Word("not") => |parser: &mut Self| parser.binary(3),
            _ => return self.postfix(),
        };
        let is_negative = self.token == ExpressionToken::Sign("-");
        self.open()?;
        self.advance()?;
        let operand = Box::new(operand(self)?);
        self.nesting -= 1;
        node(if is_negative { ExprKind::Negative(operand) } else { ExprKind::Not(operand) }, at)
    }

    fn postfix(&mut self) -> Result<Expr, Fault> {
        let mut expr = self.primary()?;
        loop {
            let at = self.at;
            if self.take(".")? {
                let at = self.at;
                let name = self.word("the name of a member is missing")?;
                expr = match self.take("(")? {
                    true => self.method(expr, name, at)?,
                    false => node(ExprKind::Member(Box::new(expr), name.into()), at)?,
                };
            } else if self.take("[")? {
                let index = self.expression()?;
                self.expect("]")?;
                expr = node(ExprKind::Index(Box::new([expr, index])), at)?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let at = self.at;
        match self.token.clone() {
            ExpressionToken::Literal(value) => {
                self.advance()?;
                node(ExprKind::Literal(value), at)
            }
            ExpressionToken::Word(word) => self.name(word),
            ExpressionToken::Sign("(") => {
                self.advance()?;
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            ExpressionToken::Sign("[") => {
                self.advance()?;
                let mut items = Vec::new();
                while !self.take("]")? {
                    items.push(self.expression()?);
                    self.separate("]")?;
                }
                node(ExprKind::List(items), at)
            }
            ExpressionToken::Sign("{") => {
                self.advance()?;
                let mut members = Vec::new();
                while !self.take("}")? {
                    let key = self.expression()?;
                    self.expect(":")?;
                    members.push((key, self.expression()?));
                    self.separate("}")?;
                }
                node(ExprKind::Object(members), at)
            }
            ExpressionToken::Sign(_) | ExpressionToken::End => {
                Err(self.fault("a value is missing"))
            }
        }
    }

    /// Reads an expression that begins with a word: a constant, a variable or a function.
    fn name(&mut self, word: &'s str) -> Result<Expr, Fault> {
        let at = self.at;
        let is_variable = self.source[at..].starts_with('$');
        let constant = match word {
            _ if is_variable => None,
            "true" => Some(ExpressionValue::Bool(true)),
            "false" => Some(ExpressionValue::Bool(false)),
            "null" => Some(ExpressionValue::Null),
            _ if RESERVED.contains(&word) => return Err(self.fault("a value is missing")),
            _ => None,
        };
        self.advance()?;
        if let Some(value) = constant {
            return node(ExprKind::Literal(value), at);
        }
        if !is_variable && self.take("(")? {
            return self.function(word, at);
        }
        if let Some(place) = self.bound.iter().rposition(|bound| *bound == word) {
            return node(ExprKind::Local(place), at);
        }
        add(&mut self.variables, word);
        node(ExprKind::Variable(word.into()), at)
    }

    /// Reads the arguments of a function, after its `(`.
    fn function(&mut self, name: &'s str, at: usize) -> Result<Expr, Fault> {
        let test = match name {
            "ok" => Some(EndTest::Ok),
            "failed" => Some(EndTest::Failed),
            "skipped" => Some(EndTest::Skipped),
            _ => None,
        };
        if let Some(test) = test {
            let id: Box<str> = match &self.token {
                ExpressionToken::Word(word) => (*word).into(),
                ExpressionToken::Literal(ExpressionValue::Text(text)) => (&**text).into(),
                _ => return Err(self.fault(&format!("`{name}` takes the id of a call"))),
            };
            self.advance()?;
            self.expect(")")?;
            add(&mut self.calls, &id);
            return node(ExprKind::Ended(test, id), at);
        }
        if let "has" | "exists" = name {
            let inner = self.expression()?;
            self.expect(")")?;
            return node(ExprKind::Has(Box::new(inner)), at);
        }
        if LoopKind::find(name).is_some() {
            let message = format!("`{name}` is written after its list: `list.{name}(x, …)`");
            return Err(Fault::new(at, message));
        }
        self.call(name, Vec::new(), at)
    }

    /// Reads the arguments of a method, after its `(`.
    fn method(&mut self, object: Expr, name: &'s str, at: usize) -> Result<Expr, Fault> {
        let Some((kind, count)) = LoopKind::find(name) else {
            return self.call(name, vec![object], at);
        };
        let variable =
            self.word(&format!("`{name}` takes a variable first, as in `{name}(x, …)`"))?;
        self.bound.push(variable);
        let mut parts = vec![object];
        while !self.take(")")? {
            self.expect(",")?;
            parts.push(self.expression()?);
        }
        self.bound.pop();
        check_count(name, parts.len(), &count, at)?;
        node(ExprKind::Loop(kind, parts), at)
    }

    /// Reads arguments after these, up to the `)`.
    fn call(&mut self, name: &str, mut args: Vec<Expr>, at: usize) -> Result<Expr, Fault> {
        let Some((function, count)) = Function::find(name) else {
            let message = match closest(name) {
                Some(near) => format!("unknown function `{name}`; did you mean `{near}`?"),
                None => format!("unknown function `{name}`"),
            };
            return Err(Fault::new(at, message));
        };
        while !self.take(")")? {
            args.push(self.expression()?);
            self.separate(")")?;
        }
        check_count(name, args.len(), &count, at)?;
        node(ExprKind::Call(function, args), at)
    }

    /// Reads a word that is not reserved.
    fn word(&mut self, or: &str) -> Result<&'s str, Fault> {
        let ExpressionToken::Word(word) = self.token else { return Err(self.fault(or)) };
        self.advance()?;
        Ok(word)
    }

    /// Reads a comma, unless the closing sign follows.
    fn separate(&mut self, close: &'static str) -> Result<(), Fault> {
        if self.token == ExpressionToken::Sign(close) || self.take(",")? {
            return Ok(());
        }
        Err(self.fault(&format!("`,` or `{close}` is missing")))
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), Fault> {
        if self.take(sign)? { Ok(()) } else { Err(self.fault(&format!("`{sign}` is missing"))) }
    }

    /// Reads a sign if it is the next token.
    fn take(&mut self, sign: &'static str) -> Result<bool, Fault> {
        let is_it = self.token == ExpressionToken::Sign(sign);
        if is_it {
            self.advance()?;
        }
        Ok(is_it)
    }

    fn advance(&mut self) -> Result<(), Fault> {
        (self.token, self.at, self.after) = token::next(self.source, self.after)?;
        Ok(())
    }

    fn open(&mut self) -> Result<(), Fault> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH { Err(too_deep(self.at)) } else { Ok(()) }
    }

    fn fault(&self, message: &str) -> Fault {
        Fault::new(self.at, message)
    }
}

fn check_count(
    name: &str,
    count: usize,
    takes: &RangeInclusive<usize>,
    at: usize,
) -> Result<(), Fault> {
    if takes.contains(&count) {
        return Ok(());
    }
    let (least, most) = (takes.start(), takes.end());
    let takes = if least == most { least.to_string() } else { format!("{least} or {most}") };
    let message =
        format!("`{name}` takes {takes} values, including the one before its dot, but got {count}");
    Err(Fault::new(at, message))
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The words that are operators, and so no names without a `$`.
const RESERVED: [&str; 4] = ["and", "or", "not", "in"];
