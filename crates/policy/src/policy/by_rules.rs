//! The result of a policy's rules for a call: the strongest restriction, and permission.

use silcrow_event::{Grant, Grants};

use super::Policy;
use crate::call_doors::CallDoors;
use crate::command::is_harmless;
use crate::facts::CallFacts;
use crate::mode::Confinement;
use crate::rule::{PermissionRule, RuleEffect, RuleMatch};

/// The restrictions of the rules on a call.
pub(crate) enum Restriction {
    /// The reason, for the person.
    Asked(String),
    /// The words for the model.
    Denied(String),
}

impl Policy {
    /// Returns the strongest restriction that a rule demands.
    pub(crate) fn restriction(
        &self,
        call: &CallFacts<'_>,
        doors: &CallDoors,
    ) -> Option<Restriction> {
        let (mut asked, wanted) = (None, doors.needed().union(doors.ports.clone()));
        for rule in self.rules.iter().filter(|rule| rule.effect != RuleEffect::Allow) {
            match (rule.restricts(call, &wanted), rule.effect) {
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

    /// Returns the decision of the rules about doors that match the call's.
    pub(crate) fn restriction_at_wall(
        &self,
        call: &CallFacts<'_>,
        wanted: &Grants,
    ) -> Option<Restriction> {
        let about = |rule: &&PermissionRule| {
            rule.effect != RuleEffect::Allow
                && rule.names_one_of(wanted)
                && rule.restricts(call, wanted) != RuleMatch::No
        };
        let rule = self.rules.iter().filter(about).max_by_key(|rule| rule.effect)?;
        Some(match rule.effect {
            RuleEffect::Deny => Restriction::Denied(rule.denial()),
            _ => Restriction::Asked(rule.question(RuleMatch::Yes)),
        })
    }

    /// Returns the doors that rules open for a call that they allow, besides those that its words need.
    pub(crate) fn rule_grants(&self, call: &CallFacts<'_>) -> Grants {
        let is_confined = self.has_no_network(call);
        let allows = |rule: &&PermissionRule| match &call.command {
            None => rule.allows(call),
            Some(command) => rule.allowed_commands(call, is_confined).is_some_and(|patterns| {
                let is_named = |own| patterns.iter().any(|pattern| pattern.covers(own));
                patterns.is_empty() || command.is_plain && command.commands.iter().any(is_named)
            }),
        };
        let mut given = Grants::none();
        for rule in self.rules.iter().filter(allows) {
            given = given.union(rule.grants.clone());
            if rule.without_sandbox && self.confinement == Confinement::None {
                given.add(Grant::Outside);
            }
        }
        given
    }

    /// Returns whether rules allow a call without risk, with the doors that it asks for.
    pub(crate) fn is_allowed(&self, call: &CallFacts<'_>, doors: &CallDoors) -> bool {
        let given = doors.by_words.clone().union(doors.ports.clone());
        if !given.union(self.rule_grants(call)).cover_all(&doors.asked) {
            return false;
        }
        let Some(command) = &call.command else {
            return self.rules.iter().any(|rule| rule.allows(call));
        };
        let is_confined = self.has_no_network(call);
        let allowed = self.rules.iter().filter_map(|rule| rule.allowed_commands(call, is_confined));
        let allowed: Vec<_> = allowed.collect();
        // A rule for all commands does not cover all hosts: they are named one by one.
        let is_host = |door: &&Grant| matches!(door, Grant::Network(_));
        let hosts: Grants = doors.by_words.iter().filter(is_host).cloned().collect();
        if allowed.iter().any(|patterns| patterns.is_empty())
            && self.rule_grants(call).cover_all(&hosts)
        {
            return true;
        }
        let is_named = |command| allowed.iter().copied().flatten().any(|own| own.covers(command));
        command.is_plain
            && command.commands.iter().any(is_named)
            && command.commands.iter().all(|command| is_named(command) || is_harmless(command))
    }
}
