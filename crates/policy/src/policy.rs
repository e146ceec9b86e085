//! The policy of a run: a mode and rules, as the permissions of calls.
//!
//! This module orders the reasons. A denial comes first, then the mode `read-only`, then required
//! questions, then rules that allow, and last the mode.

mod by_rules;

use std::collections::BTreeMap;
use std::path::PathBuf;

use silcrow_event::{CallKind, Grants};
use silcrow_tool::{ApprovedScope, CallAccess, Permission, PermissionRequest, Permissions};

use crate::call_doors::CallDoors;
use crate::command::CommandVerdict;
use crate::error::Error;
use crate::facts::{CallEffect, CallFacts};
use crate::git_remotes::GitRemotes;
use crate::mode::{Confinement, PermissionMode};
use crate::policy_file::PolicyFile;
use crate::policy_owner::PolicyOwner;
use crate::proposed_rule::ProposedRule;
use crate::rule::PermissionRule;

pub(crate) use by_rules::Restriction;

/// Decides which calls run, are asked about or are denied.
///
/// ```
/// use silcrow_policy::{PermissionMode, PermissionRule, Policy, RuleEffect};
/// use silcrow_tool::{PermissionRequest, Permissions as _, Preview, ToolPolicy};
///
/// let policy = Policy::new(PermissionMode::Full)
///     .with_rule(PermissionRule::new(RuleEffect::Ask, "send_*")?);
/// let preview = Preview::new("ada@example.org");
/// let sends = ToolPolicy { sends_out: true, ..ToolPolicy::default() };
/// let request = PermissionRequest::new("send_mail", "{}", sends, &preview);
/// // Even in the widest mode, a rule that asks is asked.
/// assert!(policy.decide(&request).is_ask());
/// # Ok::<(), silcrow_policy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    mode: PermissionMode,
    confinement: Confinement,
    rules: Vec<PermissionRule>,
    /// The kinds of the things that tools stand for, by name.
    kinds: BTreeMap<String, CallKind>,
    /// The folder that the tools see, without links.
    root: Option<PathBuf>,
    /// The hosts that the repository of the root connects to.
    remotes: GitRemotes,
    /// Whether a person has let commands leave the sandbox for as long as the mode stays `full`.
    lets_out: bool,
}

impl Policy {
    /// Creates a policy without rules, for commands that nothing confines.
    pub const fn new(mode: PermissionMode) -> Self {
        let confinement = Confinement::None;
        let kinds = BTreeMap::new();
        let remotes = GitRemotes::none();
        Self { mode, confinement, rules: Vec::new(), kinds, root: None, remotes, lets_out: false }
    }

    /// Sets the confinement of the commands of the tool `shell`.
    #[must_use]
    pub fn with_confinement(self, confinement: Confinement) -> Self {
        Self { confinement, ..self }
    }

