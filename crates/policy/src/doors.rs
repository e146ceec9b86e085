//! The doors of a call: the ones that it needs, the ones that open once it is allowed, and who
//! decides about them.
//!
//! This module checks the words and wishes of the call against the state of this machine. The tool
//! opens the doors.

use silcrow_event::{Grant, Grants};
use silcrow_tool::{CallAccess, Permission};

use crate::call_doors::CallDoors;
use crate::command::WordDoors;
use crate::facts::CallFacts;
use crate::mode::{Confinement, PermissionMode};
use crate::policy::{Policy, Restriction};

impl Policy {
    /// Returns the doors that a call wants on this machine.
    pub(crate) fn doors_of(&self, call: &CallFacts<'_>) -> CallDoors {
        let asked = self.as_here(call.request.preview.needs.clone());
        let Some(command) = &call.command else {
            return CallDoors { asked, ..CallDoors::default() };
        };
        let reached = command.commands.iter().chain(&command.reached.commands);
        let WordDoors { needed, ports, sends } = WordDoors::for_commands(reached, self.remotes());
        let (by_words, ports) = match self.confinement() {
            Confinement::None => Default::default(),
            _ => (self.as_here(needed), self.as_here(ports)),
        };
        CallDoors { by_words, ports, asked, sends }
    }

    /// Returns the doors as this machine has them. A network without walls needs no doors, and a wall
    /// that opens only as a whole has one door.
    fn as_here(&self, doors: Grants) -> Grants {
        let here = |door: &Grant| match (self.confinement(), door) {
            (Confinement::FilesOnly, Grant::Network(_) | Grant::Local(_) | Grant::Listen(_))
            | (Confinement::FilesAndWholeNetwork, Grant::Listen(_)) => None,
            (Confinement::FilesAndWholeNetwork, Grant::Network(_) | Grant::Local(_)) => {
                Some(Grant::Network("*".to_owned()))
            }
            (_, door) => Some(door.clone()),
        };
        doors.iter().filter_map(here).collect()
    }

    /// Returns the doors that open for a call once it is allowed, by this decision or by a person.
    pub(crate) fn opened(
        &self,
        call: &CallFacts<'_>,
        doors: &CallDoors,
        permission: &Permission,
    ) -> Grants {
        if self.access_of(call, doors, permission) == CallAccess::ReadOnly
            || self.mode().reads_only()
        {
            return Grants::none();
        }
        let given = self.rule_grants(call);
        // A command that only stays in its sandbox has its own servers at its own ports.
        let is_by_sandbox = *permission == Permission::Allow
            && self.mode() != PermissionMode::Full
            && !self.is_allowed(call, doors);
        let ports = if is_by_sandbox { Grants::none() } else { doors.ports.clone() };
        let all = doors.needed().union(ports).union(given);
        match all.covers(&Grant::Outside) {
            // Outside the sandbox the others mean nothing.
            true => [Grant::Outside].into_iter().collect(),
            false => all,
        }
    }

    /// Returns the reason why a call is asked about only because of its doors, if it is.
    pub(crate) fn question_about(&self, doors: &CallDoors, given: &Grants) -> Option<String> {
        let missing = given.missing(&doors.needed());
        let mode = self.mode();
        match (mode, missing.covers(&Grant::Outside)) {
            _ if missing.is_empty() => None,
            (PermissionMode::Full, true) if self.asks_about_leaving() => {
                Some(format!("the mode `{mode}` asks about commands that leave the sandbox"))
            }
            (PermissionMode::Full, _) => None,
            _ => Some(format!("the mode `{mode}` asks about what opens: {missing}")),
        }
    }

    /// Decides about doors that a call meets while it runs.
    pub(crate) fn at_wall(&self, call: &CallFacts<'_>, wanted: &Grants) -> Permission {
        let wanted = self.as_here(wanted.clone());
        match self.restriction_at_wall(call, &wanted) {
            Some(Restriction::Denied(why)) => return Permission::Deny(why),
            Some(Restriction::Asked(why)) => return Permission::Ask(why),
            None => {}
        }
        let mode = self.mode();
        match mode {
            PermissionMode::Plan | PermissionMode::ReadOnly => {
                Permission::Deny(format!("the mode {mode} opens no door: {wanted}"))
            }
            PermissionMode::Full if !wanted.covers(&Grant::Outside) || self.lets_out() => {
                Permission::Allow
            }
            _ if self.rule_grants(call).cover_all(&wanted) => Permission::Allow,
            _ => Permission::Ask(format!(
                "the command runs, and the mode `{mode}` asks about what it meets"
            )),
        }
    }
}
