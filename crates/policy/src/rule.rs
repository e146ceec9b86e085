//! A rule: the calls that it matches, and its effect on them.
//!
//! This module handles one rule at a time. `policy` decides which of several counts.

use std::path::PathBuf;
use std::time::Duration;

use silcrow_event::{Grant, Grants};

use crate::command_pattern::{CommandMatch, CommandPattern};
use crate::facts::CallFacts;
use crate::pattern::{HostPattern, PathPattern, TextPattern, host_of};
use crate::policy_owner::PolicyOwner;

/// The effect of a rule on the calls that it is about. The strongest effect counts: a denial before
/// a question, and a question before permission.
///
/// ```
/// use silcrow_policy::RuleEffect;
///
/// // The strongest effect counts.
/// let found = [RuleEffect::Ask, RuleEffect::Allow];
/// assert_eq!(found.into_iter().max(), Some(RuleEffect::Ask));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "callers decide on each effect")]
pub enum RuleEffect {
    /// The call runs without a question, unless it has a risk.
    Allow,
    /// A person is asked.
    Ask,
    /// The call does not run.
    Deny,
}

impl RuleEffect {
    /// All effects, from the weakest to the strongest.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// Returns the name of the effect, as a file writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule about the calls of a tool.
///
/// ```
/// use silcrow_policy::{PermissionMode, PermissionRule, Policy, RuleEffect};
/// use silcrow_tool::{
///     ApprovalNeed, Permission, PermissionRequest, Permissions as _, Preview, ToolPolicy,
/// };
///
/// let preview = Preview::new("a mail to Ada");
/// let asks = ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() };
/// let request = PermissionRequest::new("send_mail", "{}", asks, &preview);
///
/// let policy = Policy::new(PermissionMode::Workspace);
/// assert!(policy.decide(&request).is_ask());
/// let never = PermissionRule::new(RuleEffect::Deny, "send_*")?;
/// assert!(matches!(policy.with_rule(never).decide(&request), Permission::Deny(_)));
/// # Ok::<(), silcrow_policy::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PermissionRule {
    pub(crate) effect: RuleEffect,
    pub(crate) tool: TextPattern,
    /// The names of the agents that call, joined by `/`.
    pub(crate) agent: Option<TextPattern>,
    pub(crate) paths: Vec<PathPattern>,
    pub(crate) commands: Vec<CommandPattern>,
    pub(crate) hosts: Vec<HostPattern>,
    /// Arguments by name.
    pub(crate) args: Vec<(String, TextPattern)>,
    /// The folder that the tools must see, without links.
    pub(crate) root: Option<PathBuf>,
    /// Whether the call's work must continue after it, or must not.
    pub(crate) background: Option<bool>,
    /// The longest time limit that leave holds for.
    pub(crate) timeout: Option<Duration>,
    /// Whether leave also holds for commands that are not confined.
    pub(crate) without_sandbox: bool,
    /// The doors that permission opens besides those that a command's words need, or those that a
    /// call must want to be denied or asked about.
    pub(crate) grants: Grants,
    /// The reason, for the person. The model reads only the reason of the person's own rule.
    pub(crate) reason: Option<String>,
    /// The owner of the rule.
    pub(crate) owner: PolicyOwner,
    /// The name of the file in which the rule is written, and the line there.
    pub(crate) source: String,
    pub(crate) line: usize,
}

/// Whether a rule is about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleMatch {
    No,
    Yes,
    /// The call does not say enough. It is asked about if the rule would deny or ask.
    Unknown,
}

impl PermissionRule {
    /// Creates a rule about all calls of one tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the name is not a pattern.
    pub fn new(effect: RuleEffect, tool: &str) -> Result<Self, crate::Error> {
        let tool = TextPattern::parse(tool)
            .map_err(|why| crate::Error::new(crate::ErrorKind::Invalid, why))?;
        Ok(Self {
            effect,
            tool,
            agent: None,
            paths: Vec::new(),
            commands: Vec::new(),
            hosts: Vec::new(),
            args: Vec::new(),
            root: None,
            background: None,
            timeout: None,
            without_sandbox: false,
            grants: Grants::none(),
            reason: None,
            owner: PolicyOwner::Person,
            source: "a rule".to_owned(),
            line: 0,
        })
    }

    /// Returns whether the rule, which denies or asks, is about a call that wants these doors.
    pub(crate) fn restricts(&self, call: &CallFacts<'_>, wanted: &Grants) -> RuleMatch {
        if !self.is_about(call) || !self.grants.is_empty() && !self.names_one_of(wanted) {
            return RuleMatch::No;
        }
        self.names(call)
    }

    /// Returns whether the rule is about one of these doors, or a part of one.
    pub(crate) fn names_one_of(&self, wanted: &Grants) -> bool {
        let overlaps =
            |own: &Grant| wanted.iter().any(|wanted| own.covers(wanted) || wanted.covers(own));
        self.grants.iter().any(overlaps)
    }

