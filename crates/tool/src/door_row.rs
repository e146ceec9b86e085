//! The last row of a scope, which names the doors that open for its calls.
//!
//! This module writes and reads that row, and ignores the rest of a scope.

use silcrow_event::{Grant, Grants};

use crate::door_scope::doors_of;

/// Returns a scope with the doors that open for its calls, so that an approval of it covers no
/// call that opens others.
pub(crate) fn with_doors(scope: &str, doors: &Grants) -> String {
    match doors_of(scope) {
        // It names its doors already.
        Some(_) => scope.to_owned(),
        None => format!("{scope}{}", door_row(doors)),
    }
}

/// Returns the end of such a scope: a row that names the doors, or nothing.
pub(crate) fn door_row(doors: &Grants) -> String {
    if doors.is_empty() { String::new() } else { format!("\n{WITH}{doors}") }
}

/// Returns the doors that such a row names.
pub(crate) fn doors_of_row(row: &str) -> Option<Grants> {
    let doors = row.strip_prefix(WITH)?.split(", ");
    doors.map(|door| door.parse::<Grant>().ok()).collect()
}

const WITH: &str = "with ";
