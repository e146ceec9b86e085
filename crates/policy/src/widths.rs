//! The widths of an answer: the calls, other than exactly this one, that it may cover.
//!
//! ```text
//! this call < these commands with any further words, or these hosts < all changes of files here
//! ```
//!
//! A width is offered only if the sandbox confines the calls that it covers. This module writes and
//! reads the texts of such scopes. `command_prefixes.toml` says which words are the command.

use silcrow_event::{Grant, Grants};
use silcrow_tool::{ApprovedScope, Preview};

use crate::call_doors::CallDoors;
use crate::command::{SimpleCommand, is_harmless, prefix};
use crate::facts::{CallEffect, CallFacts, FILE_TOOLS};
use crate::mode::{Confinement, PermissionMode};
use crate::policy::Policy;

impl Policy {
    /// Returns the wider scopes of an answer about a call, the narrowest first.
    pub(crate) fn scopes_of(&self, call: &CallFacts<'_>) -> Vec<String> {
        let doors = self.doors_of(call);
        if !self.may_widen(call, &doors) {
            return Vec::new();
        }
        let preview = call.request.preview;
        let of_hosts = self.asks_only_about_hosts(call, &doors);
        let of_hosts = of_hosts.then(|| ApprovedScope::text_of_doors(&doors.needed()));
        let files = (call.effect() == CallEffect::ChangesFiles).then(|| ALL_FILES.to_owned());
        let commands = command_prefixes(call).map(|prefixes| preview.timed(&joined(&prefixes)));
        commands.into_iter().chain(of_hosts).chain(files).collect()
    }

    /// Returns whether approvals for the conversation cover a call together.
    pub(crate) fn is_covered(&self, call: &CallFacts<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        let doors = self.doors_of(call);
        if !self.may_widen(call, &doors) {
            return false;
        }
        if call.effect() == CallEffect::ChangesFiles {
            let is_all =
                |own: &ApprovedScope<'_>| own.scope == ALL_FILES && FILE_TOOLS.contains(&own.tool);
            return approved.iter().any(is_all);
        }
        let of_tool = || approved.iter().filter(|own| own.tool == call.request.tool);
        let open = of_tool().filter_map(ApprovedScope::doors);
        let open = open.fold(Grants::none(), Grants::union);
        if self.asks_only_about_hosts(call, &doors) && open.cover_all(&doors.needed()) {
            return true;
        }
        let Some(prefixes) = command_prefixes(call) else { return false };
        let preview: &Preview = call.request.preview;
        let wanted = doors.needed().union(doors.ports.clone());
        let known: Vec<_> =
            of_tool().filter_map(|own| own.without_rows(preview, &wanted)).collect();
        let is_known = |own: &String| {
            known.iter().any(|scope| scope.split(SEPARATOR).any(|known| known == own))
        };
        prefixes.iter().all(is_known)
    }

    /// Returns the patterns of a rule that allows these commands with any further words.
    pub(crate) fn patterns_of(&self, call: &CallFacts<'_>) -> Option<Vec<String>> {
        let doors = self.doors_of(call);
        self.may_widen(call, &doors).then(|| command_prefixes(call))?
    }

    /// Returns whether an answer about a call may cover other calls.
    pub(crate) fn may_widen(&self, call: &CallFacts<'_>, doors: &CallDoors) -> bool {
        let is_held = match &call.command {
            Some(command) => {
                self.confinement() >= Confinement::FilesAndWholeNetwork
                    && !call.request.policy.sends_out
                    && command.secret.is_none()
                    && command.is_plain
            }
            None => true,
        };
        let is_usual = !self.mode().reads_only();
        is_usual
            && is_held
            && !doors.sends
            && !doors.needed().covers(&Grant::Outside)
            && call.request.preview.risk.is_none()
            && self.restriction(call, doors).is_none()
    }

    /// Returns whether only the hosts and ports that a command connects to are asked about.
    fn asks_only_about_hosts(&self, call: &CallFacts<'_>, doors: &CallDoors) -> bool {
        let is_host = |door: &Grant| matches!(door, Grant::Network(_) | Grant::Local(_));
        self.mode() == PermissionMode::Workspace
            && call.command.is_some()
            && self.has_no_network(call)
            && !doors.needed().is_empty()
            && doors.needed().iter().all(is_host)
    }
}

/// Returns the commands of a call that are not harmless, each as its first words and a pattern for
/// the others; `None` if these words are unknown, or if a command has no others.
fn command_prefixes(call: &CallFacts<'_>) -> Option<Vec<String>> {
    let command = call.command.as_ref()?;
    let mut found = Vec::new();
    let rest = command.commands.iter().filter(|command| !is_harmless(command));
    for command in rest {
        let pattern = format!("{} *", words(command)?);
        if !found.contains(&pattern) {
            found.push(pattern);
        }
    }
    (command.is_plain && !found.is_empty()).then_some(found)
}

fn words(command: &SimpleCommand) -> Option<String> {
    Some(prefix(command)?.join(" "))
}

fn joined(prefixes: &[String]) -> String {
    prefixes.join(SEPARATOR)
}

/// The text between the commands of a scope. No word of a prefix has a comma.
const SEPARATOR: &str = ", ";

/// The scope of all changes of files beneath the root. It ends as no path of a file does.
pub(crate) const ALL_FILES: &str = "all changes of files beneath ./";
