//! The effect of a call, as its tool describes it.
//!
//! This module is data. `preview` asks the tool for it.

use std::time::Duration;

use silcrow_event::{Grants, PreviewDiff};

use crate::granted_scope::ScopeTime;

/// A description of a call's effect, for the person who is asked about it.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_tool::Preview;
///
/// let preview = Preview::new("make *")
///     .with_target("make test in /home/ada/app")
///     .with_time_limit(Duration::from_secs(60))
///     .with_time_in_scope();
/// assert_eq!(preview.target.as_deref(), Some("make test in /home/ada/app"));
/// // The time is a row of the scope, so a yes for the conversation does not cover a longer call.
/// assert!(preview.scope.starts_with("make *\n"), "{}", preview.scope);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// The thing that the call acts on, resolved: a path within the root without links and `..`, or
    /// a command with the folder that it runs in. `None` if the arguments say everything. It is
    /// stored with the approval, and the call does not run if its target has changed by then.
    pub target: Option<String>,
    /// The effect on the target as that is now, in a few words for a person, such as
    /// `replaces 5 bytes with 7`. Calls that run meanwhile may change it.
    pub effect: Option<String>,
    /// The lines that would change, if the tool shows them. A person who sees them approves exactly
    /// these lines, wherever they are by the time the call runs.
    pub diff: Option<PreviewDiff>,
    /// The scope of an approval for the whole conversation: it covers all calls of the tool with
    /// the same scope.
    pub scope: String,
    /// The reason why this call needs a person's own yes, which no approval for the conversation
    /// and no rule for the tool replaces, such as `it belongs to git, which runs commands that it
    /// names`. A tool that does something risky compares it with what was
    /// [approved](crate::CallContext::approved) when it acts.
    pub risk: Option<String>,
    /// The time limit of this very call, if it is shorter than the limit of the tool. The tool
    /// itself enforces it.
    pub time_limit: Option<Duration>,
    /// Whether work that the call starts continues after the call, like a server in the background.
    /// No time limit of the call ends it.
    pub outlives_call: bool,
    /// The doors that the call itself asks for in its arguments. [`Permissions`] may add others.
    ///
    /// [`Permissions`]: crate::Permissions
    pub needs: Grants,
    /// Whether the tool can enforce that this very call changes nothing and connects to nothing
    /// ([`CallAccess::ReadOnly`](crate::CallAccess::ReadOnly)).
    pub can_be_read_only: bool,
}

impl Preview {
    /// Creates the preview of a call whose target is unknown.
    pub fn new(scope: impl Into<String>) -> Self {
        let scope = scope.into();
        let (target, effect, diff, risk, time_limit) = (None, None, None, None, None);
        let (needs, outlives_call, can_be_read_only) = (Grants::none(), false, false);
        Self {
            target,
            effect,
            diff,
            scope,
            risk,
            time_limit,
            outlives_call,
            needs,
            can_be_read_only,
        }
    }

    /// Sets the target of the call.
    #[must_use]
    pub fn with_target(self, target: impl Into<String>) -> Self {
        Self { target: Some(target.into()), ..self }
    }

    /// Sets the reason why this call needs a person's own yes.
    #[must_use]
    pub fn with_risk(self, risk: impl Into<String>) -> Self {
        Self { risk: Some(risk.into()), ..self }
    }

    /// Sets the time limit of this very call.
    #[must_use]
    pub fn with_time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// Says that work started by the call continues after it.
    #[must_use]
    pub fn outliving_call(self) -> Self {
        Self { outlives_call: true, ..self }
    }

    /// Says that the tool can enforce that the call changes nothing and connects to nothing.
    #[must_use]
    pub fn enforceably_read_only(self) -> Self {
        Self { can_be_read_only: true, ..self }
    }

    /// Sets the doors that the call itself asks for.
    #[must_use]
    pub fn with_needs(self, needs: Grants) -> Self {
        Self { needs, ..self }
    }

    /// Adds the running time of the call to its scope: its own time limit, or the fact that its
    /// work continues. An approval for the conversation then covers the same time or a shorter one.
    #[must_use]
    pub fn with_time_in_scope(mut self) -> Self {
        self.scope = self.timed(&self.scope);
        self
    }

    /// Returns another scope with the time of the call, such as a [wider
    /// one](crate::Permissions::wider_scopes).
    pub fn timed(&self, scope: &str) -> String {
        self.scope_time().map_or_else(|| scope.to_owned(), |time| format!("{scope}{}", time.row()))
    }

    /// Returns the time of the call, if the preview has it.
    pub(crate) fn scope_time(&self) -> Option<ScopeTime> {
        match self.outlives_call {
            true => Some(ScopeTime::Outlives),
            false => self.time_limit.map(ScopeTime::Limit),
        }
    }

    /// Sets the lines that would change.
    #[must_use]
    pub fn with_diff(self, diff: PreviewDiff) -> Self {
        Self { diff: Some(diff), ..self }
    }

    /// Sets the effect of the call on its target.
    #[must_use]
    pub fn with_effect(self, effect: impl Into<String>) -> Self {
        Self { effect: Some(effect.into()), ..self }
    }
}
