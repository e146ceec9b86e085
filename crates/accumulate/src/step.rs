//! The output of an accumulator: instructions that its caller carries out.

use silcrow_event::{CallTextFragment, Event, TextFragment};
use silcrow_plan::{Plan, PlanUpdate};

/// An instruction of an [`Accumulator`](crate::Accumulator) to its caller, which carries out all of
/// them in order. It is not a step of a run.
///
/// ```
/// use silcrow_accumulate::{Accumulator, Step};
/// use silcrow_event::{Event, Fragment, TextFragment, TextKind};
/// use silcrow_plan::Plan;
///
/// let (mut turn, mut plan) = (Accumulator::new(), Plan::new());
/// let (mut screen, mut log) = (String::new(), Vec::new());
/// let mut take = |step: Step<'_>| match step {
///     Step::Show(piece) => screen += piece.text,
///     Step::Emit(event) if event.is_stored() => log.push(event),
///     _ => {}
/// };
/// let kind = TextKind::Respond { last: true };
/// for text in ["It is ", "4."] {
///     let piece = TextFragment { kind, part: 1, id: None, text };
///     turn.push(Fragment::Text(piece), &mut plan, &mut take);
/// }
/// turn.push(Fragment::Close { part: 1 }, &mut plan, &mut take);
/// assert_eq!((&*screen, log), ("It is 4.", vec![Event::respond("It is 4.")]));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// Show a piece of text at once.
    Show(TextFragment<'a>),
    /// Show a piece of a call that is being written. It is never run.
    ShowCall(CallTextFragment<'a>),
    /// Store a complete event, if events of its type are stored, and then show it.
    Emit(Event),
    /// Show that a call has ended, or that a name is bound or unbound. This is not stored.
    Report(PlanUpdate),
    /// Take note that an answer uses a name that is not bound (P-26).
    Unbound {
        /// The name, without the `$`.
        name: &'a str,
        /// Whether a call has the name and did not succeed.
        has_failed: bool,
    },
    /// Stop reading the answer.
    Stop(StopReason),
}

/// The reason why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The model waits for the results of its calls.
    Execute,
    /// The model is done.
    End,
    /// The turn is longer than its limits allow.
    TooMuch,
}

/// Emits the result of a call, which a log keeps as soon as it is certain (P-28).
pub(crate) fn emit_result(id: &str, plan: &Plan, take: &mut dyn FnMut(Step<'_>)) {
    if let Some(result) = plan.outcome(id) {
        take(Step::Emit(Event::Result(result.clone())));
    }
}