    /// Returns whether the rule names the target and the commands of a call.
    fn names(&self, call: &CallFacts<'_>) -> RuleMatch {
        let (target, mut result) = (call.target(), RuleMatch::Yes);
        let mut narrow = |is_known: bool, matches: bool| match (is_known, matches) {
            (_, true) => {}
            (true, false) => result = RuleMatch::No,
            (false, false) if result == RuleMatch::Yes => result = RuleMatch::Unknown,
            (false, false) => {}
        };
        if self.root.is_some() {
            narrow(call.root.is_some(), self.root.as_deref() == call.root);
        }
        if !self.paths.is_empty() {
            let matches = target.is_some_and(|path| self.paths.iter().any(|own| own.matches(path)));
            narrow(target.is_some(), matches);
        }
        if !self.hosts.is_empty() {
            let host = target.and_then(host_of);
            let matches =
                host.as_deref().is_some_and(|host| self.hosts.iter().any(|own| own.matches(host)));
            narrow(host.is_some(), matches);
        }
        if !self.commands.is_empty() {
            let found = call.command.as_ref().map(|command| {
                let reached = command.reached.commands.iter();
                let found = reached
                    .flat_map(|command| self.commands.iter().map(|own| own.finds(command)))
                    .max();
                (command.is_plain, found.unwrap_or(CommandMatch::No))
            });
            match found {
                Some((_, CommandMatch::Yes)) => narrow(true, true),
                Some((is_plain, CommandMatch::No)) => narrow(is_plain, false),
                Some((_, CommandMatch::Maybe)) | None => narrow(false, false),
            }
        }
        result
    }

    /// Returns whether the rule allows a call that is not a command of the shell.
    pub(crate) fn allows(&self, call: &CallFacts<'_>) -> bool {
        self.effect == RuleEffect::Allow
            && self.is_about(call)
            && self.names(call) == RuleMatch::Yes
    }

    /// Returns the patterns of commands that the rule allows, none of which stands for all
    /// commands; `None` if the rule does not match the call.
    pub(crate) fn allowed_commands(
        &self,
        call: &CallFacts<'_>,
        is_confined: bool,
    ) -> Option<&[CommandPattern]> {
        let counts = self.effect == RuleEffect::Allow
            && (is_confined || self.without_sandbox || self.grants.covers(&Grant::Outside))
            && self.root.as_deref().is_none_or(|own| call.root == Some(own))
            && self.paths.is_empty()
            && self.hosts.is_empty();
        (counts && self.is_about(call)).then_some(&self.commands)
    }

    /// Returns whether tool, agent, time and arguments match the rule.
    fn is_about(&self, call: &CallFacts<'_>) -> bool {
        let agent = || call.request.agent_path.join("/");
        let (continues, limit) = (call.continues(), call.time_limit());
        let is_short = |most: Duration| continues || limit.is_some_and(|limit| limit <= most);
        if self.background.is_some_and(|own| own != continues) || !self.timeout.is_none_or(is_short)
        {
            return false;
        }
        self.tool.matches(call.request.tool)
            && self.agent.as_ref().is_none_or(|own| own.matches(&agent()))
            && self
                .args
                .iter()
                .all(|(name, own)| call.arg(name).is_some_and(|value| own.matches(&value)))
    }

    /// Returns the reason why a person is asked about a call, because of the rule.
    pub(crate) fn question(&self, found: RuleMatch) -> String {
        let place = match self.line {
            0 => self.source.clone(),
            line => format!("{}, line {line}", self.source),
        };
        if found == RuleMatch::Unknown {
            let effect = self.effect.as_str();
            return format!("{place} has a rule ({effect}) that may be about this call");
        }
        match &self.reason {
            Some(reason) => format!("{place} asks about it: {reason}"),
            None => format!("{place} asks about it"),
        }
    }

    /// Returns the words for the model about a call that the rule denies. The words of a project are
    /// not among them, because the model reads this as the words of the framework.
    pub(crate) fn denial(&self) -> String {
        match (self.owner, &self.reason) {
            (PolicyOwner::Project, _) => format!(
                "a rule of the project ({}, line {}) denies this call; do it in another way, or \
                 leave it",
                file_name(&self.source),
                self.line
            ),
            (PolicyOwner::Person, Some(reason)) => {
                format!("{} denies this call: {reason}", self.source)
            }
            (PolicyOwner::Person, None) => {
                format!("{} denies this call; do it in another way, or leave it", self.source)
            }
        }
    }
}

/// Returns the name of a project's file without the folders above it, whose names may be anybody's
/// words.
fn file_name(source: &str) -> String {
    let mut parts = source.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().filter(|folder| *folder == SETTINGS_FOLDER);
    folder.map_or_else(|| name.to_owned(), |folder| format!("{folder}/{name}"))
}

/// The folder that has the settings of a project.
const SETTINGS_FOLDER: &str = ".silcrow";
