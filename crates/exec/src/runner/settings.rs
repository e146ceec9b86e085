//! The settings of a runner, one method for each.

use std::sync::Arc;

use silcrow_tool::{CancellationToken, Scope, Spill, Validator};

use super::Runner;
use crate::journal::Journal;
use crate::limits::RunnerLimits;
use crate::recorded::RecordedResults;
use crate::rollback_count::{RollbackCount, RollbackGuard};

impl Runner {
    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, settings: RunnerLimits) -> Self {
        Self { settings, ..self }
    }

    /// Returns the limits.
    pub const fn limits(&self) -> &RunnerLimits {
        &self.settings
    }

    /// Sets the journal, which notes each call before it starts.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static) -> Self {
        Self { journal: Arc::new(journal), ..self }
    }

    /// Lets the runner report the start of each attempt ([`CallUpdate::Started`](crate::CallUpdate::Started)).
    #[must_use]
    pub fn with_start_updates(self) -> Self {
        Self { reports_starts: true, ..self }
    }

    /// Denies everything that a running call [asks for](crate::CallContext::ask_for), at once and
    /// without a question.
    #[must_use]
    pub fn without_wall_questions(self) -> Self {
        Self { asks_at_walls: false, ..self }
    }

    /// Sets the validator of arguments.
    #[must_use]
    pub fn with_validator(self, validator: Arc<dyn Validator>) -> Self {
        Self { validator, ..self }
    }

    /// Sets the store for outputs that are longer than their cap.
    #[must_use]
    pub fn with_spill(self, spill: Arc<dyn Spill>) -> Self {
        Self { spill: Some(spill), ..self }
    }

    /// Sets the scope of its calls. When the scope's token is cancelled, nothing starts any more,
    /// and [`next`](Self::next) stops everything that runs.
    #[must_use]
    pub fn with_scope(self, scope: Scope) -> Self {
        let scope = RollbackCount::within(scope);
        Self { cancel: scope.cancellation.child_token(), scope, ..self }
    }

    /// Lets the runs around wait longer, as long as a rollback goes on.
    pub(crate) fn rollback_guard(&self) -> Option<RollbackGuard> {
        RollbackCount::begin(&self.scope)
    }

    /// Creates a runner of the same tools, with the same rules, whose calls no cancellation of the
    /// scope reaches. Their starts are not recorded, and nobody is asked about their requests while
    /// they run.
    pub(crate) fn shielded(&self) -> Self {
        let scope = self.scope.clone().with_cancellation(CancellationToken::new());
        let mut shielded = Self::new(Arc::clone(&self.toolbox), self.approvals.approver());
        shielded.approvals.share_grants(&self.approvals);
        Self {
            validator: Arc::clone(&self.validator),
            spill: self.spill.clone(),
            recorded: self.recorded.clone(),
            settings: self.settings,
            reports_starts: self.reports_starts,
            asks_at_walls: false,
            ..shielded
        }
        .with_scope(scope)
    }

    /// Replays a recorded conversation: a call of a tool that [may be
    /// repeated](crate::ToolPolicy::is_repeatable) gets its recorded result instead of running, and
    /// the approver is asked about all others, regardless of their tools' policies.
    #[must_use]
    pub fn with_recorded(self, recorded: Arc<RecordedResults>) -> Self {
        Self { recorded: Some(recorded), ..self }
    }
}
