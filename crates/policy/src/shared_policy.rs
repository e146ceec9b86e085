//! A policy that several agents and a person share, and whose mode and rules change meanwhile.
//!
//! A decision applies to its call; a change applies from the next decision on. This module limits
//! how far a person may widen the mode; the program asks them.

use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use silcrow_event::Grants;
use silcrow_tool::{ApprovedScope, CallAccess, Permission, PermissionRequest, Permissions};

use crate::error::{Error, ErrorKind};
use crate::leaving::LeaveQuestion;
use crate::mode::PermissionMode;
use crate::policy::Policy;
use crate::proposed_rule::ProposedRule;

/// A policy whose mode may change while runs use it.
///
/// ```
/// use silcrow_policy::{PermissionMode, Policy, SharedPolicy};
///
/// let policy = SharedPolicy::new(Policy::new(PermissionMode::Ask))
///     .with_widest(PermissionMode::Workspace);
/// policy.set_mode(PermissionMode::ReadOnly)?;
/// assert_eq!(policy.mode(), PermissionMode::ReadOnly);
/// assert!(policy.set_mode(PermissionMode::Full).is_err());
/// # Ok::<(), silcrow_policy::Error>(())
/// ```
pub struct SharedPolicy {
    state: RwLock<SharedPolicyState>,
    /// The widest mode that may be set, because the file of a project allows no wider one.
    widest: PermissionMode,
}

struct SharedPolicyState {
    policy: Policy,
    /// The number of changes of the mode so far.
    mode_changes: u64,
}

impl SharedPolicy {
    /// Shares a policy. Every mode may be set.
    pub const fn new(policy: Policy) -> Self {
        let state = RwLock::new(SharedPolicyState { policy, mode_changes: 0 });
        Self { state, widest: PermissionMode::Full }
    }

    /// Sets the widest mode that may be set later, such as the mode of a project's file.
    #[must_use]
    pub fn with_widest(self, widest: PermissionMode) -> Self {
        Self { widest, ..self }
    }

    /// Returns the mode that counts now.
    pub fn mode(&self) -> PermissionMode {
        self.read().policy.mode()
    }

    /// Returns the widest mode that may be set.
    pub const fn widest(&self) -> PermissionMode {
        self.widest
    }

    /// Sets the mode for all later decisions.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the mode is wider than [`widest`](Self::widest).
    pub fn set_mode(&self, mode: PermissionMode) -> Result<(), Error> {
        if mode > self.widest {
            let widest = self.widest;
            let why = format!("the project allows no wider mode than `{widest}` here");
            return Err(Error::new(ErrorKind::Widens, why));
        }
        let mut state = self.write();
        if mode != state.policy.mode() {
            state.policy = state.policy.clone().with_mode(mode);
            state.mode_changes += 1;
        }
        Ok(())
    }

    /// Returns the question for a person if it is only whether the call may leave the sandbox in
    /// the mode `full`; `None` if something else is asked about as well, such as by a rule, or
    /// nothing is. A program that says so in its question may [remember](Self::let_out) the yes.
    pub fn asks_to_leave(&self, request: &PermissionRequest<'_>) -> Option<LeaveQuestion> {
        let state = self.read();
        let asks = state.policy.asks_only_about_leaving(request);
        asks.then_some(LeaveQuestion { mode_changes: state.mode_changes })
    }

    /// Remembers a person's yes to this question: until the mode changes, commands may leave the sandbox
    /// without another question, unless a rule denies it or asks. Nothing happens if the mode has changed
    /// since the question was asked.
    ///
    /// Programs in which several people share a policy must not use it.
    pub fn let_out(&self, asked: LeaveQuestion) {
        let mut state = self.write();
        if asked.mode_changes == state.mode_changes {
            state.policy = state.policy.clone().letting_out(true);
        }
    }

    /// Adds a proposed rule for all later decisions.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the rule cannot be read.
    pub fn add(&self, rule: &ProposedRule) -> Result<(), Error> {
        let mut state = self.write();
        state.policy = state.policy.clone().with_proposed(rule)?;
        Ok(())
    }

    /// Takes everything from another policy except the mode, and the yes that was
    /// [remembered](Self::let_out) for it.
    pub fn replace(&self, policy: Policy) {
        let mut state = self.write();
        let (mode, lets_out) = (state.policy.mode(), state.policy.lets_out());
        state.policy = policy.with_mode(mode).letting_out(lets_out);
    }

    /// Returns the policy as it is now.
    pub fn to_policy(&self) -> Policy {
        self.read().policy.clone()
    }

    /// Returns the rule that would allow such calls from now on ([`Policy::propose`]).
    pub fn propose(&self, request: &PermissionRequest<'_>) -> Option<ProposedRule> {
        self.read().policy.propose(request)
    }

    /// Returns the rules that would allow more than such calls ([`Policy::propose_wider`]).
    pub fn propose_wider(&self, request: &PermissionRequest<'_>) -> Vec<ProposedRule> {
        self.read().policy.propose_wider(request)
    }

    fn read(&self) -> RwLockReadGuard<'_, SharedPolicyState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, SharedPolicyState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permissions for SharedPolicy {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        self.read().policy.decide(request)
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        self.read().policy.access(request)
    }

    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        self.read().policy.grants(request)
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        self.read().policy.wider_scopes(request)
    }

    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        self.read().policy.covers(request, approved)
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        self.read().policy.decide_at_wall(request, wanted)
    }
}

impl fmt::Debug for SharedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mode, widest) = (self.mode(), self.widest);
        f.debug_struct("SharedPolicy").field("mode", &mode).field("widest", &widest).finish()
    }
}
