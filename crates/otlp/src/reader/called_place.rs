//! The place of an agent or a workflow that a call runs, and the calls that may run one.

use silcrow_event::{CallKind, TraceContext};

/// The place of a called agent or workflow in a trace.
#[derive(Debug)]
pub(super) struct CalledPlace {
    /// The names of the agents and workflows down to it, joined by `/`.
    pub(super) path: String,
    pub(super) name: String,
    /// Whether it is a workflow, if its call says so.
    pub(super) is_workflow: Option<bool>,
    /// The span of the call that runs it.
    pub(super) parent: Option<TraceContext>,
}

/// A call of a log, running or over.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownCall {
    pub(super) context: TraceContext,
    /// The position of its entry in the log.
    pub(super) seq: Option<u64>,
    /// Whether it runs a workflow, if it says so.
    pub(super) is_workflow: Option<bool>,
}

/// Returns whether a call of this kind runs a workflow. A dialect without kinds does not say.
pub(super) const fn is_workflow(kind: CallKind) -> Option<bool> {
    match kind {
        CallKind::Workflow => Some(true),
        CallKind::Agent => Some(false),
        CallKind::Tool | CallKind::Relic | CallKind::Llm => None,
    }
}

/// Returns the turn and the id of the call of `outer` that runs the conversation `inner`. The id of
/// such a conversation is `CONVERSATION/TURN/CALL`, and a further attempt has a number after it.
pub(super) fn call_of(inner: &str, outer: &str) -> Option<(u32, String)> {
    let rest = inner.strip_prefix(outer)?.strip_prefix('/')?;
    let (turn, id) = rest.split_once('/')?;
    let id = match id.rsplit_once('~') {
        Some((id, attempt)) if !matches!(attempt, "0" | "1") => id,
        _ => id,
    };
    Some((turn.parse().ok()?, id.replace("~1", "/").replace("~0", "~")))
}
