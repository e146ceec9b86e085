//! The tags of control blocks: their attributes, and their effects on the turn (P-29 to P-31).
//!
//! This module reads and writes a block's tag. A plan reads its expressions.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::str::FromStr;

use silcrow_event::{
    BlockMark, ControlBlock, ControlKind, DiagnosticKind, Fragment, OnError, ParallelJoin, Seconds,
    UnknownWord,
};
use silcrow_lex::{BlockTag, Delimiter, Dialect};

use crate::blocks::TagRole;
use crate::parser::Parser;
use crate::pending_tag::PendingTag;
use crate::section::report;
use crate::section_text::FragmentSink;

/// The maximum number of nested control blocks.
const MAX_DEPTH: usize = 8;

impl Parser {
    /// Takes a whole tag with the name of a control block.
    pub(crate) fn block(&mut self, delimiter: Delimiter, sink: &mut FragmentSink<'_>) {
        self.tag.end();
        let blocks = &mut self.outside.blocks;
        let role = match delimiter {
            // A value is a common name for something else.
            Delimiter::Block(tag @ BlockTag::Value) => {
                blocks.judge_begin(tag, self.tag.attribute("expr").is_some())
            }
            Delimiter::Block(tag) => blocks.judge_begin(tag, self.tag.has_attributes()),
            Delimiter::BlockEnd(tag) => blocks.judge_end(tag),
            _ => TagRole::Text,
        };
        if let TagRole::Text = role {
            let tag = std::mem::take(&mut self.tag);
            self.text(tag.text(), tag.at, sink);
            self.text(">", tag.at + tag.text().len() as u64, sink);
            self.tag = tag;
            return;
        }
        self.close(false, sink);
        match role {
            TagRole::Begin if let Delimiter::Block(tag) = delimiter => self.begin_block(tag, sink),
            TagRole::Otherwise(id) => sink(Fragment::Block(BlockMark::Otherwise { id })),
            TagRole::End(blocks) => self.end_blocks(blocks, sink),
            TagRole::Begin | TagRole::Frame | TagRole::Text => {}
        }
        self.open_outside();
    }

    fn begin_block(&mut self, tag: BlockTag, sink: &mut FragmentSink<'_>) {
        // Next to a block, other text is not an answer (P-21).
        self.outside.make_stray(sink);
        let read = match self.outside.blocks.depth() {
            MAX_DEPTH => Err(format!("blocks nest at most {MAX_DEPTH} deep")),
            _ => read(tag, &self.tag),
        };
        let read = read.and_then(|block| match self.calls.take_block_id(&block.id) {
            Some(id) => Ok(ControlBlock { id, ..block }),
            None => Err(format!("the id `{}` is taken", block.id)),
        });
        // A value has no content in either form, and its closing tag may follow.
        let ends_here = self.tag.text().ends_with('/') && tag != BlockTag::Value;
        match read {
            Ok(block) => {
                let id = block.id.clone();
                sink(Fragment::Block(BlockMark::Begin(block)));
                if ends_here {
                    sink(Fragment::Block(BlockMark::End { id }));
                } else {
                    self.outside.blocks.begin_block(tag, &id);
                }
            }
            Err(why) => {
                let why = format!("`<{}>` cannot be used: {why}", tag.as_str());
                report(DiagnosticKind::MalformedBlock, &why, self.tag.at, sink);
                let id = self.tag.attribute("id").unwrap_or_default().to_owned();
                self.calls.reject_block(why.clone(), id, format!("{}>", self.tag.text()), sink);
                if !ends_here {
                    self.outside.blocks.reject_block(tag, why);
                }
            }
        }
    }

    /// Ends blocks. The tag belongs to the last one.
    fn end_blocks(&self, blocks: Vec<(String, String)>, sink: &mut FragmentSink<'_>) {
        let last = blocks.len() - 1;
        for (number, (name, id)) in blocks.into_iter().enumerate() {
            if number < last {
                let what = format!("`<{name}>` was still open");
                report(DiagnosticKind::Unclosed, &what, self.tag.at, sink);
            }
            sink(Fragment::Block(BlockMark::End { id }));
        }
    }

    /// Reports the blocks that are still open at the end of the input.
    pub(crate) fn report_open_blocks(&self, sink: &mut FragmentSink<'_>) {
        for name in self.outside.blocks.open_blocks() {
            let what = format!("`<{name}>` was still open");
            report(DiagnosticKind::Unclosed, &what, self.at, sink);
        }
    }
}

