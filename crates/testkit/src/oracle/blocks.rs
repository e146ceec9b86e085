//! Control blocks, and their attributes: P-29 to P-32.

use std::time::Duration;

use silcrow_event::{BlockMark, ControlBlock, ControlKind, OnError, ParallelJoin, Seconds};

use super::action::Action;
use super::block_steps::{BlockStep, close, parse, value};
use super::elements::{Element, ElementKind};
use super::*;

impl Action<'_, '_> {
    /// Carries out the decision about a tag.
    pub(super) fn block(&mut self, tag: &str, start: usize) {
        let Some((name, attributes, is_empty)) = parse(tag) else { return };
        match std::mem::replace(&mut self.step, BlockStep::Text) {
            BlockStep::Text | BlockStep::Nothing => {}
            BlockStep::Otherwise(id) => self.mark(BlockMark::Otherwise { id }),
            BlockStep::End(ids) => self.end_blocks(ids, start),
            BlockStep::Begin => {
                self.act();
                let is_value = name == "value";
                self.ends_value = is_value;
                let depth = self.elements.open.iter().filter(|element| element.is_block()).count();
                let block = read(name, &attributes).filter(|_| depth < 8);
                let is_free = |block: &ControlBlock| !self.taken.contains(&block.id);
                let kind = match block.filter(is_free) {
                    Some(mut block) => {
                        if block.id.is_empty() {
                            block.id = self.next_id();
                        }
                        self.taken.insert(block.id.clone());
                        let id = block.id.clone();
                        self.mark(BlockMark::Begin(block));
                        ElementKind::Block(id, false)
                    }
                    None => {
                        self.turn.report(DiagnosticKind::MalformedBlock, start);
                        let id = value(&attributes, "id").unwrap_or_default();
                        let is_free = !id.is_empty() && !self.taken.contains(id);
                        let id = if is_free { id.to_owned() } else { self.next_id() };
                        self.taken.insert(id.clone());
                        self.turn.units.push(Unit::Bad { id, truncated: false });
                        self.waits = true;
                        ElementKind::Bad
                    }
                };
                if !is_value {
                    let at = self.elements.open.len();
                    let element = Element { name: name.to_owned(), kind };
                    if element.is_block() || at < 32 {
                        self.elements.open.push(element);
                    }
                    if is_empty && let BlockStep::End(ids) = close(&mut self.elements, at) {
                        self.end_blocks(ids, start);
                    }
                }
            }
        }
    }

    fn end_blocks(&mut self, ids: Vec<String>, at: usize) {
        let count = ids.len();
        for (number, id) in ids.into_iter().enumerate() {
            if number + 1 < count {
                self.turn.report(DiagnosticKind::Unclosed, at);
            }
            self.mark(BlockMark::End { id });
        }
    }

    fn mark(&mut self, mark: BlockMark) {
        self.turn.units.push(Unit::Event(Event::Block(mark)));
    }
}

/// Returns the block that a tag begins, if its attributes are right. Without an id it has an empty one.
fn read(tag: &str, attributes: &[(&str, &str)]) -> Option<ControlBlock> {
    let known = match tag {
        "if" => "id test output_key",
        "foreach" => "id in as index max_parallel limit on_error output_key",
        "parallel" => "id join max timeout output_key",
        "transaction" => "id timeout output_key",
        _ => "id name expr output_key",
    };
    if !attributes.iter().all(|(key, _)| known.split(' ').any(|known| known == *key)) {
        return None;
    }
    let text = |key: &str| {
        let text = value(attributes, key)?.replace("&lt;", "<").replace("&gt;", ">");
        let text = text.replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&");
        let text = text.trim_matches(is_white).to_owned();
        (!text.is_empty()).then_some(text)
    };
    let name = |key: &str| match text(key) {
        None => Some(None),
        Some(text) => {
            let name = text.strip_prefix('$').unwrap_or(&text);
            let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && name.starts_with(|c: char| !c.is_ascii_digit());
            is_name.then(|| Some(name.to_owned()))
        }
    };
    let count = |key: &str| match text(key) {
        None => Some(None),
        Some(text) => text.parse().ok().filter(|n: &u32| *n > 0).map(|n| Some(n as usize)),
    };
    let seconds = || match text("timeout").map(|text| text.parse().ok()) {
        None => Some(None),
        Some(seconds) => Some(Some(seconds.map(|Seconds(time)| -> Duration { time })?)),
    };
    let kind = match tag {
        "if" => ControlKind::Choice { test: text("test")? },
        "foreach" => ControlKind::ForEach {
            items: text("in")?,
            item: name("as")??,
            index: name("index")?,
            max_parallel: count("max_parallel")?.unwrap_or(5),
            limit: count("limit")?.unwrap_or(100),
            on_error: match text("on_error").as_deref() {
                None | Some("fail") => OnError::Fail,
                Some("skip") => OnError::Skip,
                Some(_) => return None,
            },
        },
        "parallel" => ControlKind::Parallel {
            join: match text("join").as_deref() {
                None | Some("all") => ParallelJoin::All,
                Some("any") => ParallelJoin::Any,
                Some("race") => ParallelJoin::Race,
                Some("settled") => ParallelJoin::Settled,
                Some(_) => return None,
            },
            max: count("max")?,
            timeout: seconds()?,
        },
        "transaction" => ControlKind::Transaction { timeout: seconds()? },
        _ => ControlKind::Value { expression: text("expr")? },
    };
    let (mut id, mut output_key) = (text("id").unwrap_or_default(), name("output_key")?);
    if let (Some(name), "value") = (name("name")?, tag) {
        if output_key.is_some() {
            return None;
        } else if id.is_empty() {
            id = name;
        } else if id != name {
            output_key = Some(name);
        }
    } else if tag == "value" && id.is_empty() && output_key.is_none() {
        return None;
    }
    Some(ControlBlock { output_key, ..ControlBlock::new(id, kind) })
}
