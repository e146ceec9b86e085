//! Selectors of style sheets.
//!
//! This module parses selectors. A part that cannot be decided from a page alone, such as `:has`,
//! becomes a test that holds perhaps.

use super::scan::{escaped, split, unescaped, until};

/// A selector, such as `main > p.note`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CssSelector {
    /// The parts from the last to the first, each with its relation to the part after it.
    pub(super) parts: Vec<(CssRelation, CssCompound)>,
    /// The number of ids, of classes and the like, and of names, in this order.
    pub(super) specificity: [u16; 3],
}

/// The relation of an element to the element of the next part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CssRelation {
    /// It is above it.
    Above,
    Parent,
    /// It is right before it.
    Previous,
    /// It is before it, below the same parent.
    Before,
}

/// The conditions for one element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CssCompound {
    pub(super) name: Option<String>,
    pub(super) ids: Vec<String>,
    pub(super) classes: Vec<String>,
    pub(super) tests: Vec<CssTest>,
}

/// A test of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CssTest {
    /// The name of an attribute, the comparison, and the value.
    Attribute(String, char, String),
    /// One of these fits.
    Any(Vec<CssSelector>),
    None(Vec<CssSelector>),
    /// The element is the outermost one.
    Root,
    Link,
    /// Its place among the elements of its parent is `a * n + b`.
    Nth(i32, i32),
    Last,
    Only,
    /// It holds for no element as the page is loaded, such as `:hover`.
    Never,
    Unknown,
}

impl CssSelector {
    /// Reads selectors between commas, and leaves out anything else.
    pub(super) fn parse_list(text: &str) -> Vec<Self> {
        list(text, 0)
    }
}

fn list(text: &str, depth: usize) -> Vec<CssSelector> {
    split(text, ',').into_iter().filter_map(|text| selector(text, depth)).collect()
}

fn selector(text: &str, depth: usize) -> Option<CssSelector> {
    let mut parts = Vec::new();
    let mut specificity = [0; 3];
    // A relative selector within another one begins with a relation; it is left out.
    let mut rest = text.trim();
    let mut relation = CssRelation::Above;
    while !rest.is_empty() {
        let (compound, after) = compound(rest, depth, &mut specificity)?;
        parts.push((relation, compound));
        if parts.len() > MAX_PARTS {
            return None;
        }
        rest = after.trim_start();
        relation = match rest.bytes().next() {
            Some(b'>') => CssRelation::Parent,
            Some(b'+') => CssRelation::Previous,
            Some(b'~') => CssRelation::Before,
            _ => CssRelation::Above,
        };
        if relation != CssRelation::Above {
            rest = rest[1..].trim_start();
            if rest.is_empty() {
                return None;
            }
        }
    }
    if parts.is_empty() {
        return None;
    }
    // The relation of a part to the one after it was read with that one.
    for at in 0..parts.len() - 1 {
        parts[at].0 = parts[at + 1].0;
    }
    parts.reverse();
    Some(CssSelector { parts, specificity })
}

/// Takes a compound selector, and returns the rest.
fn compound<'s>(
    text: &'s str,
    depth: usize,
    specificity: &mut [u16; 3],
) -> Option<(CssCompound, &'s str)> {
    let mut compound = CssCompound::default();
    let mut rest = text;
    if let Some(after) = rest.strip_prefix('*') {
        rest = after;
    } else if let Some((name, after)) = name(rest) {
        compound.name = Some(name.to_ascii_lowercase());
        specificity[2] += 1;
        rest = after;
    }
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        match first {
            '#' | '.' => {
                let (name, after) = name(after)?;
                let name = name.to_ascii_lowercase();
                let (names, place) = match first {
                    '#' => (&mut compound.ids, 0),
                    _ => (&mut compound.classes, 1),
                };
                names.push(name);
                specificity[place] += 1;
                rest = after;
            }
            '[' => {
                let end = until(after, b"]");
                compound.tests.push(attribute(&after[..end])?);
                specificity[1] += 1;
                rest = after.get(end + 1..)?;
            }
            ':' => {
                let is_element = after.starts_with(':');
                let (name, after) = name(after.trim_start_matches(':'))?;
                let (arguments, after) = match after.strip_prefix('(') {
                    Some(inside) => {
                        let end = until(inside, b")");
                        (&inside[..end], inside.get(end + 1..).unwrap_or_default())
                    }
                    None => ("", after),
                };
                let test =
                    if is_element { CssTest::Never } else { pseudo(&name, arguments, depth) };
                if let CssTest::Any(inner) | CssTest::None(inner) = &test {
                    let most =
                        inner.iter().map(|inner| inner.specificity).max().unwrap_or_default();
                    if name != "where" {
                        for (sum, more) in specificity.iter_mut().zip(most) {
                            *sum = sum.saturating_add(more);
                        }
                    }
                } else {
                    specificity[1] += 1;
                }
                compound.tests.push(test);
                rest = after;
            }
            char if char.is_whitespace() || ">+~".contains(char) => break,
            _ => return None,
        }
    }
    (rest.len() < text.len()).then_some((compound, rest))
}

