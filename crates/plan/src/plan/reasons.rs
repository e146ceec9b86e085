//! The results, for the model, of calls that never ran.

use silcrow_event::{CallEnd, CallResult, Content};

use super::node::Node;
use crate::undo::UNDO_END;

/// The summary of the result of a call that was skipped, because another call did not succeed or
/// because it is written after the final response (P-22, P-25).
pub const SKIPPED: &str = "skipped";

impl Node {
    /// Returns the result of a call that waits for `id`, which did not succeed.
    pub(crate) fn skipped(&self, id: &str, how: CallEnd) -> CallResult {
        let what = match how {
            CallEnd::Ok => "ended",
            CallEnd::Failed => "failed",
            CallEnd::Skipped => "was skipped",
            CallEnd::Cancelled => "was cancelled",
        };
        self.never(SKIPPED, format!("skipped: it waits for `{id}`, which {what}"))
    }

    pub(crate) fn after_answer(&self) -> CallResult {
        self.never(SKIPPED, "skipped: it is written after the final response")
    }

    pub(crate) fn unknown_dependency(&self, id: &str) -> CallResult {
        let why = format!("it depends on `{id}`, but no action of this turn has that id");
        self.never("unknown dependency", why)
    }

    /// Returns the result of a call that is in a cycle. `ids` are the calls of the cycle.
    pub(crate) fn cycle(&self, ids: &[String]) -> CallResult {
        let why = match ids {
            [] => "it waits for itself, which is a cycle".to_owned(),
            ids => format!("{} wait for each other, which is a cycle", ids.join(", ")),
        };
        self.never("cycle", why)
    }

    /// Returns the result of a `sync` call that waits for the later call `id`, directly or not.
    pub(crate) fn waits_for_later(&self, id: &str) -> CallResult {
        let why = format!(
            "it waits for `{id}`, which is not written before it; as it is `sync`, nothing after \
             it starts before it ends, so this is a cycle"
        );
        self.never("cycle", why)
    }

    pub(crate) fn waits_for_nothing(&self, id: &str) -> CallResult {
        let why =
            format!("it depends on `{id}`, which is `fire_and_forget`: nothing can wait for it");
        self.never("unknown dependency", why)
    }

    pub(crate) fn too_deep(&self, levels: usize) -> CallResult {
        self.never("too deep", format!("at most {levels} blocks may be inside each other"))
    }

    /// Returns the result of a block that asks for the end of a call that the earlier text does not
    /// contain.
    pub(crate) fn unknown_end(&self, id: &str) -> CallResult {
        let why = format!("it asks how `{id}` ended, but no action before it has that id");
        self.never("unknown dependency", why)
    }

    pub(crate) fn repeated(&self) -> CallResult {
        self.never("repeated id", format!("the id `{}` is taken", self.id))
    }

    /// Returns the result of a call that cannot take another one back.
    pub(crate) fn not_undone(&self, why: String) -> CallResult {
        self.never("", why)
    }

    pub(crate) fn reserved_id(&self) -> CallResult {
        let why = format!("an id that ends with `{UNDO_END}` is of a rollback; write another one");
        self.never("reserved id", why)
    }

    pub(crate) fn too_many(&self, calls: usize) -> CallResult {
        self.never("too many calls", format!("a turn may hold {calls} calls; write fewer"))
    }

    pub(crate) fn too_long(&self, bytes: usize) -> CallResult {
        let why =
            format!("with the outputs that they name, the arguments are longer than {bytes} bytes");
        self.never("bad arguments", why)
    }

    fn never(&self, summary: &str, why: impl Into<Content>) -> CallResult {
        CallResult::framework_failure(&*self.id, self.name(), summary, why)
    }
}
