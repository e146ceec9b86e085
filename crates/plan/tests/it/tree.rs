//! Random trees of blocks, and their expected ends: a slow reading of the clauses P-25, P-26 and
//! P-29 to P-31.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use proptest::prelude::*;
use silcrow_event::{ActionAttributes, Call, CallEnd, CallMode, Compensation, OnError};
use silcrow_plan::{ControlBlock, ControlKind, ControlStep, ParallelJoin};

use crate::blocks::each;

/// A step of a tree. `uses` are numbers of earlier steps, counted back from the step itself.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Call { mode: CallMode, uses: Vec<usize>, depends_on: Vec<usize> },
    If { of: usize, test: Test, then: Vec<Self>, otherwise: Vec<Self> },
    Each { items: usize, at_once: usize, on_error: OnError, body: Vec<Self> },
    Parallel { join: ParallelJoin, is_timed: bool, body: Vec<Self> },
    Transaction { is_timed: bool, body: Vec<Self> },
    Value { of: usize },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    Always(bool),
    Ok,
    Failed,
    /// Whether the output is a string.
    IsText,
}

/// The kind of generated trees: `exact` leaves out everything that depends on the order in which
/// calls end.
pub(crate) fn trees(exact: bool) -> impl Strategy<Value = Vec<Tree>> {
    let mode = prop_oneof![3 => Just(CallMode::Async), 1 => Just(CallMode::Sync)];
    let call =
        (mode, prop::collection::vec(0..6usize, 0..2), prop::collection::vec(0..6usize, 0..2))
            .prop_map(|(mode, uses, depends_on)| Tree::Call { mode, uses, depends_on });
    let leaf = prop_oneof![5 => call, 1 => (0..6usize).prop_map(|of| Tree::Value { of })];
    let tree = leaf.prop_recursive(3, 14, 4, move |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..4);
        let test = prop_oneof![
            any::<bool>().prop_map(Test::Always),
            Just(Test::Ok),
            Just(Test::Failed),
            Just(Test::IsText),
        ];
        let join = prop::sample::select(&ParallelJoin::ALL[..]);
        prop_oneof![
            2 => (0..6usize, test, body(), body())
                .prop_map(|(of, test, then, otherwise)| Tree::If { of, test, then, otherwise }),
            2 => (0..4usize, 1..4usize, any::<bool>(), body()).prop_map(
                move |(items, at_once, fail, body)| {
                    let on_error = if fail && !exact { OnError::Fail } else { OnError::Skip };
                    Tree::Each { items, at_once, on_error, body }
                }
            ),
            1 => (join, any::<bool>(), body()).prop_map(move |(join, is_timed, body)| {
                let join = if exact { ParallelJoin::Settled } else { join };
                Tree::Parallel { join, is_timed: is_timed && !exact, body }
            }),
            if exact { 0 } else { 2 } => (any::<bool>(), body())
                .prop_map(|(is_timed, body)| Tree::Transaction { is_timed, body }),
        ]
    });
    prop::collection::vec(tree, 1..5)
}

/// Makes steps of trees. Ids are `s0`, `s1`, … in the order of the text.
#[derive(Default)]
pub(crate) struct Writer {
    /// Whether a call depends only on names that it can see, because it depends on the order
    /// whether a call fails for an unknown id or is skipped before that is certain.
    pub(crate) exact: bool,
    pub(crate) next: usize,
    pub(crate) visible: Vec<usize>,
}

impl Writer {
    pub(crate) fn steps(&mut self, trees: &[Tree]) -> Vec<ControlStep> {
        trees.iter().map(|tree| self.step(tree)).collect()
    }

    fn step(&mut self, tree: &Tree) -> ControlStep {
        let number = self.next;
        self.next += 1;
        let before = self.visible.len();
        let step = self.written(tree, number);
        if let Tree::Each { .. } = tree {
            self.visible.truncate(before);
        }
        self.visible.push(number);
        step
    }

