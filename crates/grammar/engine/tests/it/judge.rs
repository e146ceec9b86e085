//! The verdict of the parser on a text: whether a grammar should accept it.

use std::time::Duration;

use silcrow_event::{
    BlockMark, Call, ControlBlock, ControlKind, Diagnostic, DiagnosticKind, Event, Json,
};
use silcrow_grammar::Dialect;
use silcrow_parser::write;
use silcrow_testkit::Joined;

use crate::agreement::Both;
use crate::parse::parse;

impl Both {
    /// Checks an accepted text with the parser: it is one answer in the order of P-15, without
    /// diagnostics, it names only the tools, and it survives being written and parsed again. No
    /// grammar can exclude an id that is used twice (P-20).
    #[track_caller]
    pub(crate) fn check_accepted(&self, wire: &str) {
        let joined = parse(wire, self.dialect);
        let is_twice = |note: &&Diagnostic| {
            let kinds = [DiagnosticKind::MalformedCall, DiagnosticKind::MalformedBlock];
            kinds.contains(&note.kind) && note.content.contains("is taken")
        };
        // The contents of a block whose id is taken belong to no block, and blocks in it are stray
        // text.
        let is_within = |note: &&Diagnostic| {
            matches!(note.kind, DiagnosticKind::UnknownBlock | DiagnosticKind::StrayText)
        };
        if faults(&joined).next().is_some() {
            let twice = self.dialect == Dialect::Action
                && faults(&joined).any(|note| is_twice(&note))
                && faults(&joined).all(|note| is_twice(&note) || is_within(&note));
            assert!(twice, "{:?} in {wire:?}", faults(&joined).collect::<Vec<_>>());
            return;
        }
        let events = joined.events();
        assert!(is_one_answer(&events, self.dialect), "{events:?} in {wire:?}");
        assert!(self.knows_all(&events), "{wire:?}");
        let again = parse(&write(&events, self.dialect), self.dialect).events();
        // In `action` the execution point is the forged `<results>`, which nobody writes (P-10).
        let is_waiting = self.dialect == Dialect::Action && events.ends_with(&[Event::Execute]);
        assert_eq!(again, events[..events.len() - usize::from(is_waiting)], "{wire:?}");
    }

    /// Returns whether the grammar must accept a text: it is one answer, without diagnostics,
    /// spelled as `write` spells it, and within the bounds of the grammar.
    pub(crate) fn is_well_formed(&self, wire: &str) -> bool {
        let joined = parse(wire, self.dialect);
        let events = joined.events();
        faults(&joined).count() == 0
            && is_one_answer(&events, self.dialect)
            && self.knows_all(&events)
            && write(&events, self.dialect) == wire
            && !self.is_beyond(wire, &events)
    }

    pub(crate) fn knows_all(&self, events: &[Event]) -> bool {
        let knows = |event: &Event| match (event, self.tools) {
            // Without calls, blocks are not allowed either.
            (Event::Block(_), Some([])) => false,
            (Event::Call(call), Some(tools)) => {
                let undo = call.action().and_then(|action| action.compensate.as_ref());
                tools.contains(&call.name()) && undo.is_none_or(|it| tools.contains(&&*it.name))
            }
            _ => true,
        };
        events.iter().all(knows)
    }

    /// Returns whether a text is beyond the bounds of the grammar.
    pub(crate) fn is_beyond(&self, wire: &str, events: &[Event]) -> bool {
        let is_beyond = |event: &Event| match event {
            Event::Block(BlockMark::Begin(block)) => !is_plain_block(block),
            Event::Call(call) => !self.is_plain(call),
            // No line of a thought opens a fence.
            Event::Think(think) if think.content.lines().any(begins_fence) => true,
            Event::Think(_) if self.dialect == Dialect::Action => {
                // The grammar takes every `<action …>` in a thought for a tag.
                let wire = write([event], self.dialect);
                let text = wire.trim_start_matches("<thought>").replace("<<action", "");
                let text = text.replace("<<response", "");
                text.contains("<action") || text.contains("<response")
            }
            _ => false,
        };
        // Inline code may hold delimiters (P-39); the grammar wants them elsewhere.
        let in_code = format!("`{}", self.dialect.first_char());
        wire.contains(&in_code)
            || !has_plain_bodies(events)
            || wire.contains('\u{feff}')
            || wire.contains("```````")
            || wire.contains("~~~~~~~")
            || events.iter().any(is_beyond)
    }

    /// Returns whether the call is spelled as in the grammar.
    fn is_plain(&self, call: &Call) -> bool {
        let long = |text: &str, most: usize| text.chars().count() > most;
        let Some(args) = plain(call.args()) else { return false };
        let name = Json::string(call.name());
        let whole = format!("{{\"name\":{name},\"args\":{args}}}");
        let is_whole = self.dialect == Dialect::Action || plain(call.content()) == Some(whole);
        let ids = call.action().map(|action| &*action.depends_on).unwrap_or_default();
        let undo = call.action().and_then(|action| action.compensate.as_ref());
        let is_plain_undo = undo.is_none_or(|undo| {
            plain(undo.args.as_str()).is_some_and(|args| args == undo.args.as_str())
                && (self.tools.is_some() || !long(&undo.name, 256))
        });
        is_whole
            && is_plain_undo
            && (self.tools.is_some() || !long(call.name(), 256))
            && !long(call.id(), 240)
            && ids.iter().all(|id| !id.is_empty() && !long(id, 256))
    }
}

