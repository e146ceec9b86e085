//! The effects of the tags of control blocks, by their place: P-29 to P-31.

use super::elements::{Element, ElementKind, Elements};
use super::tag::{Attributes, BLOCKS, block};

/// The effect of a tag at its place.
#[derive(PartialEq)]
pub(super) enum BlockStep {
    /// It is text.
    Text,
    Nothing,
    Begin,
    Otherwise(String),
    /// Ends the blocks with these ids, the innermost first.
    End(Vec<String>),
}

/// Returns whether a delimiter is the tag of a block.
pub(super) fn is_tag(delimiter: &str) -> bool {
    parse(delimiter).is_some()
}

/// Returns the name of the tag, with a `/` if it closes something, its attributes, and whether it has
/// no content.
pub(super) fn parse(tag: &str) -> Option<(&'static str, Attributes<'_>, bool)> {
    BLOCKS.iter().find_map(|name| {
        let (length, attributes, is_empty) = block(tag, name)?;
        (length == tag.len()).then_some((&name[1..], attributes, is_empty))
    })
}

/// Decides the role of a tag, and closes the elements that it ends.
pub(super) fn judge(tag: &str, elements: &mut Elements, ends_value: &mut bool) -> BlockStep {
    let Some((name, attributes, _)) = parse(tag) else { return BlockStep::Text };
    let ends_value = std::mem::take(ends_value);
    let is_choice = |element: &&mut Element| element.name == "if" && element.is_block();
    if let Some(name) = name.strip_prefix('/') {
        return match elements.open.iter().rposition(|element| element.name == name) {
            None if name == "value" && ends_value => BlockStep::Nothing,
            None if matches!(name, "then" | "else") => {
                let choice = elements.open.last_mut().filter(is_choice);
                choice.map_or(BlockStep::Text, |_| BlockStep::Nothing)
            }
            None => BlockStep::Text,
            Some(at) => match elements.open[at].kind {
                ElementKind::Loose | ElementKind::Firm => BlockStep::Text,
                ElementKind::Bad => {
                    elements.open.truncate(at);
                    BlockStep::Nothing
                }
                ElementKind::Block(..) => close(elements, at),
            },
        };
    }
    let is_word = !elements.is_line_start && attributes.is_empty();
    if is_word || elements.stop_actions() {
        return BlockStep::Text;
    }
    match name {
        "then" | "else" => match elements.open.last_mut().filter(is_choice).map(|e| &mut e.kind) {
            Some(ElementKind::Block(_, false)) if name == "then" => BlockStep::Nothing,
            Some(ElementKind::Block(id, other @ false)) => {
                *other = true;
                BlockStep::Otherwise(id.clone())
            }
            _ => BlockStep::Text,
        },
        "value" if value(&attributes, "expr").is_none() => BlockStep::Text,
        _ => BlockStep::Begin,
    }
}

pub(super) fn close(elements: &mut Elements, at: usize) -> BlockStep {
    let mut ids = vec![];
    while elements.open.len() > at {
        if let Some(Element { kind: ElementKind::Block(id, _), .. }) = elements.open.pop() {
            ids.push(id);
        }
    }
    BlockStep::End(ids)
}

pub(super) fn value<'a>(attributes: &[(&str, &'a str)], key: &str) -> Option<&'a str> {
    attributes.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
}
