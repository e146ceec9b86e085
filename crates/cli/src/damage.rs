//! Damage that a command went past, as one line for the person.
//!
//! Every store in files is [watched](watch) from its opening on, and the process asks at the end of
//! each command what is known to be damaged ([`after`]). So no command has to ask, and a new one
//! cannot forget it.

use std::sync::{Mutex, PoisonError};

use silcrow_sanitize::sanitize_line;
use silcrow_store::verify::{Damage, Place};
use silcrow_store::{ErrorKind, Store};
use silcrow_store_log::{DamageWatch, LogStore};

use crate::failure::Failure;

/// The stores that this process has opened.
static WATCHED: Mutex<Vec<DamageWatch>> = Mutex::new(Vec::new());

/// Has the command that opened a store fail at its end if the store is damaged.
pub(crate) fn watch(store: &LogStore) {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(store.damage_watch());
}

/// Returns how a command ended that has ended in this way, with the damage of the stores that it has
/// opened. What a command does not find in a damaged store may be among what is missing, so that is
/// no wrong argument.
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

/// The damage that a session or a server has told of. It continues after that.
#[derive(Debug, Default)]
pub(crate) struct ToldDamage(Vec<Damage>);

impl ToldDamage {
    /// Returns the line about the damage of a store, if there is some that was not told yet. A store
    /// that cannot be read says so elsewhere.
    pub(crate) async fn news(&mut self, store: &dyn Store) -> Option<String> {
        let known = store.known_damage().await.ok()?;
        let is_told = known.iter().all(|damage| self.0.contains(damage));
        self.0 = known;
        if is_told { None } else { line(&self.0) }
    }
}

/// Returns the line that names damage, if there is any.
fn line(damage: &[Damage]) -> Option<String> {
    if damage.is_empty() {
        return None;
    }
    let named: Vec<_> = damage.iter().take(NAMED).map(name).collect();
    let mut named = named.join(", ");
    if damage.len() > NAMED {
        named += &format!(" and {} more", damage.len() - NAMED);
    }
    Some(format!(
        "the store is damaged: {}; the rest is whole, and `silcrow log verify` names all damage",
        sanitize_line(&named)
    ))
}

/// Returns the name of a damaged place. Of bytes of a file it does not say that the file is missing.
fn name(Damage { place, why }: &Damage) -> String {
    match place {
        Place::Bytes { .. } | Place::Segments { .. } => format!("{place} ({why})"),
        _ => place.to_string(),
    }
}

/// The number of damaged places that the line names.
const NAMED: usize = 3;
