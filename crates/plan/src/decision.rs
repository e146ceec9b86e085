//! The output of a plan: decisions for the runner of calls, and updates for reports about them.

use std::ops::Range;
use std::time::Duration;

use silcrow_event::{Call, CallEnd, CallKind, CallMode, Json};

use crate::substitute::FilledArgs;
use crate::undo::{CallUndo, UndoneCall};

/// A decision of a plan, for the runner to carry out.
///
/// ```
/// use silcrow_event::{ActionAttributes, Call, CallResult};
/// use silcrow_plan::{Plan, PlanDecision};
///
/// let mut plan = Plan::new();
/// let call = Call::parse("a1", r#"{"name":"ping"}"#).unwrap();
/// plan.push(call.with_action(ActionAttributes::default()));
/// let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
///
/// let failure = CallResult::failure("a1", Some("ping"), "no answer", "It did not answer.");
/// plan.fail("a1", failure, ready.retries(2));
/// let Some(PlanDecision::Retry { id, after }) = plan.decide() else { panic!() };
/// assert_eq!((id.as_str(), after.as_millis()), ("a1", 100));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a decision is moved once, and most are to start")]
pub enum PlanDecision {
    /// Start an attempt at a call.
    Start(ReadyCall),
    /// Wait, and then call [`Plan::retry`](crate::Plan::retry).
    Retry {
        /// The call's id.
        id: String,
        /// The length of the pause: 100 ms before the second attempt, twice as long before each
        /// further one, 30 s at most.
        after: Duration,
    },
    /// Wait in parallel with everything else, and then call
    /// [`Plan::time_out`](crate::Plan::time_out), unless the block has ended by then.
    Time {
        /// The block's id.
        id: String,
        /// The time limit of the block.
        after: Duration,
    },
    /// Stop a running call of a transaction, and call [`Plan::stopped`](crate::Plan::stopped) once
    /// it has stopped (P-32). The plan already considers it ended.
    Await {
        /// The call's id.
        id: String,
    },
    /// Stop a running call. The plan already considers it ended.
    Stop {
        /// The call's id.
        id: String,
    },
}

/// An update about a call of a plan, for a log or a screen.
///
/// ```
/// use silcrow_event::{Call, CallEnd, CallResult};
/// use silcrow_plan::{Plan, PlanUpdate};
///
/// let mut plan = Plan::new();
/// plan.push(Call::parse("a1", r#"{"name":"ping"}"#).unwrap());
/// plan.reach_execution_point();
/// assert!(plan.decide().is_some());
/// plan.finish("a1", CallResult::failure("a1", Some("ping"), "no answer", "It did not answer."));
/// let Some(PlanUpdate::End { id, how }) = plan.next_update() else { panic!() };
/// assert_eq!((id.as_str(), how), ("a1", CallEnd::Failed));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanUpdate {
    /// A call has ended. [`Plan::outcome`](crate::Plan::outcome) returns its result.
    End {
        /// The call's id.
        id: String,
        /// The kind of its end.
        how: CallEnd,
    },
    /// A control block has ended. [`Plan::outcome`](crate::Plan::outcome) returns its result.
    BlockEnd {
        /// The block's id.
        id: String,
        /// The kind of its end.
        how: CallEnd,
    },
    /// The plan created a call: an instance of a call in a loop (P-30), or one that compensates for
    /// another (P-32). No call starts before this update is taken, so the call can be stored first.
    Instance(Call),
    /// A name is bound to an output (P-26).
    Bind {
        /// The name, without the `$`.
        name: String,
        /// The output.
        value: Json,
    },
    /// A call uses a name that is not bound; the name stays as written (P-26).
    Unbound {
        /// The call's id.
        id: String,
        /// The name, without the `$`.
        name: String,
    },
}