fn pseudo(name: &str, arguments: &str, depth: usize) -> CssTest {
    match &*name.to_ascii_lowercase() {
        "is" | "where" | "matches" | "any" | "not" if depth == MAX_DEPTH => CssTest::Unknown,
        "is" | "where" | "matches" | "any" => CssTest::Any(list(arguments, depth + 1)),
        "not" => CssTest::None(list(arguments, depth + 1)),
        "root" => CssTest::Root,
        "link" | "any-link" => CssTest::Link,
        "first-child" => CssTest::Nth(0, 1),
        "last-child" => CssTest::Last,
        "only-child" => CssTest::Only,
        "nth-child" => nth(&arguments.to_ascii_lowercase()).unwrap_or(CssTest::Unknown),
        "hover" | "focus" | "focus-within" | "focus-visible" | "active" | "visited" | "target"
        | "checked" | "before" | "after" | "first-line" | "first-letter" | "fullscreen"
        | "modal" | "popover-open" | "user-invalid" | "user-valid" | "host" => CssTest::Never,
        _ => CssTest::Unknown,
    }
}

fn nth(text: &str) -> Option<CssTest> {
    let text: String = text.split_whitespace().collect();
    Some(match &*text {
        "odd" => CssTest::Nth(2, 1),
        "even" => CssTest::Nth(2, 0),
        _ => match text.split_once('n') {
            None => CssTest::Nth(0, text.parse().ok()?),
            Some((factor, rest)) => {
                let factor = match factor {
                    "" | "+" => 1,
                    "-" => -1,
                    factor => factor.parse().ok()?,
                };
                let rest = if rest.is_empty() { 0 } else { rest.parse().ok()? };
                CssTest::Nth(factor, rest)
            }
        },
    })
}

fn attribute(text: &str) -> Option<CssTest> {
    let text = text.trim();
    let (name, after) = name(text)?;
    let name = name.to_ascii_lowercase();
    let after = after.trim_start();
    if after.is_empty() {
        return Some(CssTest::Attribute(name, '?', String::new()));
    }
    let (operator, value) = match after.strip_prefix('=') {
        Some(value) => ('=', value),
        None => (after.chars().next()?, after.get(1..)?.strip_prefix('=')?),
    };
    let value = value.trim();
    let quote = value.chars().next().filter(|char| "\"'".contains(*char));
    let value = match quote {
        Some(quote) => value[1..].split(quote).next().unwrap_or_default(),
        None => value.split_whitespace().next().unwrap_or_default(),
    };
    let value = unescaped(value);
    "=~|^$*".contains(operator).then_some(CssTest::Attribute(name, operator, value))
}

/// Takes a name with its escapes, and returns the rest.
fn name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        match char {
            '\\' => {
                let (char, after) = escaped(&rest[1..]);
                name.extend(char);
                rest = after;
            }
            char if char.is_alphanumeric() || "-_".contains(char) || !char.is_ascii() => {
                name.push(char);
                rest = &rest[char.len_utf8()..];
            }
            _ => break,
        }
    }
    (!name.is_empty()).then_some((name, rest))
}

/// The maximum number of parts of a selector.
const MAX_PARTS: usize = 24;

/// The maximum depth of nested selectors.
const MAX_DEPTH: usize = 6;
