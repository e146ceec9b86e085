//! The policy of a run: a mode and rules, as the permissions of calls.
//!
//! This module knows which of several reasons counts. A denial comes first, then the mode
//! `read-only`, then what must be asked, then what a rule allows, and last what the mode allows.

use std::collections::BTreeMap;
use std::path::PathBuf;

use silcrow_event::CallKind;
use silcrow_exec::{CallAccess, Permission, PermissionRequest, Permissions};

use crate::command::{CommandVerdict, is_harmless};
use crate::error::Error;
use crate::facts::{CallEffect, CallFacts};
use crate::mode::{Confinement, PermissionMode};
use crate::policy_file::PolicyFile;
use crate::policy_owner::PolicyOwner;
use crate::proposed_rule::ProposedRule;
use crate::rule::{PermissionRule, RuleEffect, RuleMatch};

/// Decides which calls run, are asked about or are denied.
#[derive(Clone, Debug)]
pub struct Policy {
    mode: PermissionMode,
    confinement: Confinement,
    rules: Vec<PermissionRule>,
    /// The kinds of what tools stand for, by name.
    kinds: BTreeMap<String, CallKind>,
    /// The folder that the tools see, without links.
    root: Option<PathBuf>,
}

impl Policy {
    /// Creates a policy without rules, for commands that nothing confines.
    pub const fn new(mode: PermissionMode) -> Self {
        let confinement = Confinement::None;
        Self { mode, confinement, rules: Vec::new(), kinds: BTreeMap::new(), root: None }
    }

    /// Sets what confines the commands of the tool `shell`.
    #[must_use]
    pub fn with_confinement(self, confinement: Confinement) -> Self {
        Self { confinement, ..self }
    }

