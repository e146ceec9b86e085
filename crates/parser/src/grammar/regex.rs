use std::cell::RefCell;
use std::collections::HashMap;

use super::set::Set;

/// Regular expressions, each kept once, so that equal ones have equal numbers.
#[derive(Default)]
pub(super) struct Regexes {
    nodes: RefCell<Vec<Node>>,
    numbers: RefCell<HashMap<Node, Re>>,
    /// What [`Regexes::behind`] found.
    behind: RefCell<HashMap<(Re, u32), Re>>,
}

/// The number of a regular expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Re(u32);

/// What a regular expression is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// One character of the set; of the empty one, nothing at all.
    Set(Set),
    /// The empty text.
    Empty,
    /// One behind the other. The first is no `Seq`.
    Seq(Re, Re),
    /// One of them, sorted; none is an `Any`.
    Any(Vec<Re>),
    /// What all of them match, sorted; none is an `All`.
    All(Vec<Re>),
    /// What it does not match.
    Not(Re),
    /// As many times, at least and at most.
    Repeat(Re, u32, Option<u32>),
    /// The same, printed under a name.
    Named(&'static str, Re),
}

impl Regexes {
    pub(super) fn node(&self, re: Re) -> Node {
        self.nodes.borrow()[re.0 as usize].clone()
    }

    /// The same, printed under a name.
    pub(super) fn name(&self, name: &'static str, re: Re) -> Re {
        self.keep(Node::Named(name, re))
    }

    /// Everything that has a name, in the order in which the names were given.
    pub(super) fn names(&self) -> Vec<(&'static str, Re)> {
        let named = |node: &Node| match *node {
            Node::Named(name, re) => Some((name, re)),
            _ => None,
        };
        self.nodes.borrow().iter().filter_map(named).collect()
    }

