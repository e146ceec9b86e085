//! The parts of a session, for programs that do more than ask.

use std::collections::BTreeSet;
use std::sync::Arc;

use silcrow_exec::ModelPrice;
use silcrow_models::is_rehearsal;
use silcrow_parser as parser;
use silcrow_policy::SharedPolicy;
use silcrow_settings::{KeptRules, known_secrets};
use silcrow_shell::ShellProcesses;
use silcrow_store::Store;
use silcrow_tool::Secrets;

use super::AgentSession;
use crate::options::SessionOptions;
use crate::running_subagents::RunningSubagents;
use crate::servers::RunServers;
use crate::session_mode::SessionMode;
use crate::setup::SessionSetup;
use crate::skills::SessionSkills;
use crate::store::{OpenStore, StorePlace};

impl AgentSession {
    /// Returns the store.
    pub fn store(&self) -> Arc<dyn Store> {
        self.opened.store()
    }

    /// Returns the store with the data that only its kind has.
    pub const fn opened(&self) -> &OpenStore {
        &self.opened
    }

    /// Returns the place of the store.
    pub const fn place(&self) -> &StorePlace {
        &self.setup.place
    }

    /// Returns the options.
    pub const fn options(&self) -> &SessionOptions {
        &self.setup.options
    }

    /// Returns the setup.
    pub const fn setup(&self) -> &SessionSetup {
        &self.setup
    }

    /// Returns the user.
    pub fn user(&self) -> Option<&str> {
        self.setup.user()
    }

    /// Returns the permissions of this session's agents, for a program that puts its own before them.
    pub fn permissions(&self) -> Arc<SharedPolicy> {
        Arc::clone(self.setup.permissions.policy())
    }

    /// Returns the tools that were allowed beforehand.
    pub const fn allowed(&self) -> &BTreeSet<String> {
        &self.setup.allowed
    }

    /// Returns the price of the model, if the table has it.
    pub fn price(&self) -> Option<ModelPrice> {
        self.setup.prices.find(self.setup.provider.name())
    }

    /// Returns the name of the model, as it was chosen.
    pub fn model(&self) -> &str {
        &self.setup.model
    }

    /// Returns whether rules answer in place of a model.
    pub fn is_rehearsal(&self) -> bool {
        is_rehearsal(&self.setup.model)
    }

    /// Returns the permission mode, which the person may change.
    pub const fn mode(&self) -> &SessionMode {
        &self.setup.permissions.mode
    }

    /// Returns whether the person has switched the sandbox off.
    pub const fn is_sandbox_off(&self) -> bool {
        self.setup.permissions.is_sandbox_off
    }

    /// Returns the keeper of rules from a person's answers.
    pub fn kept_rules(&self) -> Option<KeptRules> {
        self.setup.permissions.rules.clone()
    }

    /// Returns the skills and the prompt commands.
    pub const fn skills(&self) -> &SessionSkills {
        &self.setup.skills
    }

    /// Returns the commands that calls of the agents run in the background.
    pub const fn processes(&self) -> &ShellProcesses {
        &self.setup.processes
    }

    /// Returns the subagents that run, which can be stopped one by one.
    pub const fn subagents(&self) -> &RunningSubagents {
        &self.setup.subagents
    }

    /// Returns whether the profile of the person is read and learned.
    pub const fn learns(&self) -> bool {
        self.setup.learns.is_some()
    }

    /// Returns the lines about instructions that were left out.
    pub fn instructions_left_out(&self) -> &[String] {
        &self.setup.instructions.left_out
    }

    /// Returns the wire form of the model's output.
    pub const fn format(&self) -> parser::Options {
        self.setup.format
    }

    /// Returns the secrets that runs mask.
    pub(crate) fn secrets(&self) -> Secrets {
        self.servers.as_ref().map_or_else(known_secrets, RunServers::secrets)
    }
}