    /// Sets the folder that the tools see, as an absolute path without links. Rules with a `root`
    /// are about calls in this folder only. Without it they allow nothing, and what they deny is
    /// asked about.
    #[must_use]
    pub fn with_root(self, root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()), ..self }
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

    /// Returns the rule that would allow such calls in the folder that the tools see, if a rule can
    /// name exactly this command, this file or this host, and if the call would then run.
    pub fn propose(&self, request: &PermissionRequest<'_>) -> Option<ProposedRule> {
        let root = self.root.as_ref()?.to_str()?;
        let call = CallFacts::new(request, self.kind(request), self.root.as_deref());
        let rule = ProposedRule::about(&call, root)?;
        let allows = self.clone().with_proposed(&rule).ok()?.decide(request) == Permission::Allow;
        allows.then_some(rule)
    }

    /// Adds a proposed rule.
    ///
    /// # Errors
    ///
    /// Returns an error if the rule cannot be read, as a path with a pattern that is too long.
    pub fn with_proposed(self, rule: &ProposedRule) -> Result<Self, Error> {
        let file = PolicyFile::parse("a kept rule", &rule.to_toml(), PolicyOwner::Person)?;
        Ok(self.with_file(file))
    }

    fn kind(&self, request: &PermissionRequest<'_>) -> CallKind {
        match request.kind {
            CallKind::Tool => self.kinds.get(request.tool).copied().unwrap_or(CallKind::Tool),
            kind => kind,
        }
    }

    /// Decides about a call, and about what it then has access to.
    fn judge(&self, call: &CallFacts<'_>) -> (Permission, CallAccess) {
        let permission = self.decide_call(call);
        let access = self.access_of(call, &permission);
        (permission, access)
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
        let is_command = call.command.is_some();
        if self.mode == PermissionMode::ReadOnly && is_command && !call.can_be_read_only() {
            return Permission::Deny(NOT_ENFORCED.to_owned());
        }
        if let Some(Restriction::Asked(why)) = restricted {
            return Permission::Ask(why);
        }
        if self.mode == PermissionMode::Full {
            return Permission::Allow;
        }
        if call.request.preview.risk.is_some() {
            return self.ask("each call with a risk");
        }
        if let Some(secret) = call.command.as_ref().and_then(|command| command.secret.as_ref()) {
            return self.ask(&format!("commands that name a secret: `{secret}`"));
        }
        if self.mode != PermissionMode::ReadOnly && self.is_allowed(call) {
            return Permission::Allow;
        }
        self.by_mode(call, effect)
    }

    /// Returns the strongest restriction that a rule demands.
    fn restriction(&self, call: &CallFacts<'_>) -> Option<Restriction> {
        let mut asked = None;
        for rule in self.rules.iter().filter(|rule| rule.effect != RuleEffect::Allow) {
            match (rule.restricts(call), rule.effect) {
                (RuleMatch::No, _) => {}
                (RuleMatch::Yes, RuleEffect::Deny) => {
                    return Some(Restriction::Denied(rule.denial()));
                }
                (found, _) => {
                    asked.get_or_insert_with(|| Restriction::Asked(rule.question(found)));
                }
            }
        }
        asked
    }

    /// Returns whether rules allow a call that has no risk.
    pub(crate) fn is_allowed(&self, call: &CallFacts<'_>) -> bool {
        let Some(command) = &call.command else {
            return self.rules.iter().any(|rule| rule.allows(call));
        };
        let is_confined = self.has_no_network(call);
        let allowed = self.rules.iter().filter_map(|rule| rule.allowed_commands(call, is_confined));
        let allowed: Vec<_> = allowed.collect();
        if allowed.iter().any(|patterns| patterns.is_empty()) {
            return true;
        }
        let is_named = |command| allowed.iter().copied().flatten().any(|own| own.covers(command));
        command.is_plain
            && command.commands.iter().any(is_named)
            && command.commands.iter().all(|command| is_named(command) || is_harmless(command))
    }

    /// Decides about a call that no rule is about and that has no risk.
    fn by_mode(&self, call: &CallFacts<'_>, effect: CallEffect) -> Permission {
        let is_workspace = self.mode == PermissionMode::Workspace;
        match effect {
            CallEffect::Reads => Permission::Allow,
            CallEffect::Delegates | CallEffect::ChangesRelic => call.request.by_tool(),
            CallEffect::ChangesFiles if is_workspace => Permission::Allow,
            CallEffect::ChangesFiles => self.ask("changes of files"),
            CallEffect::Command => match call.verdict().and_then(CommandVerdict::reason) {
                None if call.can_be_read_only() => Permission::Allow,
                _ if is_workspace && self.has_no_network(call) => Permission::Allow,
                _ if self.confinement == Confinement::None => {
                    self.ask("commands that nothing confines")
                }
                _ if is_workspace => self.ask("commands that have a network"),
                None => self.ask(UNENFORCED_COMMANDS),
                Some(why) => {
                    self.ask(&format!("commands that are not known to be harmless: {why}"))
                }
            },
            CallEffect::SendsOut => self.ask("calls that send something out"),
            CallEffect::Changes => self.ask("calls that may change something"),
        }
    }

    /// Returns the decision to ask, because the mode does so about calls of this kind.
    fn ask(&self, kind: &str) -> Permission {
        Permission::Ask(format!("the mode `{}` asks about {kind}", self.mode))
    }

    /// Returns whether a command is confined, and has no network.
    fn has_no_network(&self, call: &CallFacts<'_>) -> bool {
        self.confinement == Confinement::FilesAndNetwork && !call.request.policy.sends_out
    }
}

impl Permissions for Policy {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        self.judge(&CallFacts::new(request, self.kind(request), self.root.as_deref())).0
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        self.judge(&CallFacts::new(request, self.kind(request), self.root.as_deref())).1
    }
}

/// What rules demand of a call that they do not leave alone.
enum Restriction {
    /// The reason, for the person.
    Asked(String),
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

const NOT_ENFORCED: &str = "no command runs in the mode read-only here, because no sandbox of this \
                            machine keeps a command from changing files and from the network; use \
                            the tools for files, and say what you would run";

const UNENFORCED_COMMANDS: &str = "all commands where no sandbox keeps those that should only read \
                                   from the network";
