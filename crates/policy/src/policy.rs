//! The policy of a run: a mode and rules, as the permissions of calls.
//!
//! This module knows which of several reasons counts. A denial comes first, then the mode
//! `read-only`, then what must be asked, then what a rule allows, and last what the mode allows.

use std::collections::BTreeMap;

use silcrow_event::CallKind;
use silcrow_exec::{Permission, PermissionRequest, Permissions};

use crate::command::{CommandVerdict, is_harmless};
use crate::facts::{CallEffect, CallFacts};
use crate::mode::{Confinement, PermissionMode};
use crate::policy_file::{PolicyFile, PolicyOwner};
use crate::rule::{PermissionRule, RuleEffect, RuleMatch};

/// Decides which calls run, are asked about or are denied.
#[derive(Clone, Debug)]
pub struct Policy {
    mode: PermissionMode,
    confinement: Confinement,
    rules: Vec<PermissionRule>,
    /// The kinds of what tools stand for, by name.
    kinds: BTreeMap<String, CallKind>,
}

impl Policy {
    /// Creates a policy without rules, for commands that nothing confines.
    pub const fn new(mode: PermissionMode) -> Self {
        let confinement = Confinement::None;
        Self { mode, confinement, rules: Vec::new(), kinds: BTreeMap::new() }
    }

    /// Sets what confines the commands of the tool `shell`.
    #[must_use]
    pub fn with_confinement(self, confinement: Confinement) -> Self {
        Self { confinement, ..self }
    }

    /// Adds a rule.
    #[must_use]
    pub fn with_rule(mut self, rule: PermissionRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds the rules of a file. The mode of a person's file becomes that of the policy; the mode of
    /// a project's file does so only if it is narrower.
    #[must_use]
    pub fn with_file(mut self, file: PolicyFile) -> Self {
        if let Some(mode) = file.mode {
            self.mode = match file.owner {
                PolicyOwner::Person => mode,
                PolicyOwner::Project => self.mode.narrowed_by(mode),
            };
        }
        self.rules.extend(file.rules);
        self
    }

    /// Sets the mode.
    #[must_use]
    pub fn with_mode(self, mode: PermissionMode) -> Self {
        Self { mode, ..self }
    }

    /// Says that a tool stands for something else, such as an agent, as it does in dialects that
    /// only call tools.
    #[must_use]
    pub fn with_kind(mut self, tool: impl Into<String>, kind: CallKind) -> Self {
        self.kinds.insert(tool.into(), kind);
        self
    }

    /// Returns the mode that counts.
    pub const fn mode(&self) -> PermissionMode {
        self.mode
    }

    fn decide_call(&self, call: &CallFacts<'_>) -> Permission {
        if let Some(CommandVerdict::Forbidden(why)) = call.verdict() {
            return Permission::Deny(format!("this command never runs here: {why}"));
        }
        let restricted = self.restriction(call);
        if let Some(Restriction::Denied(why)) = restricted {
            return Permission::Deny(why);
        }
        let effect = call.effect();
        if self.mode == PermissionMode::ReadOnly && !is_readable(call, effect) {
            return Permission::Deny(READ_ONLY.to_owned());
        }
        if restricted.is_some() {
            return Permission::Ask;
        }
        if self.mode == PermissionMode::Full {
            return Permission::Allow;
        }
        let has_secret = call.command.as_ref().is_some_and(|command| command.secret.is_some());
        if call.request.preview.risk.is_some() || has_secret {
            return Permission::Ask;
        }
        if self.mode != PermissionMode::ReadOnly && self.is_allowed(call) {
            return Permission::Allow;
        }
        self.by_mode(call, effect)
    }

    /// Returns the strongest restriction that a rule demands.
    fn restriction(&self, call: &CallFacts<'_>) -> Option<Restriction> {
        let mut is_asked = false;
        for rule in self.rules.iter().filter(|rule| rule.effect != RuleEffect::Allow) {
            match (rule.restricts(call), rule.effect) {
                (RuleMatch::No, _) => {}
                (RuleMatch::Yes, RuleEffect::Deny) => {
                    return Some(Restriction::Denied(rule.denial()));
                }
                _ => is_asked = true,
            }
        }
        is_asked.then_some(Restriction::Asked)
    }

    /// Returns whether rules allow a call that has no risk.
    fn is_allowed(&self, call: &CallFacts<'_>) -> bool {
        let Some(command) = &call.command else {
            return self.rules.iter().any(|rule| rule.allows(call));
        };
        let is_confined = self.has_no_network(call);
        let allowed = self.rules.iter().filter_map(|rule| rule.allowed_commands(call, is_confined));
        let allowed: Vec<_> = allowed.collect();
        if allowed.iter().any(|patterns| patterns.is_empty()) {
            return true;
        }
        let is_covered = |command| {
            is_harmless(command) || allowed.iter().copied().flatten().any(|own| own.covers(command))
        };
        !allowed.is_empty() && command.is_plain && command.commands.iter().all(is_covered)
    }

    /// Decides about a call that no rule is about and that has no risk.
    fn by_mode(&self, call: &CallFacts<'_>, effect: CallEffect) -> Permission {
        let runs = match effect {
            CallEffect::Reads => true,
            CallEffect::Delegates | CallEffect::ChangesRelic => return call.request.by_tool(),
            CallEffect::ChangesFiles => self.mode == PermissionMode::Workspace,
            CallEffect::Command => {
                let is_harmless = call.verdict() == Some(&CommandVerdict::Harmless);
                (is_harmless && self.confinement >= Confinement::FilesOnly)
                    || (self.mode == PermissionMode::Workspace && self.has_no_network(call))
            }
            CallEffect::SendsOut | CallEffect::Changes => false,
        };
        if runs { Permission::Allow } else { Permission::Ask }
    }

    /// Returns whether a command is confined, and has no network.
    fn has_no_network(&self, call: &CallFacts<'_>) -> bool {
        self.confinement == Confinement::FilesAndNetwork && !call.request.policy.sends_out
    }
}

impl Permissions for Policy {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        let kind = match request.kind {
            CallKind::Tool => self.kinds.get(request.tool).copied().unwrap_or(CallKind::Tool),
            kind => kind,
        };
        self.decide_call(&CallFacts::new(request, kind))
    }
}

/// What rules demand of a call that they do not leave alone.
enum Restriction {
    Asked,
    /// The words for the model.
    Denied(String),
}

/// Returns whether a call may run in the mode `read-only`, at least after a question.
fn is_readable(call: &CallFacts<'_>, effect: CallEffect) -> bool {
    match effect {
        CallEffect::Reads | CallEffect::Delegates => true,
        CallEffect::Command => call.command.as_ref().is_some_and(|command| command.is_readable),
        _ => false,
    }
}

const READ_ONLY: &str = "nothing that changes something or sends something out runs in the mode \
                         read-only; read instead, and say what you would do";
