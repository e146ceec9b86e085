//! Regular expressions with intersection and complement.
//!
//! Each expression is interned: equal ones have the same id. The constructors simplify, so that the
//! derivatives of an expression are finitely many.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::char_set::CharSet;

/// An interner of regular expressions.
#[derive(Default)]
pub(crate) struct Regexes {
    nodes: RefCell<Vec<RegexNode>>,
    ids: RefCell<HashMap<RegexNode, RegexId>>,
    /// A cache for [`Regexes::derivative`].
    derivatives: RefCell<HashMap<(RegexId, u32), RegexId>>,
}

/// The id of a regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RegexId(u32);

/// A regular expression by its parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RegexNode {
    /// One character of a set. The empty set matches no text.
    Set(CharSet),
    /// The empty text.
    Empty,
    /// Two expressions, one after the other. The first is never a `Seq`.
    Seq(RegexId, RegexId),
    /// Any of some expressions, which are sorted, and none of which is an `Any`.
    Any(Vec<RegexId>),
    /// The texts that all of some expressions match, which are sorted, and none of which is an
    /// `All`.
    All(Vec<RegexId>),
    /// The texts that an expression does not match.
    Not(RegexId),
    /// An expression, at least and at most so many times.
    Repeat(RegexId, u32, Option<u32>),
    /// An expression that is printed by its name.
    Named(&'static str, RegexId),
}

/// The precedence of an operator, from loose to tight. Printers use it to place parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    Any,
    All,
    Seq,
    One,
}

impl Regexes {
    pub(crate) fn node(&self, re: RegexId) -> RegexNode {
        self.nodes.borrow()[re.0 as usize].clone()
    }

    /// Gives an expression a name, by which it is printed.
    pub(crate) fn name(&self, name: &'static str, re: RegexId) -> RegexId {
        self.intern(RegexNode::Named(name, re))
    }

    /// Returns all named expressions, in the order in which they were named.
    pub(crate) fn names(&self) -> Vec<(&'static str, RegexId)> {
        let named = |node: &RegexNode| match *node {
            RegexNode::Named(name, re) => Some((name, re)),
            _ => None,
        };
        self.nodes.borrow().iter().filter_map(named).collect()
    }

