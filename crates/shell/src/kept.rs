//! The files around a command: kept before it, and compared after it, by a keeper.
//!
//! This module follows the beginning and the end of commands. The keeper handles the files; a
//! command that may only read needs no keeper.

use std::sync::Arc;

use silcrow_event::{Grant, Grants};
use silcrow_sandbox::{Sandbox, SandboxLevel};
use silcrow_tool::{
    CallAccess, CallContext, ChangeKeeper, KeptBefore, KeptOutcome, ToolArgs, ToolError, ToolOutput,
};

use crate::arguments::ShellArgs;

/// The files as they were before a command.
#[derive(Debug, Default)]
pub(crate) struct KeptCommandFiles {
    kept: Option<Box<dyn KeptBefore>>,
    /// Why they were not kept.
    failure: Option<String>,
}

impl KeptCommandFiles {
    /// Keeps the files before a command that may change some.
    pub(crate) async fn begin(
        keeper: Option<&Arc<dyn ChangeKeeper>>,
        context: &CallContext,
    ) -> Self {
        let Some(keeper) = keeper.filter(|_| context.access() != CallAccess::ReadOnly) else {
            return Self::default();
        };
        match keeper.before(context).await {
            Ok(kept) => Self { kept: Some(kept), failure: None },
            Err(why) => {
                let failure = format!("what it changes cannot be taken back: {why}");
                Self { kept: None, failure: Some(failure) }
            }
        }
    }

    /// Returns the changes of the command, now that it has ended.
    pub(crate) async fn end(self) -> KeptOutcome {
        let mut outcome = match self.kept {
            Some(kept) => kept.after().await,
            None => KeptOutcome::default(),
        };
        outcome.notices.extend(self.failure);
        outcome
    }

    /// Adds the changes of the command to its result.
    pub(crate) async fn end_with(
        self,
        result: Result<ToolOutput, ToolError>,
    ) -> Result<ToolOutput, ToolError> {
        let outcome = self.end().await;
        Ok(with_outcome(result?, outcome))
    }
}

/// Adds the changes of a command to its result.
pub(crate) fn with_outcome(output: ToolOutput, outcome: KeptOutcome) -> ToolOutput {
    let KeptOutcome { changes, notices } = outcome;
    notices.into_iter().fold(output.with_changes(changes), ToolOutput::with_notice)
}

/// Returns whether all that a command can do is kept: it is confined, asks for nothing outside of its
/// folder, and does not outlive its call.
pub(crate) fn keeps_all(args: ToolArgs<'_>, sandbox: &Sandbox) -> bool {
    let Ok(args) = ShellArgs::read(args) else { return false };
    let Ok(needs) = args.needs.grants(sandbox.root()) else { return false };
    let level = sandbox.level();
    not_undone(true, level, &needs).is_none() && level.closes_network() && !args.background
}

/// Returns the effects of a command that cannot be undone, as a clause for the person who is asked
/// about it; `None` if everything important is kept.
pub(crate) fn not_undone(
    is_kept: bool,
    level: SandboxLevel,
    needs: &Grants,
) -> Option<&'static str> {
    let needs = |wanted: fn(&Grant) -> bool| needs.iter().any(wanted);
    Some(match () {
        () if !is_kept => "what it does cannot be undone",
        () if level == SandboxLevel::None || needs(|it| *it == Grant::Outside) => {
            "what it does outside of the folder cannot be undone"
        }
        () if needs(|it| matches!(it, Grant::Write(_))) => {
            "what it writes outside of the folder cannot be undone"
        }
        () if needs(|it| matches!(it, Grant::Network(_) | Grant::Local(_))) => {
            "what it sends cannot be undone"
        }
        () if needs(|it| *it == Grant::Git) => "what it does to git's own data cannot be undone",
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_relevant_leftovers_are_reported() {
        let level = SandboxLevel::FilesAndNetwork;
        let grants = |grant: &str| {
            let mut grants = Grants::none();
            grants.add(grant.parse().unwrap());
            grants
        };
        let said = |grant: &str| not_undone(true, level, &grants(grant));
        assert_eq!(not_undone(true, level, &Grants::none()), None);
        assert_eq!(said("read:/usr"), None);
        assert_eq!(said("git"), Some("what it does to git's own data cannot be undone"));
        assert_eq!(said("network:example.org"), Some("what it sends cannot be undone"));
        let everything = Some("what it does cannot be undone");
        assert_eq!(not_undone(false, level, &Grants::none()), everything);
        let outside = Some("what it does outside of the folder cannot be undone");
        assert_eq!(not_undone(true, SandboxLevel::None, &Grants::none()), outside);
    }
}
