//! A policy that several agents and a person share, and whose mode and rules change meanwhile.
//!
//! A decision counts for the call that it was made about; a change counts from the next decision on.
//! This module knows how far a person may widen the mode. It does not know how they say so.

use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use silcrow_event::Grants;
use silcrow_exec::{ApprovedScope, CallAccess, Permission, PermissionRequest, Permissions};

use crate::error::{Error, ErrorKind};
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
    policy: RwLock<Policy>,
    /// The widest mode that may be set, because the file of a project allows no wider one.
    widest: PermissionMode,
}

impl SharedPolicy {
    /// Shares a policy. Every mode may be set.
    pub const fn new(policy: Policy) -> Self {
        Self { policy: RwLock::new(policy), widest: PermissionMode::Full }
    }

    /// Sets the widest mode that may be set later, such as the mode of a project's file.
    #[must_use]
    pub fn with_widest(self, widest: PermissionMode) -> Self {
        Self { widest, ..self }
    }

    /// Returns the mode that counts now.
    pub fn mode(&self) -> PermissionMode {
        self.read().mode()
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
        let mut policy = self.write();
        *policy = policy.clone().with_mode(mode);
        Ok(())
    }

    /// Adds a proposed rule for all later decisions.
    ///
    /// # Errors
    ///
    /// Returns an error, and changes nothing, if the rule cannot be read.
    pub fn add(&self, rule: &ProposedRule) -> Result<(), Error> {
        let mut policy = self.write();
        *policy = policy.clone().with_proposed(rule)?;
        Ok(())
    }

    /// Replaces everything but the mode by that of another policy.
    pub fn replace(&self, policy: Policy) {
        let mut own = self.write();
        let mode = own.mode();
        *own = policy.with_mode(mode);
    }

    /// Returns the policy as it is now.
    pub fn to_policy(&self) -> Policy {
        self.read().clone()
    }

    /// Returns the rule that would allow such calls from now on ([`Policy::propose`]).
    pub fn propose(&self, request: &PermissionRequest<'_>) -> Option<ProposedRule> {
        self.read().propose(request)
    }

    /// Returns the rules that would allow more than such calls ([`Policy::propose_wider`]).
    pub fn propose_wider(&self, request: &PermissionRequest<'_>) -> Vec<ProposedRule> {
        self.read().propose_wider(request)
    }

    fn read(&self) -> RwLockReadGuard<'_, Policy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Policy> {
        self.policy.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permissions for SharedPolicy {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        self.read().decide(request)
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        self.read().access(request)
    }

    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        self.read().grants(request)
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        self.read().wider_scopes(request)
    }

    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        self.read().covers(request, approved)
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        self.read().decide_at_wall(request, wanted)
    }
}

impl fmt::Debug for SharedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mode, widest) = (self.mode(), self.widest);
        f.debug_struct("SharedPolicy").field("mode", &mode).field("widest", &widest).finish()
    }
}
