//! Blocks as they are written: their beginnings, contents and ends.
//!
//! The contents of a block are kept, and go to the plans of its bodies that exist by then. Other
//! modules decide when a block runs.

use silcrow_event::{Call, CallEnd, ControlBlock, ControlKind};

use super::block::{BodyItem, PlannedBlock};
use super::node::{Node, NodeState};
use super::reasons::SKIPPED;
use super::{NodeEnd, Plan};
use crate::control::ControlStep;
use crate::outputs::Source;
use crate::substitute::names_in;

/// The block whose body is being written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenBody {
    index: usize,
    /// The number of the body.
    body: usize,
    /// The number of blocks in it that are open.
    depth: usize,
}

impl Plan {
    /// Takes the beginning of a control block (P-29 to P-31). Everything pushed before
    /// [`close_block`](Self::close_block) is in it; a [`ControlKind::Value`] has no body and is
    /// closed at once. Its id and the ids in it are unique in the turn.
    ///
    /// A block is a barrier like a `sync` call: nothing after it starts before it ends, except in a
    /// parallel block. It waits for the calls that its expression names. Its calls start as soon as
    /// they may, even before the block is closed.
    ///
    /// ```
    /// use silcrow_event::{Call, CallResult, Json};
    /// use silcrow_plan::{ControlBlock, ControlKind, Plan, PlanDecision};
    ///
    /// let mut plan = Plan::new();
    /// plan.preset("people", Json::parse(r#"["Ada","Max"]"#).unwrap());
    /// plan.open_block(ControlBlock::new("each", ControlKind::ForEach {
    ///     items: "people".to_owned(),
    ///     item: "person".to_owned(),
    ///     index: None,
    ///     max_parallel: ControlKind::MAX_PARALLEL,
    ///     limit: ControlKind::LIMIT,
    ///     on_error: Default::default(),
    /// }));
    /// let greet = r#"{"name":"greet","args":{"who":"$person"}}"#;
    /// plan.push(Call::parse("hello", greet).unwrap().with_action(Default::default()));
    ///
    /// // There are two instances, although the loop is not closed yet. Store them, and they start.
    /// while plan.next_update().is_some() {}
    /// let Some(PlanDecision::Start(first)) = plan.decide() else { panic!() };
    /// let Some(PlanDecision::Start(second)) = plan.decide() else { panic!() };
    /// assert_eq!((first.id(), first.args()), ("each[0].hello", r#"{"who":"Ada"}"#));
    /// assert_eq!((second.id(), second.args()), ("each[1].hello", r#"{"who":"Max"}"#));
    ///
    /// plan.close_block();
    /// plan.end_text();
    /// for (id, said) in [(second.id(), "Hello, Max"), (first.id(), "Hello, Ada")] {
    ///     plan.finish(id, CallResult::success(id, "greet", "", said));
    /// }
    /// assert!(plan.is_settled());
    /// let output = plan.outcome("each").unwrap().value().unwrap().into_owned();
    /// assert_eq!(output.as_str(), r#"["Hello, Ada","Hello, Max"]"#);
    /// ```
    pub fn open_block(&mut self, block: ControlBlock) {
        self.note_opened(&block);
        if self.open.is_some() {
            self.forward(BodyItem::Open(block));
        } else {
            let has_body = !matches!(block.kind, ControlKind::Value { .. });
            let id = format!("{}{}", self.prefix, block.id);
            let node =
                Node { id, block: Some(Box::new(PlannedBlock::new(block))), ..Node::default() };
            let index = self.add(node);
            if has_body {
                self.open = Some(OpenBody { index, body: 0, depth: 0 });
            }
        }
        self.advance();
    }

    /// Takes the beginning of the other body of the innermost open block, if that is a choice (P-29).
    pub fn otherwise(&mut self) {
        self.forward(BodyItem::Otherwise);
        self.advance();
    }

    /// Takes the end of the innermost open block.
    pub fn close_block(&mut self) {
        self.note_closed();
        self.forward(BodyItem::Close);
        self.advance();
    }

    /// Takes a call, or a block with everything in it.
    pub fn push_step(&mut self, step: ControlStep) {
        match step {
            ControlStep::Call(call) => self.push(call),
            ControlStep::Block { block, body, otherwise } => {
                let has_body = !matches!(block.kind, ControlKind::Value { .. });
                self.open_block(block);
                if has_body {
                    body.into_iter().for_each(|step| self.push_step(step));
                    if !otherwise.is_empty() {
                        self.otherwise();
                        otherwise.into_iter().for_each(|step| self.push_step(step));
                    }
                    self.close_block();
                }
            }
        }
    }

    /// Takes a step in a body.
    pub(super) fn take_item(&mut self, item: BodyItem) {
        match item {
            BodyItem::Call(call) => self.push_inner(call),
            BodyItem::Invalid(bad) => self.push_invalid(bad),
            BodyItem::Open(block) => self.open_block(block),
            BodyItem::Otherwise => self.otherwise(),
            BodyItem::Close => self.close_block(),
        }
    }