    fn written(&mut self, tree: &Tree, number: usize) -> ControlStep {
        let id = format!("s{number}");
        // Steps that do not exist, or not before this one, are not names.
        let name = |back: &usize| Some(format!("s{}", number.checked_sub(back + 1)?));
        match tree {
            Tree::Call { mode, uses, depends_on } => {
                let uses = uses.iter().filter_map(name).map(|name| format!("\"-${name}-\""));
                let uses = uses.collect::<Vec<_>>().join(",");
                let content = format!(r#"{{"name":"tool","args":{{"v":[{uses}]}}}}"#);
                let can_see = |back: &&usize| {
                    let seen = |before: usize| self.visible.contains(&before);
                    !self.exact || number.checked_sub(**back + 1).is_some_and(seen)
                };
                let depends_on = depends_on.iter().filter(can_see).filter_map(name).collect();
                let undo = format!(r#"{{"name":"drop","parameters":{{"of":"${id}"}}}}"#);
                let undo = Compensation::parse(&undo).ok().filter(|_| number.is_multiple_of(3));
                let action = ActionAttributes {
                    mode: *mode,
                    depends_on,
                    compensate: undo.map(Box::new),
                    ..Default::default()
                };
                Call::parse(id, content).unwrap().with_action(action).into()
            }
            Tree::If { of, test, then, otherwise } => {
                let of = name(of);
                let test = match (test, &of) {
                    (Test::Always(value), _) => value.to_string(),
                    (_, None) => "true".to_owned(),
                    (Test::Ok, Some(of)) => format!("ok({of})"),
                    (Test::Failed, Some(of)) => format!("failed({of})"),
                    (Test::IsText, Some(of)) => format!("type({of}) == 'string'"),
                };
                let outside = self.visible.clone();
                let body = self.steps(then);
                let bound = std::mem::replace(&mut self.visible, outside.clone());
                let otherwise = self.steps(otherwise);
                self.visible.extend(bound.into_iter().filter(|one| !outside.contains(one)));
                let block = ControlBlock::new(id, ControlKind::Choice { test });
                ControlStep::Block { block, body, otherwise }
            }
            Tree::Each { items, at_once, on_error, body } => {
                let block = each(&id, &format!("range({items})"), *at_once, *on_error);
                ControlStep::block(block, self.steps(body))
            }
            Tree::Parallel { join, is_timed, body } => {
                let timeout = is_timed.then_some(Duration::from_secs(9));
                let kind = ControlKind::Parallel { join: *join, max: None, timeout };
                ControlStep::block(ControlBlock::new(id, kind), self.steps(body))
            }
            Tree::Transaction { is_timed, body } => {
                let timeout = is_timed.then_some(Duration::from_secs(9));
                let kind = ControlKind::Transaction { timeout };
                ControlStep::block(ControlBlock::new(id, kind), self.steps(body))
            }
            Tree::Value { of } => {
                let expression = name(of).unwrap_or_else(|| "1".to_owned());
                ControlStep::block(ControlBlock::new(id, ControlKind::Value { expression }), [])
            }
        }
    }
}

/// Returns whether a call succeeds.
pub(crate) fn succeeds(id: &str, salt: u64) -> bool {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = id.bytes().fold(salt ^ 0xcbf2_9ce4_8422_2325, mix);
    !(hash >> 7).is_multiple_of(4)
}

/// The ends of all calls and blocks, if the order in which calls end does not matter.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) salt: u64,
    /// The calls and blocks that are too many for the turn.
    pub(crate) refused: HashSet<String>,
    /// The end of each call and block by its full id, and its output.
    pub(crate) ends: HashMap<String, (CallEnd, String)>,
    /// The names of each body around the current place, from the outermost.
    pub(crate) scopes: Vec<HashMap<String, (CallEnd, String)>>,
}

impl Model {
    /// Runs a body, and returns whether it fails, and its output.
    pub(crate) fn body(&mut self, steps: &[ControlStep], prefix: &str) -> (CallEnd, String) {
        self.scopes.push(HashMap::new());
        let mut has_failed = false;
        let mut value = "null".to_owned();
        for step in steps {
            let (how, output) = self.step(step, prefix);
            has_failed |= how == CallEnd::Failed;
            value = if how == CallEnd::Ok { output } else { "null".to_owned() };
        }
        if has_failed { (CallEnd::Failed, "null".to_owned()) } else { (CallEnd::Ok, value) }
    }

    fn step(&mut self, step: &ControlStep, prefix: &str) -> (CallEnd, String) {
        let full = format!("{prefix}{}", step.id());
        let ended = match step {
            _ if self.refused.contains(&full) => {
                self.skip_inside(step, prefix);
                (CallEnd::Failed, String::new())
            }
            ControlStep::Call(call) => self.call(call, &full),
            ControlStep::Block { block, body, otherwise } => {
                self.block(block, body, otherwise, prefix)
            }
            _ => unreachable!(),
        };
        self.note(step.id(), full, ended.clone());
        ended
    }

    fn note(&mut self, id: &str, full: String, ended: (CallEnd, String)) {
        self.ends.insert(full, ended.clone());
        self.scopes.last_mut().unwrap().insert(id.to_owned(), ended);
    }

