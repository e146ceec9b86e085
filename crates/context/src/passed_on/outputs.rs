//! Which outputs of a turn are only passed on: other calls, expressions or the answer use them, so the
//! model does not have to read them.
//!
//! It reads only the stored events of a turn, so that the same log always gives the same answer. It
//! resolves the names at each place (P-26).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;
use silcrow_event::{BlockMark, Call, CallMode, ControlBlock, ControlKind, Event, Respond};
use silcrow_expression::{Expression, NamePart, name_parts};

/// The calls of a turn whose outputs are only passed on (section 9 of the protocol).
///
/// Such a call binds a name that another call uses in its arguments, that an expression of a block
/// uses, or that an answer uses. The calls that make up a block's output are used where the block's
/// output is used. A call with `show` is not one of them, and neither is one of a dialect without
/// names.
///
/// ```
/// use silcrow_event::{ActionAttributes, Call, Event};
/// use silcrow_context::PassedOn;
///
/// let action = |id: &str, json: &str| {
///     Event::Call(Call::parse(id, json).unwrap().with_action(ActionAttributes::default()))
/// };
/// let list = action("list", r#"{"name":"file_list","args":{"path":"."}}"#);
/// let tell = action("tell", r#"{"name":"notify","args":{"text":"$list"}}"#);
/// let passed_on = PassedOn::in_turn([&list, &tell], false);
/// assert!(passed_on.contains("list"));
/// assert!(!passed_on.contains("tell"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassedOn {
    ids: BTreeSet<String>,
}

impl PassedOn {
    /// Finds them in the events of a turn, in order. `is_answered` is whether the person has got a final
    /// response of the turn: one that was not accepted uses nothing, because the model writes it again.
    pub fn in_turn<'e>(events: impl IntoIterator<Item = &'e Event>, is_answered: bool) -> Self {
        let mut uses = OutputUses { scopes: vec![NameScope::default()], ..OutputUses::default() };
        for event in events {
            match event {
                Event::Call(call) if !call.is_instance() => uses.call(call),
                Event::Block(BlockMark::Template(call)) => uses.call(call),
                Event::Block(BlockMark::Begin(block)) => uses.begin(block),
                Event::Block(BlockMark::Otherwise { id }) => uses.otherwise(id),
                Event::Block(BlockMark::End { id }) => uses.end(id),
                Event::Respond(respond) => uses.answer(respond, is_answered),
                _ => {}
            }
        }
        Self { ids: uses.passed_on() }
    }

    /// Returns whether the output of a call is only passed on. `id` may name an instance in a loop,
    /// such as `each[0].read`.
    pub fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
            || id.rsplit_once("].").is_some_and(|(_, call)| self.ids.contains(call))
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// A call or a block, which has an output.
struct OutputNode {
    /// The id; `None` for a block and for a call that is always shown.
    id: Option<String>,
    is_used: bool,
    /// The nodes of which the output of a block consists.
    parts: Vec<usize>,
}

/// The names in a body, or outside of all blocks, that are bound so far.
#[derive(Default)]
struct NameScope {
    /// The block whose body it is.
    block: Option<ScopeBlock>,
    by_key: HashMap<String, Vec<usize>>,
    by_id: HashMap<String, Vec<usize>>,
    by_name: HashMap<String, Vec<usize>>,
    /// The calls and blocks of the body, in order.
    nodes: Vec<usize>,
}

struct ScopeBlock {
    node: usize,
    head: ControlBlock,
    /// The names that the first body of a choice has bound, and its last part.
    first: Option<Box<NameScope>>,
}

/// The outputs of a turn while its events are read.
#[derive(Default)]
struct OutputUses {
    nodes: Vec<OutputNode>,
    /// The scopes that are open, the outermost first.
    scopes: Vec<NameScope>,
}

impl OutputUses {
    fn call(&mut self, call: &Call) {
        let Some(action) = call.action().filter(|action| action.undoes.is_none()) else { return };
        names_in(call.args()).iter().for_each(|name| self.note(name));
        if action.mode == CallMode::FireAndForget {
            return;
        }
        let id = (!action.show).then(|| call.id().to_owned());
        let node = self.add(id);
        let Some(scope) = self.scopes.last_mut() else { return };
        if let Some(key) = &action.output_key {
            scope.by_key.insert(key.clone(), vec![node]);
        }
        scope.by_id.insert(call.id().to_owned(), vec![node]);
        scope.by_name.entry(call.name().to_owned()).or_default().push(node);
    }

    fn begin(&mut self, block: &ControlBlock) {
        let source = match &block.kind {
            ControlKind::Choice { test: source }
            | ControlKind::ForEach { items: source, .. }
            | ControlKind::Value { expression: source } => Expression::parse(source).ok(),
            _ => None,
        };
        for name in source.iter().flat_map(Expression::variables) {
            self.note(name);
        }
        let node = self.add(None);
        if !block.kind.has_body() {
            return self.bind_block(node, block);
        }
        let mut scope = NameScope::default();
        if let ControlKind::ForEach { item, index, .. } = &block.kind {
            // These mean no output, and hide outer outputs with the same name.
            for name in [Some(item), index.as_ref()].into_iter().flatten() {
                scope.by_key.insert(name.clone(), Vec::new());
            }
        }
        scope.block = Some(ScopeBlock { node, head: block.clone(), first: None });
        self.scopes.push(scope);
    }

