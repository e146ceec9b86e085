//! The combined effect of all rules on an element.
//!
//! This module decides which rule takes precedence. It looks a rule up by the last part of its
//! selector, because a page may have thousands.

use std::borrow::Cow;
use std::collections::HashMap;

use super::CssFit;
use super::declarations::{CssProperty, Declaration, declarations};
use super::matching::ElementFinder;
use super::selector::CssCompound;
use super::sheet::{CssRule, CssRules};
use crate::html::entities;
use crate::html::tree::HtmlTree;

/// All style sheets of a page.
pub(in crate::html) struct Cascade<'t, 'h> {
    rules: CssRules,
    finder: ElementFinder<'t, 'h>,
    /// The rules whose last part needs an id, a class or a name, and those that need none of them.
    by_key: HashMap<String, Vec<usize>>,
    general: Vec<usize>,
}

/// The properties of an element: for each, the value that certainly holds, and the values that hold
/// perhaps.
#[derive(Debug, Default)]
pub(in crate::html) struct ElementStyle {
    values: Vec<(CssProperty, String)>,
}

impl ElementStyle {
    /// Returns the possible values of a property; the first one is the most certain.
    pub(in crate::html) fn all(&self, property: CssProperty) -> impl Iterator<Item = &str> {
        let values = self.values.iter().filter(move |(known, _)| *known == property);
        values.map(|(_, value)| value.as_str())
    }
}

/// Greater values take precedence.
type Priority = (bool, bool, bool, [u16; 3], usize);

impl<'t, 'h> Cascade<'t, 'h> {
    pub(in crate::html) fn new(tree: &'t HtmlTree<'h>) -> Self {
        let mut rules = CssRules::default();
        for sheet in &tree.styles {
            rules.add(sheet.css, &entities::decode(sheet.media));
        }
        let (mut by_key, mut general) = (HashMap::<String, Vec<usize>>::new(), Vec::new());
        for (index, rule) in rules.rules.iter().enumerate() {
            match key(&rule.selector.parts[0].1) {
                Some(key) => by_key.entry(key).or_default().push(index),
                None => general.push(index),
            }
        }
        Self { rules, finder: ElementFinder::new(tree), by_key, general }
    }

    /// Returns whether the style sheets are too large or too slow to be understood.
    pub(in crate::html) const fn is_cut(&self) -> bool {
        self.rules.is_cut || self.finder.is_exhausted()
    }

    /// Returns the properties of an element.
    pub(in crate::html) fn style(&self, node: usize) -> ElementStyle {
        let Some(tag) = self.finder.tag(node) else { return ElementStyle::default() };
        let mut found: Vec<(Priority, CssFit, Cow<'_, Declaration>)> = Vec::new();
        let value = |name: &str| tag.attribute(name).map(entities::decode).unwrap_or_default();
        let names = value("class").to_ascii_lowercase();
        let mut keys: Vec<_> =
            names.split_ascii_whitespace().map(|class| format!(".{class}")).collect();
        keys.push(format!("#{}", value("id").to_ascii_lowercase()));
        keys.push(tag.name.clone().into_owned());
        keys.sort_unstable();
        keys.dedup();
        let keyed = keys.iter().filter_map(|key| self.by_key.get(key)).flatten();
        for &index in keyed.chain(&self.general) {
            let CssRule { selector, block, condition, is_layered } = &self.rules.rules[index];
            let fit = self.finder.fit(selector, node).min(*condition);
            if fit == CssFit::No {
                continue;
            }
            for declaration in &self.rules.blocks[*block] {
                let important = declaration.is_important;
                // Among important rules, rules in layers take precedence.
                let priority =
                    (important, false, *is_layered == important, selector.specificity, index);
                found.push((priority, fit, Cow::Borrowed(declaration)));
            }
        }
        if let Some(style) = tag.attribute("style") {
            for declaration in declarations(&entities::decode(style)) {
                let priority = (declaration.is_important, true, true, [0; 3], 0);
                found.push((priority, CssFit::Yes, Cow::Owned(declaration)));
            }
        }
        found.sort_by_key(|one| one.0);
        let mut style = ElementStyle::default();
        for (_, fit, declaration) in found {
            let property = declaration.property;
            if fit == CssFit::Yes {
                style.values.retain(|(known, _)| *known != property);
            }
            style.values.push((property, self.value(&declaration.value)));
        }
        style
    }

    /// Replaces a custom property by its value, if the page sets one only.
    fn value(&self, value: &str) -> String {
        let Some((before, rest)) = value.split_once("var(") else { return value.to_owned() };
        let (name, after) = rest.split_once(')').unwrap_or((rest, ""));
        let name = name.split(',').next().unwrap_or_default().trim();
        match self.rules.variables.get(name) {
            Some(Some(one)) => format!("{before}{one}{after}"),
            _ => value.to_owned(),
        }
    }
}

/// Returns the id, class or name that an element needs for the last part of a selector.
fn key(compound: &CssCompound) -> Option<String> {
    let id = compound.ids.first().map(|id| format!("#{id}"));
    let class = || compound.classes.first().map(|class| format!(".{class}"));
    id.or_else(class).or_else(|| compound.name.clone())
}
