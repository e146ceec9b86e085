//! Damage that a command went past, as one line for the person.
//!
//! Every store in files is [watched](watch) from its opening on, and the process checks for known
//! damage at the end of each command ([`after`]). So no command has to ask, and a new one cannot
//! forget it.

use std::sync::{Mutex, PoisonError};

use silcrow_session::damage_line as line;
use silcrow_store::ErrorKind;
use silcrow_store::verify::Damage;
use silcrow_store_log::{DamageWatch, LogStore};

use crate::failure::Failure;

pub(crate) use silcrow_session::ToldDamage;

/// The stores that this process has opened.
static WATCHED: Mutex<Vec<DamageWatch>> = Mutex::new(Vec::new());

/// Has the command that opened a store fail at its end if the store is damaged.
pub(crate) fn watch(store: &LogStore) {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(store.damage_watch());
}

/// Returns how a command ended that has ended in this way, with the damage of the stores that it
/// has opened. In a damaged store, a name that a command does not find may be lost, so it is not a
/// wrong argument.
pub(crate) fn after(done: Result<(), Failure>) -> Result<(), Failure> {
    let watched = std::mem::take(&mut *WATCHED.lock().unwrap_or_else(PoisonError::into_inner));
    let mut damage: Vec<Damage> = Vec::new();
    for one in watched.iter().filter_map(|watched| watched.known().ok()).flatten() {
        if !damage.contains(&one) {
            damage.push(one);
        }
    }
    match (done, line(&damage)) {
        (done, None) => done,
        (Ok(()), Some(_)) => found(&damage),
        // It has said so.
        (Err(failure), _) if failure.code() == ErrorKind::Damaged.as_str() => Err(failure),
        (Err(failure), Some(line)) => Err(failure.besides(&line)),
    }
}

/// Returns the failure of a command that did everything it could, past this damage.
pub(crate) fn found(damage: &[Damage]) -> Result<(), Failure> {
    match line(damage) {
        None => Ok(()),
        Some(line) => Err(Failure::running(line).named(ErrorKind::Damaged.as_str(), false)),
    }
}