    /// Sets the folder that the tools see, as an absolute path without links. Rules with a `root`
    /// are about calls in this folder only. Without it they allow nothing, and ask about calls that
    /// they would deny.
    #[must_use]
    pub fn with_root(self, root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()), ..self }
    }

    /// Sets the remotes of the repository that the tools see, so that a question about `git push`
    /// names the host.
    #[must_use]
    pub fn with_remotes(self, remotes: GitRemotes) -> Self {
        Self { remotes, ..self }
    }

    /// Adds a rule.
    #[must_use]
    pub fn with_rule(mut self, rule: PermissionRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Adds the rules of a file. The mode of a person's file becomes the mode of the policy; the
    /// mode of a project's file does so only if it is narrower.
    #[must_use]
    pub fn with_file(mut self, file: PolicyFile) -> Self {
        self.rules.extend(file.rules);
        match (file.mode, file.owner) {
            (None, _) => self,
            (Some(mode), PolicyOwner::Person) => self.with_mode(mode),
            (Some(mode), PolicyOwner::Project) => {
                let mode = self.mode.narrowed_by(mode);
                self.with_mode(mode)
            }
        }
    }

    /// Sets the mode. If it changes, the policy forgets that commands may leave the sandbox.
    #[must_use]
    pub fn with_mode(self, mode: PermissionMode) -> Self {
        let lets_out = self.lets_out && mode == self.mode;
        Self { mode, lets_out, ..self }
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
        let call = self.facts(request);
        let rule = ProposedRule::about(&call, &self.doors_of(&call), root)?;
        self.would_allow(&rule, request).then_some(rule)
    }

    /// Returns the rules that would allow such calls and more of their kind in this folder, the
    /// narrowest first: a command with any further words, and all changes of files. Each is offered
    /// only if the sandbox confines the commands that it allows.
    pub fn propose_wider(&self, request: &PermissionRequest<'_>) -> Vec<ProposedRule> {
        let Some(root) = self.root.as_ref().and_then(|root| root.to_str()) else {
            return Vec::new();
        };
        let call = self.facts(request);
        let doors = self.doors_of(&call);
        let rules = match self.may_widen(&call, &doors) {
            true => ProposedRule::wider(&call, &doors, self.patterns_of(&call), root),
            false => None,
        };
        rules.into_iter().filter(|rule| self.would_allow(rule, request)).collect()
    }

    fn would_allow(&self, rule: &ProposedRule, request: &PermissionRequest<'_>) -> bool {
        let policy = self.clone().with_proposed(rule);
        policy.is_ok_and(|policy| policy.decide(request) == Permission::Allow)
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

    pub(crate) fn facts<'a>(&'a self, request: &'a PermissionRequest<'a>) -> CallFacts<'a> {
        CallFacts::new(request, self.kind(request), self.root.as_deref())
    }

    pub(crate) const fn confinement(&self) -> Confinement {
        self.confinement
    }

    /// Returns whether commands may leave the sandbox without a question, in the mode `full`.
    pub(crate) const fn lets_out(&self) -> bool {
        self.lets_out
    }

    /// Sets whether commands may leave the sandbox without a question, until the mode changes.
    pub(crate) fn letting_out(self, lets_out: bool) -> Self {
        Self { lets_out, ..self }
    }

    pub(crate) const fn remotes(&self) -> &GitRemotes {
        &self.remotes
    }

    fn decide_call(&self, call: &CallFacts<'_>, doors: &CallDoors) -> Permission {
        if let Some(CommandVerdict::Forbidden(why)) = call.verdict() {
            return Permission::Deny(format!("this command never runs here: {why}"));
        }
        let restricted = self.restriction(call, doors);
        if let Some(Restriction::Denied(why)) = restricted {
            return Permission::Deny(why);
        }
        let effect = call.effect();
        if self.mode.reads_only() && !is_readable(call, effect) {
            return Permission::Deny(self.read_only());
        }
        let is_command = call.command.is_some();
        if self.mode.reads_only() && is_command && !call.can_be_read_only() {
            return Permission::Deny(NOT_ENFORCED.to_owned());
        }
        if self.mode.reads_only() && !doors.asked.is_empty() {
            return Permission::Deny(format!("{NO_DOORS}: {}", doors.asked));
        }
        if let Some(Restriction::Asked(why)) = restricted {
            return Permission::Ask(why);
        }
        if self.mode == PermissionMode::Full {
            let question = self.question_about(doors, &self.rule_grants(call));
            return question.map_or(Permission::Allow, Permission::Ask);
        }
        if call.request.preview.risk.is_some() {
            return self.ask("each call with a risk");
        }
        if let Some(secret) = call.command.as_ref().and_then(|command| command.secret.as_ref()) {
            return self.ask(&format!("commands that name a secret: `{secret}`"));
        }
        if !self.mode.reads_only() && self.is_allowed(call, doors) {
            return Permission::Allow;
        }
        let question = || self.question_about(doors, &Grants::none());
        match self.by_mode(call, effect) {
            Permission::Allow => question().map_or(Permission::Allow, Permission::Ask),
            decided => decided,
        }
    }

    /// Decides about a call without risk that no rule matches.
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

    /// Returns why a call that changes something does not run, and what to do instead.
    fn read_only(&self) -> String {
        match self.mode {
            PermissionMode::Plan => {
                format!(
                    "{READ_ONLY} plan; read instead, and call `plan_propose` once you know what to do"
                )
            }
            mode => format!("{READ_ONLY} {mode}; read instead, and say what you would do"),
        }
    }

    fn ask(&self, kind: &str) -> Permission {
        Permission::Ask(format!("the mode `{}` asks about {kind}", self.mode))
    }

    /// Returns whether a command is confined, and has no network.
    pub(crate) fn has_no_network(&self, call: &CallFacts<'_>) -> bool {
        let is_closed = self.confinement >= Confinement::FilesAndWholeNetwork;
        is_closed && !call.request.policy.sends_out
    }
}

impl Permissions for Policy {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        let call = self.facts(request);
        self.decide_call(&call, &self.doors_of(&call))
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        let call = self.facts(request);
        let doors = self.doors_of(&call);
        self.access_of(&call, &doors, &self.decide_call(&call, &doors))
    }

    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        let call = self.facts(request);
        let doors = self.doors_of(&call);
        self.opened(&call, &doors, &self.decide_call(&call, &doors))
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        self.scopes_of(&self.facts(request))
    }

    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        self.is_covered(&self.facts(request), approved)
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        self.at_wall(&self.facts(request), wanted)
    }
}

/// Returns whether a call may run in the mode `read-only`, at least after a question.
fn is_readable(call: &CallFacts<'_>, effect: CallEffect) -> bool {
    match effect {
        CallEffect::Reads | CallEffect::Delegates => true,
        CallEffect::Command => call.command.as_ref().is_some_and(|command| command.is_readable),
        _ => false,
    }
}

const READ_ONLY: &str = "nothing that changes something or sends something out runs in the mode";

const NOT_ENFORCED: &str = "no command runs in the mode read-only here, because no sandbox of this \
                            machine keeps a command from changing files and from the network; use \
                            the tools for files, and say what you would run";

const NO_DOORS: &str = "nothing opens in the mode read-only, and this call asks for it";

const UNENFORCED_COMMANDS: &str = "all commands where no sandbox keeps those that should only read \
                                   from the network";