    fn find(&self, name: &str) -> Option<&(CallEnd, String)> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn call(&self, call: &Call, full: &str) -> (CallEnd, String) {
        let named = call.args().split('$').skip(1).filter_map(|rest| rest.split('-').next());
        let depends_on = &call.action().unwrap().depends_on;
        let is_unknown = depends_on.iter().any(|id| self.find(id).is_none());
        assert!(!is_unknown, "{full} depends on what it cannot see");
        let mut waits = named.chain(depends_on.iter().map(String::as_str));
        if waits.any(|name| self.find(name).is_some_and(|(how, _)| *how != CallEnd::Ok)) {
            return (CallEnd::Skipped, String::new());
        }
        match succeeds(full, self.salt) {
            true => (CallEnd::Ok, format!("\"out {full}\"")),
            false => (CallEnd::Failed, String::new()),
        }
    }

    fn block(
        &mut self,
        block: &ControlBlock,
        body: &[ControlStep],
        otherwise: &[ControlStep],
        prefix: &str,
    ) -> (CallEnd, String) {
        match &block.kind {
            ControlKind::Choice { test } => {
                let taken = self.test(test);
                let mut ended = (CallEnd::Skipped, String::new());
                if let Ok(taken) = taken {
                    ended = self.body(if taken { body } else { otherwise }, prefix);
                    // A name that a body binds is bound after it.
                    let bound = self.scopes.pop().unwrap();
                    self.scopes.last_mut().unwrap().extend(bound);
                }
                for (steps, of) in [(body, true), (otherwise, false)] {
                    if taken != Ok(of) {
                        self.skip(steps, prefix);
                    }
                }
                match taken {
                    Ok(_) => ended,
                    Err(how) => (how, String::new()),
                }
            }
            ControlKind::ForEach { items, .. } => {
                let count = items["range(".len()..items.len() - 1].parse::<usize>().unwrap();
                let outputs = (0..count).map(|at| {
                    let (_, value) = self.body(body, &format!("{prefix}{}[{at}].", block.id));
                    self.scopes.pop();
                    value
                });
                (CallEnd::Ok, format!("[{}]", Vec::from_iter(outputs).join(",")))
            }
            ControlKind::Parallel { .. } => {
                self.body(body, prefix);
                let bound = self.scopes.pop().unwrap();
                let value = |step: &ControlStep| match &bound[step.id()] {
                    (CallEnd::Ok, value) => value.clone(),
                    _ => "null".to_owned(),
                };
                let outputs = Vec::from_iter(body.iter().map(value)).join(",");
                self.scopes.last_mut().unwrap().extend(bound);
                (CallEnd::Ok, format!("[{outputs}]"))
            }
            ControlKind::Transaction { .. } => {
                unreachable!("what it comes to depends on the order")
            }
            ControlKind::Value { expression } => match self.find(expression) {
                _ if expression == "1" => (CallEnd::Ok, "1".to_owned()),
                None => (CallEnd::Failed, String::new()),
                Some((CallEnd::Ok, value)) => (CallEnd::Ok, value.clone()),
                Some(_) => (CallEnd::Skipped, String::new()),
            },
        }
    }

    /// Evaluates a test, or returns the end of its block.
    fn test(&self, test: &str) -> Result<bool, CallEnd> {
        let Some((question, rest)) = test.split_once('(') else { return Ok(test == "true") };
        let found = self.find(rest.split(')').next().unwrap());
        let (how, value) = found.ok_or(CallEnd::Failed)?;
        match question {
            "ok" => Ok(*how == CallEnd::Ok),
            "failed" => Ok(*how == CallEnd::Failed),
            _ if *how == CallEnd::Ok => Ok(value.starts_with('"')),
            _ => Err(CallEnd::Skipped),
        }
    }

    /// Skips steps with all in them.
    fn skip(&mut self, steps: &[ControlStep], prefix: &str) {
        for step in steps {
            let full = format!("{prefix}{}", step.id());
            let how = match self.refused.contains(&full) {
                true => CallEnd::Failed,
                false => CallEnd::Skipped,
            };
            self.note(step.id(), full, (how, String::new()));
            self.skip_inside(step, prefix);
        }
    }

    /// Skips the contents of a step that does not begin. A loop has no instances then.
    fn skip_inside(&mut self, step: &ControlStep, prefix: &str) {
        if let ControlStep::Block { block, body, otherwise } = step
            && !matches!(block.kind, ControlKind::ForEach { .. })
        {
            self.skip(body, prefix);
            self.skip(otherwise, prefix);
        }
    }
}