/// Reads the beginning of a block. Its id is empty if the model wrote none.
fn read(tag: BlockTag, written: &PendingTag) -> Result<ControlBlock, String> {
    let attributes = BlockAttributes(written);
    let known: &[&str] = match tag {
        BlockTag::If => &["id", "test", "output_key"],
        BlockTag::ForEach => {
            &["id", "in", "as", "index", "max_parallel", "limit", "on_error", "output_key"]
        }
        BlockTag::Parallel => &["id", "join", "max", "timeout", "output_key"],
        BlockTag::Transaction => &["id", "timeout", "output_key"],
        _ => &["id", "name", "expr", "output_key"],
    };
    if let Some(other) = written.names().find(|name| !known.contains(name)) {
        let known = known.join("`, `");
        return Err(format!("it has no attribute `{other}`; its attributes are `{known}`"));
    }
    let kind = match tag {
        BlockTag::If => ControlKind::Choice { test: attributes.needed("test")? },
        BlockTag::ForEach => ControlKind::ForEach {
            items: attributes.needed("in")?,
            item: attributes.name("as")?.ok_or_else(|| missing("as"))?,
            index: attributes.name("index")?,
            max_parallel: attributes.count("max_parallel")?.unwrap_or(ControlKind::MAX_PARALLEL),
            limit: attributes.count("limit")?.unwrap_or(ControlKind::LIMIT),
            on_error: match attributes.word("on_error")? {
                Some(OnError::Retry) => {
                    return Err("`on_error` of a loop is `fail` or `skip`".to_owned());
                }
                policy => policy.unwrap_or(OnError::Fail),
            },
        },
        BlockTag::Parallel => ControlKind::Parallel {
            join: attributes.word("join")?.unwrap_or(ParallelJoin::All),
            max: attributes.count("max")?,
            timeout: attributes.seconds("timeout")?,
        },
        BlockTag::Transaction => {
            ControlKind::Transaction { timeout: attributes.seconds("timeout")? }
        }
        _ => ControlKind::Value { expression: attributes.needed("expr")? },
    };
    let id = attributes.text("id").unwrap_or_default();
    let mut block =
        ControlBlock { output_key: attributes.name("output_key")?, ..ControlBlock::new(id, kind) };
    if let ControlKind::Value { .. } = block.kind {
        let name = attributes.name("name")?;
        match block.output_key {
            Some(_) if name.is_some() => return Err("its name is given twice".to_owned()),
            None if block.id.is_empty() => block.id = name.ok_or_else(|| missing("name"))?,
            None => block.output_key = name.filter(|name| *name != block.id),
            Some(_) => {}
        }
    }
    Ok(block)
}

fn missing(key: &str) -> String {
    format!("its attribute `{key}` is missing")
}

/// The attributes of a block's tag.
struct BlockAttributes<'a>(&'a PendingTag);

impl BlockAttributes<'_> {
    /// Returns a value; `None` if it is missing or empty.
    fn text(&self, key: &str) -> Option<String> {
        let value = unescape(self.0.attribute(key)?);
        let value = value.trim_matches([' ', '\t', '\r', '\n']);
        (!value.is_empty()).then(|| value.to_owned())
    }

    fn needed(&self, key: &str) -> Result<String, String> {
        self.text(key).ok_or_else(|| missing(key))
    }

    /// Returns a name as in P-26. A `$` before it is left out.
    fn name(&self, key: &str) -> Result<Option<String>, String> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let name = text.strip_prefix('$').unwrap_or(&text);
        let is_first = |char: char| char.is_ascii_alphabetic() || char == '_';
        let is_name = name.starts_with(is_first)
            && name.chars().all(|char| is_first(char) || char.is_ascii_digit());
        match is_name {
            true => Ok(Some(name.to_owned())),
            false => Err(format!("`{key}` is not a name: `{text}`; use letters, digits and `_`")),
        }
    }

    /// Returns a whole number of at least 1.
    fn count(&self, key: &str) -> Result<Option<usize>, String> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match text.parse::<u32>() {
            Ok(number) if number > 0 => Ok(Some(number as usize)),
            _ => Err(format!("`{key}` is not a number of at least 1: `{text}`")),
        }
    }

    fn seconds(&self, key: &str) -> Result<Option<std::time::Duration>, String> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match text.parse::<Seconds>() {
            Ok(Seconds(time)) => Ok(Some(time)),
            Err(_) => Err(format!("`{key}` is not a number of seconds: `{text}`")),
        }
    }

    fn word<T: FromStr<Err = UnknownWord>>(&self, key: &str) -> Result<Option<T>, String> {
        let Some(text) = self.text(key) else { return Ok(None) };
        text.parse().map(Some).map_err(|unknown: UnknownWord| {
            let words = unknown.words().join(", ");
            format!("`{key}` is unknown: `{text}`; use one of {words}")
        })
    }
}