/// An attempt at a call that may start now. Only a plan creates one, once the call may run.
///
/// ```
/// use silcrow_event::{ActionAttributes, Call};
/// use silcrow_plan::{Plan, PlanDecision};
///
/// let action = ActionAttributes { retry: Some(2), ..ActionAttributes::default() };
/// let mut plan = Plan::new();
/// plan.push(Call::parse("a1", r#"{"name":"fetch"}"#).unwrap().with_action(action));
/// let Some(PlanDecision::Start(ready)) = plan.decide() else { panic!() };
/// assert_eq!((ready.name(), ready.args(), ready.attempt()), ("fetch", "{}", 1));
/// // The call itself asks for two more attempts, so the default of its tool does not count.
/// assert_eq!(ready.retries(5), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) args: FilledArgs,
    pub(crate) item_of: Option<String>,
    pub(crate) kind: CallKind,
    pub(crate) mode: CallMode,
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempt: u32,
    /// The number of retries that the call asks for.
    pub(crate) retries: Option<u32>,
    /// The maximum number of retries, however many are asked for.
    pub(crate) most_retries: u32,
    pub(crate) is_in_transaction: bool,
    pub(crate) undo: Option<CallUndo>,
    pub(crate) undoes: Option<UndoneCall>,
}

impl ReadyCall {
    /// Returns the call's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the id without the numbers of the items of its loops, such as `each[].save`; `None`
    /// outside of loops. Calls that share such an id differ only in their items (P-30).
    pub fn item_of(&self) -> Option<&str> {
        self.item_of.as_deref()
    }

    /// Returns the name of the tool or other thing that is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the arguments, a JSON object with outputs in place of their names.
    pub fn args(&self) -> &str {
        &self.args.json
    }

    /// Returns where in the arguments an output stands alone and is a string, in the order of the
    /// text. Such a string may be JSON text whose value the parameter expects.
    pub fn text_outputs(&self) -> &[Range<usize>] {
        &self.args.texts
    }

    /// Replaces string outputs, each of which must be one of the
    /// [`text_outputs`](Self::text_outputs), by the JSON values they contain. Text that is not JSON
    /// stays.
    pub fn read_outputs(&mut self, places: &[Range<usize>]) {
        let FilledArgs { json, texts } = &mut self.args;
        for place in places.iter().rev() {
            let text = texts.iter().position(|text| text == place);
            let value = json.get(place.clone()).and_then(Json::parse);
            let value = value.and_then(|string| Json::parse(&string.to_text()));
            let (Some(at), Some(value)) = (text, value) else { continue };
            json.replace_range(place.clone(), value.as_str());
            texts.remove(at);
            let (old, new) = (place.len(), value.as_str().len());
            for later in &mut texts[at..] {
                *later = later.start - old + new..later.end - old + new;
            }
        }
    }

    /// Returns the kind of thing that is called.
    pub const fn kind(&self) -> CallKind {
        self.kind
    }

    /// Returns the mode, which decides which calls wait for the call. Calls of a batch are
    /// [`CallMode::Async`].
    pub const fn mode(&self) -> CallMode {
        self.mode
    }

    /// Returns the time limit that the model sets for this attempt; a number too large to represent
    /// is [`Duration::MAX`].
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Returns the number of the attempt, from 1.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Returns whether the call is in a transaction (P-32).
    pub const fn is_in_transaction(&self) -> bool {
        self.is_in_transaction
    }

    /// Returns how the call is undone; `None` outside of transactions, and if there is nothing to
    /// undo.
    pub const fn undo(&self) -> Option<&CallUndo> {
        self.undo.as_ref()
    }

    /// Returns the call that this one compensates for, if any. It starts at least once, and
    /// cancelling the run does not stop it (P-32).
    pub const fn undoes(&self) -> Option<&UndoneCall> {
        self.undoes.as_ref()
    }

    /// Returns the number of retries left if every attempt fails. `of_tool` is the number that the
    /// tool allows, which applies if the call names none.
    pub fn retries(&self, of_tool: u32) -> u32 {
        let all = self.retries.unwrap_or(of_tool).min(self.most_retries);
        all.saturating_sub(self.attempt.saturating_sub(1))
    }
}