/// Returns whether a block has names and an expression as in the grammar.
fn is_plain_block(block: &ControlBlock) -> bool {
    let is_name = |text: &str| {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (1..=40).contains(&text.len())
            && text.bytes().all(is_word)
            && !text.starts_with(|char: char| char.is_ascii_digit())
    };
    let is_expression = |text: &str| {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'"';
        // An ampersand may be written in five letters.
        text.len() <= 80 && text.bytes().all(is_plain)
    };
    let is_count = |count: usize| count < 10_000_000;
    let time = |time: Option<Duration>| time.is_none_or(|time| time.as_secs() < 1_000_000);
    let is_plain_kind = match &block.kind {
        ControlKind::Choice { test: source } | ControlKind::Value { expression: source } => {
            is_expression(source)
        }
        ControlKind::ForEach { items, item, index, max_parallel, limit, .. } => {
            is_expression(items)
                && is_name(item)
                && index.as_deref().is_none_or(is_name)
                && is_count(*max_parallel)
                && is_count(*limit)
        }
        ControlKind::Parallel { max, timeout, .. } => max.is_none_or(is_count) && time(*timeout),
        ControlKind::Transaction { timeout } => time(*timeout),
    };
    // A value has its name in its id, and an output key beside that is written in another order.
    let is_plain_key = block.output_key.as_deref().is_none_or(is_name)
        && !(matches!(block.kind, ControlKind::Value { .. }) && block.output_key.is_some());
    is_name(&block.id) && is_plain_kind && is_plain_key
}

/// Returns whether every block is closed and has only actions and blocks, and a choice at most one other
/// body.
fn has_plain_bodies(events: &[Event]) -> bool {
    let mut open: Vec<bool> = Vec::new();
    for event in events {
        match event {
            Event::Block(BlockMark::Begin(block)) if block.kind.has_body() => {
                open.push(matches!(block.kind, ControlKind::Choice { .. }));
            }
            Event::Block(BlockMark::Begin(_)) if open.len() >= 8 => return false,
            Event::Block(BlockMark::Otherwise { .. }) => match open.last_mut() {
                Some(may) if *may => *may = false,
                _ => return false,
            },
            Event::Block(BlockMark::End { .. }) => {
                let Some(_) = open.pop() else { return false };
            }
            Event::Think(_) | Event::Respond(_) | Event::Execute if !open.is_empty() => {
                return false;
            }
            _ => {}
        }
        if open.len() > 8 {
            return false;
        }
    }
    open.is_empty()
}

/// Returns whether a line of a thought may open a fence.
fn begins_fence(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    line.starts_with("```") || line.starts_with("~~~")
}

/// Returns the diagnostics that a turn should not have. A delimiter that a closed fence hides is only
/// quoted (P-34).
fn faults(joined: &Joined) -> impl Iterator<Item = &Diagnostic> {
    joined.diagnostics().filter(|note| note.kind != DiagnosticKind::HiddenDelimiter)
}

/// Returns whether the events are one answer up to its execution point (P-15, P-19), which says or
/// calls something. After a final answer nothing may follow, and before it no action (P-22).
pub(crate) fn is_one_answer(events: &[Event], dialect: Dialect) -> bool {
    let is_text = |event: &&Event| matches!(event, Event::Think(_) | Event::Respond(_));
    let is_call = |event: &Event| matches!(event, Event::Call(_) | Event::Block(_));
    if dialect == Dialect::Action {
        let is_final = |event: &Event| matches!(event, Event::Respond(respond) if respond.last);
        let acts = events.iter().any(is_call);
        let waits = events.ends_with(&[Event::Execute]);
        let events = &events[..events.len() - usize::from(waits)];
        let Some((_, before)) = events.split_last() else { return false };
        return (acts || !waits)
            && events.iter().any(|event| !matches!(event, Event::Think(_)))
            && events.iter().all(|event| is_text(&event) || is_call(event))
            && !(if acts { events } else { before }).iter().any(is_final);
    }
    let texts = events.iter().take_while(is_text).count();
    let answered = events.iter().any(|event| matches!(event, Event::Respond(_)));
    match &events[texts..] {
        [] | [Event::End] => answered,
        [calls @ .., Event::Execute] => !calls.is_empty() && calls.iter().all(is_call),
        _ => false,
    }
}

/// Returns JSON without white space, or `None` if the grammar may not accept its white space,
/// numbers, depth or escapes.
fn plain(json: &str) -> Option<String> {
    let mut plain = String::new();
    let mut space = String::new();
    let (mut in_string, mut depth, mut digits) = (false, 0_u32, 0_u32);
    let mut chars = json.chars();
    while let Some(char) = chars.next() {
        if in_string {
            plain.push(char);
            match char {
                '"' => in_string = false,
                '\\' => plain.push(chars.next().filter(|char| *char != 'u')?),
                _ => {}
            }
            continue;
        }
        if matches!(char, ' ' | '\t' | '\r' | '\n') {
            space.push(char);
            continue;
        }
        let indent = space.strip_prefix('\n');
        let is_indent =
            |indent: &str| indent.len() <= 20 && indent.trim_matches([' ', '\t']).is_empty();
        if !(space.is_empty() || space == " " || indent.is_some_and(is_indent)) {
            return None;
        }
        space.clear();
        match char {
            '"' => in_string = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            'e' | 'E' if digits > 0 => return None,
            _ => {}
        }
        digits = if char.is_ascii_digit() { digits + 1 } else { 0 };
        if digits > 32 || depth > 33 {
            return None;
        }
        plain.push(char);
    }
    Some(plain)
}
