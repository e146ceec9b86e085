//! The terms on which a call runs: what it has access to, and which doors open for it.
//!
//! This module is data.

use silcrow_event::{Grant, Grants};

use crate::call_access::CallAccess;
use crate::door_scope::doors_of;

/// What a call that is allowed gets.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTerms {
    pub(crate) access: CallAccess,
    pub(crate) grants: Grants,
}

impl CallTerms {
    /// Returns the terms of a call that is denied, whatever allows it later.
    pub(crate) const fn narrowest() -> Self {
        Self { access: CallAccess::ReadOnly, grants: Grants::none() }
    }

    /// Returns a scope with the doors that open for its calls, so that an approval of it covers no
    /// call that opens others.
    pub(crate) fn scoped(&self, scope: &str) -> String {
        match doors_of(scope) {
            // It names its doors already.
            Some(_) => scope.to_owned(),
            None => format!("{scope}{}", self.row()),
        }
    }

    /// Returns the doors that such a row names.
    pub(crate) fn doors_of_row(row: &str) -> Option<Grants> {
        let doors = row.strip_prefix(WITH)?.split(", ");
        doors.map(|door| door.parse::<Grant>().ok()).collect()
    }

    /// Returns the end of such a scope: a row that names the doors, or nothing.
    pub(crate) fn row(&self) -> String {
        if self.grants.is_empty() { String::new() } else { format!("\n{WITH}{}", self.grants) }
    }
}

const WITH: &str = "with ";
