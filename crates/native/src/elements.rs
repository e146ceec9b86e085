//! Reads nested elements whose names are the keys, each tag after the same prefix.
//!
//! This module reads the tree of one call. Types come from the schema at every depth.

use std::collections::HashMap;

use crate::body::{BodyContext, BodyStep, CUT};
use crate::json_text;
use crate::tool_schemas::SchemaNode;
use crate::typed_value::{self, TypeHint};

/// The form of a family's elements.
#[derive(Debug)]
pub(crate) struct ElementForm {
    /// The text before every tag.
    pub(crate) prefix: &'static str,
    /// The tag of a call up to the value of its name, with the prefix.
    pub(crate) open: &'static str,
    /// The tag that ends a call, with the prefix.
    pub(crate) close: &'static str,
}

#[derive(Debug)]
pub(crate) struct ElementBody {
    form: &'static ElementForm,
    /// The text before the name.
    head: String,
    name: String,
    text: String,
    state: ElementState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ElementState {
    Head,
    Name,
    TagEnd,
    Content,
}

impl ElementBody {
    pub(crate) fn new(form: &'static ElementForm) -> Self {
        let (head, name, text) = (String::new(), String::new(), String::new());
        Self { form, head, name, text, state: ElementState::Head }
    }

    pub(crate) fn step(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self.state {
            ElementState::Head => {
                if self.head.is_empty() && character.is_whitespace() {
                    return BodyStep::More;
                }
                self.head.push(character);
                if self.head == self.form.open {
                    self.state = ElementState::Name;
                } else if !self.form.open.starts_with(self.head.as_str()) {
                    return BodyStep::Refuted;
                }
                BodyStep::More
            }
            ElementState::Name if character == '"' && !self.name.is_empty() => {
                self.state = ElementState::TagEnd;
                BodyStep::More
            }
            ElementState::Name => {
                self.name.push(character);
                let is_name = character != '\n' && character != '"' && self.name.len() < MAX_NAME;
                if is_name { BodyStep::More } else { BodyStep::Refuted }
            }
            ElementState::TagEnd => {
                self.state = ElementState::Content;
                if character == '>' { BodyStep::Commit } else { BodyStep::Refuted }
            }
            ElementState::Content => {
                self.text.push(character);
                if character == '>' && self.text.ends_with(self.form.close) {
                    self.close(context);
                    return BodyStep::Done;
                }
                BodyStep::More
            }
        }
    }

    /// Takes content up to the next end of a tag.
    pub(crate) fn run(&mut self, text: &str) -> usize {
        if self.state != ElementState::Content {
            return 0;
        }
        let end = memchr::memchr(b'>', text.as_bytes()).unwrap_or(text.len());
        self.text.push_str(&text[..end]);
        end
    }

    pub(crate) fn finish(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        context.sink.begin();
        context.sink.name.push_str(&self.name);
        context.sink.fail(CUT, true, &self.text, context.emit);
        BodyStep::Done
    }

    fn close(&mut self, context: &mut BodyContext<'_, '_>) {
        context.sink.begin();
        context.sink.name.push_str(&self.name);
        let end = self.text.len() - self.form.close.len();
        let mut reader = ElementReader { rest: &self.text[..end], prefix: self.form.prefix };
        let tree = reader.content(MAX_DEPTH).filter(|_| reader.rest.is_empty());
        let schema = context.tools.and_then(|tools| tools.get(&self.name));
        match tree {
            Some(tree) => {
                write_members(&tree.children, schema, &mut context.sink.args);
                context.sink.complete(context.emit);
            }
            None => context.sink.fail(NO_TREE, false, &self.text, context.emit),
        }
    }
}

/// The content of an element: its text, and the elements in it.
#[derive(Debug, Default)]
struct ElementContent {
    text: String,
    children: Vec<(String, Self)>,
}

struct ElementReader<'a> {
    rest: &'a str,
    prefix: &'static str,
}

impl ElementReader<'_> {
    /// Reads up to the tag that ends the element, or to the end.
    fn content(&mut self, room: u8) -> Option<ElementContent> {
        let room = room.checked_sub(1)?;
        let mut content = ElementContent::default();
        loop {
            let Some(at) = self.rest.find(self.prefix) else {
                content.text.push_str(std::mem::take(&mut self.rest));
                return Some(content);
            };
            let tag = &self.rest[at + self.prefix.len()..];
            content.text.push_str(&self.rest[..at]);
            if tag.starts_with("</") {
                self.rest = &self.rest[at..];
                return Some(content);
            }
            let (key, rest) = tag.strip_prefix('<')?.split_once('>')?;
            self.rest = rest;
            let child = self.content(room)?;
            let close = self.rest.strip_prefix(self.prefix)?.strip_prefix("</")?;
            self.rest = close.strip_prefix(key)?.strip_prefix('>')?;
            content.children.push((key.to_owned(), child));
        }
    }
}

fn write_members(
    children: &[(String, ElementContent)],
    schema: Option<SchemaNode<'_>>,
    out: &mut String,
) {
    // The last of several elements with the same name counts.
    let numbered = children.iter().enumerate().map(|(nth, (key, _))| (key.as_str(), nth));
    let last: HashMap<&str, usize> = numbered.collect();
    out.push('{');
    for (nth, (key, child)) in children.iter().enumerate() {
        if last.get(key.as_str()) != Some(&nth) {
            continue;
        }
        if !out.ends_with('{') {
            out.push(',');
        }
        json_text::string(key, out);
        out.push(':');
        write_value(child, schema.and_then(|schema| schema.member(key)), out);
    }
    out.push('}');
}

fn write_value(content: &ElementContent, schema: Option<SchemaNode<'_>>, out: &mut String) {
    if content.children.is_empty() {
        typed_value::write(&content.text, schema, TypeHint::None, out);
        return;
    }
    let permitted = schema.map(SchemaNode::permitted).unwrap_or_default();
    let all_items = content.children.iter().all(|(key, _)| key == "item");
    let is_list = match (permitted.has("array"), permitted.has("object")) {
        (true, false) => true,
        (false, true) => false,
        _ => all_items,
    };
    if !is_list {
        return write_members(&content.children, schema, out);
    }
    let items = schema.and_then(SchemaNode::items);
    out.push('[');
    for (nth, (_, child)) in content.children.iter().enumerate() {
        if nth > 0 {
            out.push(',');
        }
        write_value(child, items, out);
    }
    out.push(']');
}

const NO_TREE: &str = "the elements of the call are not closed in the order in which they open";
const MAX_NAME: usize = 256;
const MAX_DEPTH: u8 = 120;