    pub(super) fn name_of(&self, re: Re) -> Option<&'static str> {
        match self.node(re) {
            Node::Named(name, _) => Some(name),
            _ => None,
        }
    }

    pub(super) fn set(&self, set: Set) -> Re {
        self.keep(Node::Set(set))
    }

    /// One of these characters.
    pub(super) fn of(&self, chars: &str) -> Re {
        self.set(Set::of(chars))
    }

    /// One character that is none of these.
    pub(super) fn but(&self, chars: &str) -> Re {
        self.set(Set::of(chars).inverse())
    }

    pub(super) fn text(&self, text: &str) -> Re {
        self.seq(
            &text
                .chars()
                .map(|char| self.set([(char, char)].into_iter().collect()))
                .collect::<Vec<_>>(),
        )
    }

    pub(super) fn seq(&self, parts: &[Re]) -> Re {
        let empty = self.keep(Node::Empty);
        parts.iter().rev().fold(empty, |rest, &part| self.pair(part, rest))
    }

    pub(super) fn any(&self, parts: &[Re]) -> Re {
        let mut flat = Vec::new();
        for &part in parts {
            match self.node(part) {
                Node::Any(inner) => flat.extend(inner),
                Node::Set(set) if set.is_empty() => {}
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
            _ => self.keep(Node::Any(flat)),
        }
    }

    pub(super) fn all(&self, parts: &[Re]) -> Re {
        let everything = self.not(self.nothing());
        let mut flat = Vec::new();
        for &part in parts {
            match self.node(part) {
                Node::All(inner) => flat.extend(inner),
                Node::Set(set) if set.is_empty() => return part,
                _ if part == everything => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match *flat {
            [] => everything,
            [one] => one,
            _ => self.keep(Node::All(flat)),
        }
    }

    pub(super) fn not(&self, re: Re) -> Re {
        match self.node(re) {
            Node::Not(inner) => inner,
            _ => self.keep(Node::Not(re)),
        }
    }

    pub(super) fn repeat(&self, re: Re, min: u32, max: Option<u32>) -> Re {
        match (self.node(re), min, max) {
            (_, _, Some(0)) | (Node::Empty, ..) => self.keep(Node::Empty),
            (Node::Set(set), 0, _) if set.is_empty() => self.keep(Node::Empty),
            (_, 1, Some(1)) => re,
            _ => self.keep(Node::Repeat(re, min, max)),
        }
    }

    pub(super) fn many(&self, re: Re) -> Re {
        self.repeat(re, 0, None)
    }

    pub(super) fn maybe(&self, re: Re) -> Re {
        self.repeat(re, 0, Some(1))
    }

    /// Whether it matches the empty text.
    pub(super) fn is_nullable(&self, re: Re) -> bool {
        match self.node(re) {
            Node::Set(_) => false,
            Node::Empty => true,
            Node::Seq(first, rest) => self.is_nullable(first) && self.is_nullable(rest),
            Node::Any(parts) => parts.iter().any(|&part| self.is_nullable(part)),
            Node::All(parts) => parts.iter().all(|&part| self.is_nullable(part)),
            Node::Not(inner) => !self.is_nullable(inner),
            Node::Repeat(inner, min, _) => min == 0 || self.is_nullable(inner),
            Node::Named(_, inner) => self.is_nullable(inner),
        }
    }

    /// What may follow `point` in a text that it matches: Brzozowski's derivative.
    pub(super) fn behind(&self, re: Re, point: u32) -> Re {
        if let Some(&known) = self.behind.borrow().get(&(re, point)) {
            return known;
        }
        let behind = match self.node(re) {
            Node::Set(set) if set.holds(point) => self.keep(Node::Empty),
            Node::Set(_) | Node::Empty => self.nothing(),
            Node::Seq(first, rest) => {
                let inside = self.pair(self.behind(first, point), rest);
                if self.is_nullable(first) {
                    self.any(&[inside, self.behind(rest, point)])
                } else {
                    inside
                }
            }
            Node::Any(parts) => self.any(&self.all_behind(&parts, point)),
            Node::All(parts) => self.all(&self.all_behind(&parts, point)),
            Node::Not(inner) => self.not(self.behind(inner, point)),
            Node::Repeat(inner, min, max) => {
                let (min, max) = (min.saturating_sub(1), max.map(|max| max - 1));
                self.pair(self.behind(inner, point), self.repeat(inner, min, max))
            }
            Node::Named(_, inner) => self.behind(inner, point),
        };
        self.behind.borrow_mut().insert((re, point), behind);
        behind
    }

    /// Every set of characters that it names.
    pub(super) fn sets(&self, re: Re, out: &mut Vec<Set>) {
        match self.node(re) {
            Node::Set(set) => out.push(set),
            Node::Empty => {}
            Node::Seq(first, rest) => {
                self.sets(first, out);
                self.sets(rest, out);
            }
            Node::Any(parts) | Node::All(parts) => {
                for part in parts {
                    self.sets(part, out);
                }
            }
            Node::Not(inner) | Node::Repeat(inner, ..) | Node::Named(_, inner) => {
                self.sets(inner, out);
            }
        }
    }

    fn all_behind(&self, parts: &[Re], point: u32) -> Vec<Re> {
        parts.iter().map(|&part| self.behind(part, point)).collect()
    }

    fn pair(&self, first: Re, rest: Re) -> Re {
        match (self.node(first), self.node(rest)) {
            (Node::Empty, _) => rest,
            (_, Node::Empty) => first,
            (Node::Set(set), _) if set.is_empty() => first,
            (_, Node::Set(set)) if set.is_empty() => rest,
            (Node::Seq(start, middle), _) => self.pair(start, self.pair(middle, rest)),
            _ => self.keep(Node::Seq(first, rest)),
        }
    }

    /// What matches no text.
    fn nothing(&self) -> Re {
        self.keep(Node::Set(Set::default()))
    }

    fn keep(&self, node: Node) -> Re {
        *self.numbers.borrow_mut().entry(node).or_insert_with_key(|node| {
            let mut nodes = self.nodes.borrow_mut();
            nodes.push(node.clone());
            Re(nodes.len() as u32 - 1)
        })
    }
}
