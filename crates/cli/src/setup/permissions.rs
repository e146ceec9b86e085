//! What the calls of an agent may do: its policy and mode, the rules that answers keep, and what
//! confines commands.

use std::sync::Arc;

use silcrow_console::live::ShownWalls;
use silcrow_exec::Toolbox;
use silcrow_policy::{PermissionMode, SharedPolicy};
use silcrow_settings::KeptRules;
use silcrow_settings::ToolPolicies;
use silcrow_shell::{SandboxLevel, ShellProcesses};

use super::AgentSetup;
use crate::mcp::RunServers;
use crate::model;
use crate::options::PolicyOptions;
use crate::policy::{self, RunPolicy};
use crate::session_mode::SessionMode;

/// The permissions of an agent's calls.
pub(crate) struct SetupPermissions {
    mode: SessionMode,
    /// What keeps the rules of answers.
    rules: Option<KeptRules>,
    /// What confines the commands of `shell`.
    level: SandboxLevel,
    /// Whether the person has switched the sandbox off.
    is_sandbox_off: bool,
}

impl SetupPermissions {
    pub(super) fn new(
        args: &PolicyOptions,
        policy: RunPolicy,
        tools: &Toolbox,
        level: SandboxLevel,
    ) -> Self {
        let (policy, tools) = (Arc::new(policy.shared()), ToolPolicies::of(tools));
        let kept = policy::kept_file(args);
        Self {
            mode: SessionMode::new(&policy, &tools),
            rules: kept.map(|file| KeptRules::new(&policy, &tools, file)),
            level,
            is_sandbox_off: args.is_sandbox_off,
        }
    }

    pub(super) const fn policy(&self) -> &Arc<SharedPolicy> {
        self.mode.policy()
    }
}

impl AgentSetup {
    /// Returns the mode, which the person may change.
    pub(crate) const fn session_mode(&self) -> &SessionMode {
        &self.permissions.mode
    }

    /// Uses the mode of another agent of the session, which then has the rules of this one.
    pub(crate) fn use_mode(&mut self, mode: &SessionMode) {
        let own = &mut self.permissions;
        mode.policy().replace(own.policy().to_policy());
        own.rules = own.rules.take().map(|rules| rules.with_policy(mode.policy()));
        own.mode = mode.clone();
    }

    /// Returns how much runs without a question.
    pub(crate) fn permission_mode(&self) -> PermissionMode {
        self.permissions.mode.mode()
    }

    /// Returns what keeps the rules of a person's answers.
    pub(crate) fn kept_rules(&self) -> Option<KeptRules> {
        self.permissions.rules.clone()
    }

    /// Returns what the line of status says about permissions.
    pub(crate) fn walls(&self) -> ShownWalls {
        let is_sandbox_off = self.permissions.is_sandbox_off;
        ShownWalls { mode: self.permission_mode(), is_sandbox_off }
    }

    /// Returns the commands that calls of this agent run in the background.
    pub(crate) const fn processes(&self) -> &ShellProcesses {
        &self.processes
    }

    /// Returns the lines that a person reads before the first run.
    pub(crate) fn notices(&self) -> Vec<String> {
        let rehearsal = model::is_rehearsal(&self.model).then(|| REHEARSAL.to_owned());
        let permissions = policy::notice(self.permission_mode());
        let sandbox = match self.permissions.is_sandbox_off {
            true => SANDBOX_OFF.to_owned(),
            false => policy::sandbox_notice(self.permissions.level),
        };
        let servers = RunServers::notice(&self.declared, &self.offered);
        let instructions = self.instructions.notices();
        let first = servers.into_iter().chain(rehearsal);
        first.chain([permissions, sandbox]).chain(instructions).collect()
    }
}

/// The notice at the start of a run with the rehearsal model.
const REHEARSAL: &str =
    "rehearsal model: rules, no LLM. A real one: --model openai:MODEL or compatible:URL#MODEL";

/// The notice about a sandbox that the person has switched off.
const SANDBOX_OFF: &str =
    "sandbox: off, as you have set it; a command can do everything that you can";