    fn otherwise(&mut self, id: &str) {
        self.close_inner(id);
        let Some(scope) = self.scopes.last_mut() else { return };
        let Some(block) = scope.block.take() else { return };
        let first = std::mem::take(scope);
        scope.block = Some(ScopeBlock { first: Some(Box::new(first)), ..block });
    }

    fn end(&mut self, id: &str) {
        self.close_inner(id);
        if self.scopes.last().is_some_and(|scope| scope.is_of(id)) {
            self.close();
        }
    }

    /// Closes the blocks in the block with this id, if that is open.
    fn close_inner(&mut self, id: &str) {
        if self.scopes.iter().any(|scope| scope.is_of(id)) {
            while self.scopes.last().is_some_and(|scope| !scope.is_of(id)) {
                self.close();
            }
        }
    }

    /// Closes the innermost block: its output consists of the outputs in it, and its bindings also
    /// hold around it, unless it is a loop.
    fn close(&mut self) {
        let Some(mut scope) = self.scopes.pop() else { return };
        let Some(ScopeBlock { node, head, first }) = scope.block.take() else { return };
        let bodies: Vec<NameScope> = first.map(|first| *first).into_iter().chain([scope]).collect();
        let is_parallel = matches!(head.kind, ControlKind::Parallel { .. });
        for body in &bodies {
            let from = if is_parallel { 0 } else { body.nodes.len().saturating_sub(1) };
            self.nodes[node].parts.extend(&body.nodes[from..]);
        }
        if !matches!(head.kind, ControlKind::ForEach { .. }) {
            let mut ids: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            let mut keys: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for body in bodies {
                body.by_id.into_iter().for_each(|(id, of)| ids.entry(id).or_default().extend(of));
                body.by_key.into_iter().for_each(|(id, of)| keys.entry(id).or_default().extend(of));
            }
            if let Some(outer) = self.scopes.last_mut() {
                outer.by_id.extend(ids);
                outer.by_key.extend(keys);
            }
        }
        self.bind_block(node, &head);
    }

    fn bind_block(&mut self, node: usize, block: &ControlBlock) {
        let Some(scope) = self.scopes.last_mut() else { return };
        scope.by_id.insert(block.id.clone(), vec![node]);
        if let Some(key) = &block.output_key {
            scope.by_key.insert(key.clone(), vec![node]);
        }
    }

    fn answer(&mut self, respond: &Respond, is_answered: bool) {
        let uses_names = respond.malformed.is_none() && (is_answered || !respond.last);
        for piece in respond.wire.iter().filter(|_| uses_names).flat_map(|wire| name_parts(wire)) {
            if let NamePart::Name(name) = piece {
                self.note(name);
            }
        }
    }

    /// Adds a call or a block to the innermost body.
    fn add(&mut self, id: Option<String>) -> usize {
        let index = self.nodes.len();
        self.nodes.push(OutputNode { id, is_used: false, parts: Vec::new() });
        if let Some(scope) = self.scopes.last_mut() {
            scope.nodes.push(index);
        }
        index
    }

    /// Notes that something uses a name here.
    fn note(&mut self, name: &str) {
        let found = self.scopes.iter().rev().find_map(|scope| scope.find(name));
        for &node in found.into_iter().flatten() {
            self.nodes[node].is_used = true;
        }
    }

    fn passed_on(mut self) -> BTreeSet<String> {
        // A block is before its contents.
        for index in 0..self.nodes.len() {
            if self.nodes[index].is_used {
                for part in std::mem::take(&mut self.nodes[index].parts) {
                    self.nodes[part].is_used = true;
                }
            }
        }
        self.nodes.into_iter().filter(|node| node.is_used).filter_map(|node| node.id).collect()
    }
}

impl NameScope {
    fn is_of(&self, id: &str) -> bool {
        self.block.as_ref().is_some_and(|block| block.head.id == id)
    }

    /// Returns the meaning of a name in this body, if the body itself binds it.
    fn find(&self, name: &str) -> Option<&Vec<usize>> {
        let by_name = || self.by_name.get(name).filter(|calls| calls.len() == 1);
        self.by_key.get(name).or_else(|| self.by_id.get(name)).or_else(by_name)
    }
}

/// Returns the names that the strings of arguments use (P-26).
fn names_in(args: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut left: Vec<Value> = serde_json::from_str(args)
        .ok()
        .filter(|_| args.contains('$') || args.contains("u0024"))
        .into_iter()
        .collect();
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => names.extend(name_parts(&text).filter_map(|part| match part {
                NamePart::Name(name) => Some(name.to_owned()),
                NamePart::Text(_) | NamePart::Escaped(_) => None,
            })),
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    names
}