    /// Takes a call that may be in a block.
    fn push_inner(&mut self, call: Call) {
        if self.open.is_some() {
            return self.forward(BodyItem::Call(call));
        }
        let id = format!("{}{}", self.prefix, call.id());
        let mut action = call.action().cloned().unwrap_or_default();
        action.transactions.clone_from(&self.transactions);
        let call = call.with_id(id).with_action(action);
        if !self.prefix.is_empty() {
            self.report_instance(&call);
        }
        self.add(Node::new(call));
    }

    /// Keeps a step in the open block, and passes it to the plans of its bodies.
    pub(super) fn forward(&mut self, item: BodyItem) {
        let Some(mut open) = self.open else { return };
        match &item {
            BodyItem::Open(block) => {
                open.depth += usize::from(!matches!(block.kind, ControlKind::Value { .. }));
            }
            BodyItem::Close if open.depth == 0 => return self.end_body(open.index),
            BodyItem::Close => open.depth -= 1,
            BodyItem::Otherwise if open.depth == 0 => {
                let block = self.nodes[open.index].block.as_ref();
                let is_choice = block
                    .is_some_and(|block| matches!(block.head.kind, ControlKind::Choice { .. }));
                open.body = usize::from(is_choice);
                self.open = Some(open);
                return;
            }
            _ => {}
        }
        self.open = Some(open);
        let named = self.named_outside(&item);
        self.with_block(open.index, |plan, block| {
            for name in named {
                // No call in a block can wait for the block.
                if !block.binds(&name)
                    && let Some(source) = plan.find_outer(&name)
                    && source != Source::Call(open.index)
                    && block.outer.insert(name.clone(), source) != Some(source)
                {
                    for child in &mut block.children {
                        plan.lend(&mut child.plan, &name, source);
                    }
                }
            }
            let is_loop = block.is_loop();
            let to = block.children.iter_mut().filter(|child| child.body == open.body);
            for child in to.filter(|child| !is_loop || !child.is_over) {
                child.plan.take_item(item.clone());
                plan.take_over(&mut child.plan);
            }
            block.bodies[open.body].push(item);
        });
    }

    /// Returns the names that something in a body may use, and that may be from outside.
    fn named_outside(&self, item: &BodyItem) -> Vec<String> {
        match item {
            BodyItem::Call(call) => {
                let depends_on = call.action().map(|action| action.depends_on.clone());
                let mut names = depends_on.unwrap_or_default();
                names.extend(names_in(call.args()));
                let undo = call.action().and_then(|action| action.compensate.as_ref());
                names.extend(undo.map(|undo| names_in(undo.args.as_str())).unwrap_or_default());
                names
            }
            BodyItem::Open(head) => {
                let block = PlannedBlock::new(head.clone());
                let (variables, calls) = block.names();
                [variables, calls].concat()
            }
            BodyItem::Invalid(_) | BodyItem::Otherwise | BodyItem::Close => Vec::new(),
        }
    }

    /// Returns the meaning of a name, or an id, here.
    pub(super) fn find_outer(&self, name: &str) -> Option<Source> {
        let by_id = || self.by_id.get(name).copied().map(Source::Call);
        self.outputs.find(name).or_else(by_id)
    }

    /// Ends the body of a block: its calls bind names for later steps (P-26).
    fn end_body(&mut self, index: usize) {
        self.open = None;
        let names = self.with_block(index, |_, block| {
            block.is_closed = true;
            block.children.iter_mut().for_each(|child| child.plan.end_text());
            block.bound_names()
        });
        let mut exports = Vec::new();
        for (id, key) in names.unwrap_or_default() {
            let proxy = self.export(&id);
            self.meet_expectations_of(&id, proxy);
            self.outputs.bind_id(proxy, &id);
            exports.push((id, proxy));
            if let Some(key) = key {
                let known = exports.iter().find(|(name, _)| *name == key).map(|(_, proxy)| *proxy);
                let proxy = known.unwrap_or_else(|| self.export(&format!("${key}")));
                self.outputs.bind_key(proxy, &key);
                exports.push((key, proxy));
            }
        }
        self.with_block(index, |_, block| block.exports = exports);
        if self.nodes[index].is_free() {
            self.ready(index);
        }
        if self.nodes[index].is_ended() {
            let ends = self.export_ends(index);
            self.end(ends);
        }
    }

    /// Adds the node that stands for a name in a block.
    fn export(&mut self, name: &str) -> usize {
        let node = Node { id: name.to_owned(), is_proxy: true, ..Node::default() };
        self.insert_as(name.to_owned(), node)
    }

    /// Ends a block that the turn leaves open: nothing more in it starts.
    pub(super) fn end_open_block(&mut self) {
        let Some(open) = self.open.take() else { return };
        let index = open.index;
        let kind = self.nodes[index].block.as_ref().map_or("", |block| block.head.kind.as_str());
        let why = format!("skipped: `<{kind}>` was not closed, so nothing more in it starts");
        self.with_block(index, |_, block| {
            block.is_closed = true;
            block.is_cut = true;
            for child in &mut block.children {
                child.plan.cancel_waiting(&|_| true, SKIPPED, &why);
                child.plan.end_text();
            }
        });
        if !matches!(self.nodes[index].state, NodeState::Open) {
            let outcome = self.nodes[index].failed_block("not closed", &why);
            let end: NodeEnd = (index, CallEnd::Skipped, outcome);
            self.end([end]);
        }
    }
}
