//! The permissions of an agent's calls: its policy and mode, the rules that answers keep, and the
//! sandbox for commands.

use std::sync::Arc;

use silcrow_policy::SharedPolicy;
use silcrow_settings::{KeptRules, ToolPolicies};
use silcrow_shell::SandboxLevel;
use silcrow_tool::Toolbox;

use crate::options::PolicyOptions;
use crate::policy::{self, RunPolicy};
use crate::session_mode::SessionMode;

/// The permissions of an agent's calls.
pub(crate) struct SetupPermissions {
    pub(crate) mode: SessionMode,
    /// The place for the rules of answers.
    pub(crate) rules: Option<KeptRules>,
    /// The sandbox for the commands of `shell`.
    level: SandboxLevel,
    /// Whether the person has switched the sandbox off.
    pub(crate) is_sandbox_off: bool,
}

impl SetupPermissions {
    pub(super) fn new(
        options: &PolicyOptions,
        policy: RunPolicy,
        tools: &Toolbox,
        level: SandboxLevel,
    ) -> Self {
        let (policy, tools) = (Arc::new(policy.shared()), ToolPolicies::from_tools(tools));
        let kept = policy::kept_file(options);
        Self {
            mode: SessionMode::new(&policy, &tools),
            rules: kept.map(|file| KeptRules::new(&policy, &tools, file)),
            level,
            is_sandbox_off: options.is_sandbox_off,
        }
    }

    pub(crate) const fn policy(&self) -> &Arc<SharedPolicy> {
        self.mode.policy()
    }

    /// Uses the mode of another session, which then has the rules of this one.
    pub(crate) fn use_mode(&mut self, mode: &SessionMode) {
        mode.policy().replace(self.policy().to_policy());
        self.rules = self.rules.take().map(|rules| rules.with_policy(mode.policy()));
        self.mode = mode.clone();
    }

    /// Returns the line about the mode and about the confinement of commands.
    pub(crate) fn notice(&self) -> String {
        let sandbox = match self.is_sandbox_off {
            true => SANDBOX_OFF.to_owned(),
            false => policy::sandbox_notice(self.level),
        };
        format!("{}, {sandbox}", policy::notice(self.mode.mode()))
    }
}

/// The notice about a sandbox that the person has switched off.
const SANDBOX_OFF: &str =
    "sandbox: off, as you have set it; a command can do everything that you can";
