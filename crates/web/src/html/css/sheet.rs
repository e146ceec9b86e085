//! The rules of style sheets.
//!
//! This module parses statements, blocks, at-rules and nested rules. It keeps only rules that set
//! something that can hide text.

use std::collections::HashMap;

use super::CssFit;
use super::declarations::{Declaration, declare};
use super::media;
use super::scan::{split, unescaped, until, without_comments};
use super::selector::CssSelector;

/// The rules of all style sheets of a page, in order.
#[derive(Debug, Default)]
pub(super) struct CssRules {
    pub(super) rules: Vec<CssRule>,
    /// The declarations of rules; several rules share a block.
    pub(super) blocks: Vec<Vec<Declaration>>,
    /// Custom properties with their values; `None` if a property has several.
    pub(super) variables: HashMap<String, Option<String>>,
    /// Whether there are more rules than are kept.
    pub(super) is_cut: bool,
}

/// A selector and its declarations.
#[derive(Debug)]
pub(super) struct CssRule {
    pub(super) selector: CssSelector,
    pub(super) block: usize,
    /// Whether the conditions around it hold.
    pub(super) condition: CssFit,
    pub(super) is_layered: bool,
}

/// The context of a rule.
#[derive(Clone)]
struct Surroundings {
    condition: CssFit,
    is_layered: bool,
    /// The selectors of the rule that it is nested in.
    outer: Option<String>,
    depth: usize,
}

impl CssRules {
    /// Adds a style sheet, which is for this media.
    pub(super) fn add(&mut self, css: &str, media: &str) {
        let condition = media::fit(media);
        if condition != CssFit::No {
            let around = Surroundings { condition, is_layered: false, outer: None, depth: 0 };
            self.read(&without_comments(css), &around);
        }
    }

    fn read(&mut self, css: &str, around: &Surroundings) {
        let mut rest = css;
        while let Some((item, after)) = next_item(rest) {
            rest = after;
            match item {
                CssItem::Block(prelude, inside) => self.block(prelude.trim(), inside, around),
                CssItem::Statement(_) => {}
            }
        }
    }

    fn block(&mut self, prelude: &str, inside: &str, around: &Surroundings) {
        if around.depth == MAX_DEPTH {
            self.is_cut = true;
            return;
        }
        let mut inner = Surroundings { depth: around.depth + 1, ..around.clone() };
        let Some(rule) = prelude.strip_prefix('@') else {
            // Older pages hide their sheets from older browsers in comments of HTML.
            let prelude = prelude.trim_start_matches("<!--").trim_start_matches("-->").trim();
            if !prelude.starts_with("--") {
                self.rule(prelude, inside, around);
            }
            return;
        };
        let end = rule.find(|char: char| !char.is_ascii_alphanumeric() && char != '-');
        let (name, condition) = rule.split_at(end.unwrap_or(rule.len()));
        match &*name.to_ascii_lowercase() {
            "media" => inner.condition = inner.condition.min(media::fit(condition)),
            "layer" => inner.is_layered = true,
            // Whether a browser supports a property, or how large a container is, is not known
            // here.
            "supports" | "container" | "scope" => {
                inner.condition = inner.condition.min(CssFit::Perhaps);
            }
            // Frames, fonts, pages and the start of an animation are not rules of an element.
            _ => return,
        }
        if inner.condition == CssFit::No {
            return;
        }
        match around.outer.clone() {
            // A condition within a rule is about that rule.
            Some(outer) => {
                inner.outer = None;
                self.rule(&outer, inside, &inner);
            }
            None => self.read(inside, &inner),
        }
    }

    fn rule(&mut self, prelude: &str, inside: &str, around: &Surroundings) {
        let selectors = match &around.outer {
            Some(outer) => nested(prelude, outer),
            None => prelude.to_owned(),
        };
        let mut declarations = Vec::new();
        let inner = Surroundings {
            outer: Some(selectors.clone()),
            depth: around.depth + 1,
            ..around.clone()
        };
        let mut rest = inside;
        while let Some((item, after)) = next_item(rest) {
            rest = after;
            match item {
                CssItem::Block(..) if selectors.len() > MAX_OUTER => self.is_cut = true,
                CssItem::Block(prelude, inside) => self.block(prelude.trim(), inside, &inner),
                CssItem::Statement(text) => match text.split_once(':') {
                    Some((name, value)) if name.trim().starts_with("--") => {
                        self.variable(name.trim(), value);
                    }
                    Some((name, value)) => declare(name, value, &mut declarations),
                    None => {}
                },
            }
        }
        if declarations.is_empty() {
            return;
        }
        self.is_cut |= selectors.len() > MAX_PRELUDE;
        if self.is_cut {
            return;
        }
        for selector in CssSelector::parse_list(&selectors) {
            if self.rules.len() == MAX_RULES {
                self.is_cut = true;
                return;
            }
            let block = self.blocks.len();
            let Surroundings { condition, is_layered, .. } = *around;
            self.rules.push(CssRule { selector, block, condition, is_layered });
        }
        self.blocks.push(declarations);
    }

    fn variable(&mut self, name: &str, value: &str) {
        let value = unescaped(value.trim()).to_ascii_lowercase();
        if self.variables.len() < MAX_RULES && value.len() < MAX_VALUE {
            let known = self.variables.entry(unescaped(name).to_ascii_lowercase());
            let known = known.or_insert_with(|| Some(value.clone()));
            known.take_if(|known| *known != value);
        }
    }
}

/// Returns the selectors of a rule within another one.
fn nested(prelude: &str, outer: &str) -> String {
    let outer = format!(":is({outer})");
    let parts = split(prelude, ',').into_iter().map(|part| {
        if part.contains('&') { part.replace('&', &outer) } else { format!("{outer} {part}") }
    });
    let mut all = String::new();
    for part in parts {
        if !all.is_empty() {
            all.push(',');
        }
        all.push_str(&part);
        if all.len() > MAX_PRELUDE {
            break;
        }
    }
    all
}

/// A part of a style sheet or of a block.
enum CssItem<'c> {
    /// A declaration, or a rule without a block.
    Statement(&'c str),
    /// The text before a block, and the text in it.
    Block(&'c str, &'c str),
}

/// Takes the next item of a text without comments, and returns the rest.
fn next_item(css: &str) -> Option<(CssItem<'_>, &str)> {
    let css = css.trim_start();
    if css.is_empty() {
        return None;
    }
    let end = until(css, b";{}");
    let (before, after) = css.split_at(end);
    let rest = after.get(1..).unwrap_or_default();
    if !after.starts_with('{') {
        return Some((CssItem::Statement(before), rest));
    }
    let mut depth = 1;
    let mut at = 0;
    while depth > 0 && at < rest.len() {
        at += until(&rest[at..], b"{}");
        match rest.as_bytes().get(at) {
            Some(b'{') => depth += 1,
            Some(_) => depth -= 1,
            None => break,
        }
        at += 1;
    }
    let inside = if depth == 0 { &rest[..at - 1] } else { rest };
    Some((CssItem::Block(before, inside), rest.get(at..).unwrap_or_default()))
}

/// The maximum depth of nested rules.
const MAX_DEPTH: usize = 8;

/// The maximum number of rules, and of custom properties.
const MAX_RULES: usize = 50_000;

/// The maximum length of the selectors of a rule.
const MAX_PRELUDE: usize = 256 << 10;

/// The maximum length of the selectors of a rule with nested rules.
const MAX_OUTER: usize = 4 << 10;

const MAX_VALUE: usize = 200;