    pub(crate) fn name_of(&self, re: RegexId) -> Option<&'static str> {
        match self.node(re) {
            RegexNode::Named(name, _) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn set(&self, set: CharSet) -> RegexId {
        self.intern(RegexNode::Set(set))
    }

    /// Returns any of these characters.
    pub(crate) fn one_of(&self, chars: &str) -> RegexId {
        self.set(CharSet::from_chars(chars))
    }

    /// Returns any character except these.
    pub(crate) fn none_of(&self, chars: &str) -> RegexId {
        self.set(CharSet::from_chars(chars).complement())
    }

    pub(crate) fn text(&self, text: &str) -> RegexId {
        self.seq(
            &text
                .chars()
                .map(|char| self.set([(char, char)].into_iter().collect()))
                .collect::<Vec<_>>(),
        )
    }

    pub(crate) fn seq(&self, parts: &[RegexId]) -> RegexId {
        let empty = self.intern(RegexNode::Empty);
        parts.iter().rev().fold(empty, |rest, &part| self.pair(part, rest))
    }

    pub(crate) fn any(&self, parts: &[RegexId]) -> RegexId {
        let mut flat = Vec::new();
        for &part in parts {
            match self.node(part) {
                RegexNode::Any(inner) => flat.extend(inner),
                RegexNode::Set(set) if set.is_empty() => {}
                _ => flat.push(part),
            }
        }
        let everything = self.not(self.nothing());
        if flat.contains(&everything) {
            return everything;
        }
        flat.sort_unstable();
        flat.dedup();
        match *flat {
            [] => self.nothing(),
            [one] => one,
            _ => self.intern(RegexNode::Any(flat)),
        }
    }

    pub(crate) fn all(&self, parts: &[RegexId]) -> RegexId {
        let everything = self.not(self.nothing());
        let mut flat = Vec::new();
        for &part in parts {
            match self.node(part) {
                RegexNode::All(inner) => flat.extend(inner),
                RegexNode::Set(set) if set.is_empty() => return part,
                _ if part == everything => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match *flat {
            [] => everything,
            [one] => one,
            _ => self.intern(RegexNode::All(flat)),
        }
    }

    pub(crate) fn not(&self, re: RegexId) -> RegexId {
        match self.node(re) {
            RegexNode::Not(inner) => inner,
            _ => self.intern(RegexNode::Not(re)),
        }
    }

    pub(crate) fn repeat(&self, re: RegexId, min: u32, max: Option<u32>) -> RegexId {
        match (self.node(re), min, max) {
            (_, _, Some(0)) | (RegexNode::Empty, ..) => self.intern(RegexNode::Empty),
            (RegexNode::Set(set), 0, _) if set.is_empty() => self.intern(RegexNode::Empty),
            (_, 1, Some(1)) => re,
            _ => self.intern(RegexNode::Repeat(re, min, max)),
        }
    }

    pub(crate) fn many(&self, re: RegexId) -> RegexId {
        self.repeat(re, 0, None)
    }

    pub(crate) fn optional(&self, re: RegexId) -> RegexId {
        self.repeat(re, 0, Some(1))
    }

    /// Returns whether the expression matches the empty text.
    pub(crate) fn is_nullable(&self, re: RegexId) -> bool {
        match self.node(re) {
            RegexNode::Set(_) => false,
            RegexNode::Empty => true,
            RegexNode::Seq(first, rest) => self.is_nullable(first) && self.is_nullable(rest),
            RegexNode::Any(parts) => parts.iter().any(|&part| self.is_nullable(part)),
            RegexNode::All(parts) => parts.iter().all(|&part| self.is_nullable(part)),
            RegexNode::Not(inner) => !self.is_nullable(inner),
            RegexNode::Repeat(inner, min, _) => min == 0 || self.is_nullable(inner),
            RegexNode::Named(_, inner) => self.is_nullable(inner),
        }
    }

    /// Returns Brzozowski's derivative: the rests of those texts of `re` that begin with `point`.
    pub(crate) fn derivative(&self, re: RegexId, point: u32) -> RegexId {
        if let Some(&known) = self.derivatives.borrow().get(&(re, point)) {
            return known;
        }
        let derivative = match self.node(re) {
            RegexNode::Set(set) if set.contains(point) => self.intern(RegexNode::Empty),
            RegexNode::Set(_) | RegexNode::Empty => self.nothing(),
            RegexNode::Seq(first, rest) => {
                let inside = self.pair(self.derivative(first, point), rest);
                if self.is_nullable(first) {
                    self.any(&[inside, self.derivative(rest, point)])
                } else {
                    inside
                }
            }
            RegexNode::Any(parts) => self.any(&self.all_derivatives(&parts, point)),
            RegexNode::All(parts) => self.all(&self.all_derivatives(&parts, point)),
            RegexNode::Not(inner) => self.not(self.derivative(inner, point)),
            RegexNode::Repeat(inner, min, max) => {
                let (min, max) = (min.saturating_sub(1), max.map(|max| max - 1));
                self.pair(self.derivative(inner, point), self.repeat(inner, min, max))
            }
            RegexNode::Named(_, inner) => self.derivative(inner, point),
        };
        self.derivatives.borrow_mut().insert((re, point), derivative);
        derivative
    }

    /// Collects the sets of characters in an expression.
    pub(crate) fn sets(&self, re: RegexId, out: &mut Vec<CharSet>) {
        match self.node(re) {
            RegexNode::Set(set) => out.push(set),
            RegexNode::Empty => {}
            RegexNode::Seq(first, rest) => {
                self.sets(first, out);
                self.sets(rest, out);
            }
            RegexNode::Any(parts) | RegexNode::All(parts) => {
                for part in parts {
                    self.sets(part, out);
                }
            }
            RegexNode::Not(inner) | RegexNode::Repeat(inner, ..) | RegexNode::Named(_, inner) => {
                self.sets(inner, out);
            }
        }
    }

    fn all_derivatives(&self, parts: &[RegexId], point: u32) -> Vec<RegexId> {
        parts.iter().map(|&part| self.derivative(part, point)).collect()
    }

    fn pair(&self, first: RegexId, rest: RegexId) -> RegexId {
        match (self.node(first), self.node(rest)) {
            (RegexNode::Empty, _) => rest,
            (_, RegexNode::Empty) => first,
            (RegexNode::Set(set), _) if set.is_empty() => first,
            (_, RegexNode::Set(set)) if set.is_empty() => rest,
            (RegexNode::Seq(start, middle), _) => self.pair(start, self.pair(middle, rest)),
            _ => self.intern(RegexNode::Seq(first, rest)),
        }
    }

    /// Returns the expression that matches no text.
    fn nothing(&self) -> RegexId {
        self.intern(RegexNode::Set(CharSet::default()))
    }

    fn intern(&self, node: RegexNode) -> RegexId {
        *self.ids.borrow_mut().entry(node).or_insert_with_key(|node| {
            let mut nodes = self.nodes.borrow_mut();
            nodes.push(node.clone());
            RegexId(nodes.len() as u32 - 1)
        })
    }
}