/// The characters that XML writes by name, because a quoted attribute may not hold them.
const NAMED: [(&str, char); 5] =
    [("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\''), ("&amp;", '&')];

/// Replaces the names of characters.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let named = NAMED.iter().find(|(name, _)| after.starts_with(name));
        let (char, length) = named.map_or(('&', 1), |(name, char)| (*char, name.len()));
        out.push(char);
        rest = &after[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Writes a part of a block, on a line.
pub(crate) fn write_mark(mark: &BlockMark, ends: &mut Vec<BlockTag>, out: &mut String) {
    match mark {
        BlockMark::Begin(block) => {
            let tag = tag_of(&block.kind);
            if block.kind.has_body() {
                ends.push(tag);
            }
            write_begin(tag, block, out);
        }
        BlockMark::Otherwise { .. } => {
            out.push_str(Dialect::Action.literal(Delimiter::Block(BlockTag::Else)));
        }
        BlockMark::End { .. } => {
            if let Some(tag) = ends.pop() {
                out.push_str(Dialect::Action.literal(Delimiter::BlockEnd(tag)));
            }
        }
        _ => {}
    }
}

const fn tag_of(kind: &ControlKind) -> BlockTag {
    match kind {
        ControlKind::Choice { .. } => BlockTag::If,
        ControlKind::ForEach { .. } => BlockTag::ForEach,
        ControlKind::Parallel { .. } => BlockTag::Parallel,
        ControlKind::Transaction { .. } => BlockTag::Transaction,
        ControlKind::Value { .. } => BlockTag::Value,
    }
}

fn write_begin(tag: BlockTag, block: &ControlBlock, out: &mut String) {
    let ControlBlock { id, kind, output_key } = block;
    out.push('<');
    out.push_str(tag.as_str());
    attribute("id", id, out);
    match kind {
        ControlKind::Choice { test } => attribute("test", test, out),
        ControlKind::ForEach { items, item, index, max_parallel, limit, on_error } => {
            attribute("in", items, out);
            attribute("as", item, out);
            if let Some(index) = index {
                attribute("index", index, out);
            }
            if *max_parallel != ControlKind::MAX_PARALLEL {
                attribute("max_parallel", &max_parallel.to_string(), out);
            }
            if *limit != ControlKind::LIMIT {
                attribute("limit", &limit.to_string(), out);
            }
            if *on_error != OnError::Fail {
                attribute("on_error", on_error.as_str(), out);
            }
        }
        ControlKind::Parallel { join, max, timeout } => {
            attribute("join", join.as_str(), out);
            if let Some(max) = max {
                attribute("max", &max.to_string(), out);
            }
            if let Some(timeout) = timeout {
                attribute("timeout", &Seconds(*timeout).to_string(), out);
            }
        }
        ControlKind::Transaction { timeout } => {
            if let Some(timeout) = timeout {
                attribute("timeout", &Seconds(*timeout).to_string(), out);
            }
        }
        ControlKind::Value { expression } => attribute("expr", expression, out),
    }
    if let Some(key) = output_key {
        attribute("output_key", key, out);
    }
    out.push_str(if kind.has_body() { ">" } else { "/>" });
}

/// Writes an attribute in double quotes. A character that would end it, or be read as another one, is
/// written by its name.
fn attribute(name: &str, value: &str, out: &mut String) {
    let _ = write!(out, " {name}=");
    let quote = if value.contains('"') && !value.contains('\'') { '\'' } else { '"' };
    out.push(quote);
    for (at, char) in value.char_indices() {
        let is_named = NAMED.iter().any(|(name, _)| value[at..].starts_with(name));
        match char {
            _ if char == quote => out.push_str(if char == '"' { "&quot;" } else { "&apos;" }),
            '&' if is_named => out.push_str("&amp;"),
            char => out.push(char),
        }
    }
    out.push(quote);
}
