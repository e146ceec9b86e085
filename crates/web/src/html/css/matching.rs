//! The elements that a selector matches.
//!
//! This module uses the elements around an element. Its work is limited, because a page may have
//! selectors that take long on purpose.

use std::cell::Cell;

use super::CssFit;
use super::selector::{CssCompound, CssRelation, CssSelector, CssTest};
use crate::html::entities;
use crate::html::tokens::StartTag;
use crate::html::tree::HtmlTree;

/// The number of the element `html`, which is above node 0, the body.
pub(in crate::html) const HTML: usize = usize::MAX;

/// The elements of a page, as selectors need them.
pub(super) struct ElementFinder<'t, 'h> {
    pub(super) tree: &'t HtmlTree<'h>,
    /// The element before each node below the same parent, or 0.
    previous: Vec<usize>,
    /// The place of each element below its parent, from 1.
    place: Vec<i32>,
    /// The last element below each node, or 0.
    last: Vec<usize>,
    steps: Cell<usize>,
}

impl<'t, 'h> ElementFinder<'t, 'h> {
    pub(super) fn new(tree: &'t HtmlTree<'h>) -> Self {
        let count = tree.nodes.len();
        let (mut previous, mut place, mut last) = (vec![0; count], vec![0; count], vec![0; count]);
        for node in (1..count).filter(|&node| tree.element(node).is_some()) {
            let parent = tree.nodes[node].parent;
            previous[node] = last[parent];
            place[node] = if last[parent] == 0 { 1 } else { place[last[parent]] + 1 };
            last[parent] = node;
        }
        Self { tree, previous, place, last, steps: Cell::new(MAX_STEPS) }
    }

    /// Returns whether the work takes longer than the limit. Then nothing that was found counts.
    pub(super) const fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Returns the tag of an element.
    pub(super) fn tag(&self, node: usize) -> Option<&'t StartTag<'h>> {
        if node == HTML { Some(&self.tree.html) } else { self.tree.element(node) }
    }

    /// Returns whether a selector means an element.
    pub(super) fn fit(&self, selector: &CssSelector, node: usize) -> CssFit {
        self.fit_from(&selector.parts, node)
    }

    fn fit_from(&self, parts: &[(CssRelation, CssCompound)], node: usize) -> CssFit {
        let Some(((_, compound), outer)) = parts.split_first() else { return CssFit::Yes };
        let own = self.fit_compound(compound, node);
        let Some((relation, _)) = outer.first().filter(|_| own != CssFit::No) else { return own };
        let parent = |&node: &usize| self.parent(node);
        let before = |&node: &usize| self.before(node);
        let best = match relation {
            CssRelation::Above => {
                self.best(outer, std::iter::successors(self.parent(node), parent))
            }
            CssRelation::Before => {
                self.best(outer, std::iter::successors(self.before(node), before))
            }
            CssRelation::Parent => self.best(outer, self.parent(node).into_iter()),
            CssRelation::Previous => self.best(outer, self.before(node).into_iter()),
        };
        own.min(best)
    }

    fn best(
        &self,
        parts: &[(CssRelation, CssCompound)],
        nodes: impl Iterator<Item = usize>,
    ) -> CssFit {
        let mut best = CssFit::No;
        for node in nodes {
            best = best.max(self.fit_from(parts, node));
            if best == CssFit::Yes || self.is_exhausted() {
                break;
            }
        }
        best
    }

    fn parent(&self, node: usize) -> Option<usize> {
        match node {
            HTML => None,
            0 => Some(HTML),
            node => Some(self.tree.nodes[node].parent),
        }
    }

    fn before(&self, node: usize) -> Option<usize> {
        self.previous.get(node).copied().filter(|before| *before != 0)
    }

    fn fit_compound(&self, compound: &CssCompound, node: usize) -> CssFit {
        self.steps.set(self.steps.get().saturating_sub(1));
        let Some(tag) = self.tag(node) else { return CssFit::No };
        if compound.name.as_ref().is_some_and(|name| *name != tag.name) {
            return CssFit::No;
        }
        let value = |name: &str| tag.attribute(name).map(entities::decode).unwrap_or_default();
        if !compound.ids.is_empty() {
            let id = value("id");
            if !compound.ids.iter().all(|one| one.eq_ignore_ascii_case(&id)) {
                return CssFit::No;
            }
        }
        if !compound.classes.is_empty() {
            let classes = value("class");
            let has = |name: &String| {
                classes.split_ascii_whitespace().any(|class| class.eq_ignore_ascii_case(name))
            };
            if !compound.classes.iter().all(has) {
                return CssFit::No;
            }
        }
        compound
            .tests
            .iter()
            .map(|test| self.fit_test(test, tag, node))
            .min()
            .unwrap_or(CssFit::Yes)
    }

    fn fit_test(&self, test: &CssTest, tag: &StartTag<'_>, node: usize) -> CssFit {
        let holds = |holds: bool| if holds { CssFit::Yes } else { CssFit::No };
        let any = |selectors: &[CssSelector]| {
            selectors.iter().map(|one| self.fit(one, node)).max().unwrap_or(CssFit::No)
        };
        // Not all children of the body are known, because its tags may be missing.
        let place = |holds_at: &dyn Fn(i32) -> bool| match self.place.get(node) {
            Some(place) if node != 0 && self.tree.nodes[node].parent != 0 => {
                holds(holds_at(*place))
            }
            _ => CssFit::Perhaps,
        };
        let is_last = || self.last[self.tree.nodes[node].parent] == node;
        match test {
            CssTest::Attribute(name, operator, wanted) => {
                let value = tag.attribute(name).map(entities::decode);
                holds(value.is_some_and(|value| is_value(&value, *operator, wanted)))
            }
            CssTest::Any(selectors) => any(selectors),
            CssTest::None(selectors) => any(selectors).not(),
            CssTest::Root => holds(node == HTML),
            CssTest::Link => holds(tag.name == "a" && tag.attribute("href").is_some()),
            CssTest::Nth(factor, rest) => place(&|place| {
                let from = place.saturating_sub(*rest);
                if *factor == 0 { from == 0 } else { from % factor == 0 && from / factor >= 0 }
            }),
            CssTest::Last => place(&|_| is_last()),
            CssTest::Only => place(&|place| place == 1 && is_last()),
            CssTest::Never => CssFit::No,
            CssTest::Unknown => CssFit::Perhaps,
        }
    }
}

fn is_value(value: &str, operator: char, wanted: &str) -> bool {
    let (value, wanted) = (value.to_ascii_lowercase(), wanted.to_ascii_lowercase());
    let is_some = !wanted.is_empty();
    match operator {
        '?' => true,
        '=' => value == wanted,
        '~' => value.split_ascii_whitespace().any(|word| word == wanted),
        '|' => {
            value.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        '^' => is_some && value.starts_with(&wanted),
        '$' => is_some && value.ends_with(&wanted),
        _ => is_some && value.contains(&wanted),
    }
}

/// The number of elements that are compared with a part of a selector at most.
const MAX_STEPS: usize = 20_000_000;
