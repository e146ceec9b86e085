//! The runs of hooks that a person sees as lines.

use silcrow_event::{HookEffect, HookRun};
use silcrow_session::AgentSession;

/// Shows the hooks of a session that change the text for the model. The call, the prompt or the
/// answer that a hook blocks shows its words itself.
pub(crate) fn show_hooks(session: &AgentSession, show: impl Fn(&str) + Send + Sync + 'static) {
    session.show_hooks(move |run| {
        if is_shown(run) {
            show(&run.line());
        }
    });
}

fn is_shown(run: &HookRun) -> bool {
    match run.effect {
        HookEffect::Added => true,
        // The call has ended, so the words go to the model only.
        HookEffect::Blocked => run.moment == "PostToolUse",
        HookEffect::Asked | HookEffect::Passed | HookEffect::Failed => false,
    }
}
