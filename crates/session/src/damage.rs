//! Damage of a store that a session skips, as one line for the person.

use silcrow_sanitize::sanitize_line;
use silcrow_store::Store;
use silcrow_store::verify::{Damage, Place};

/// The damage that a session or a server has reported to the person.
#[derive(Debug, Default)]
pub struct ToldDamage(Vec<Damage>);

impl ToldDamage {
    /// Returns the line about the damage of a store, if some was not reported yet. A store that cannot
    /// be read causes an error elsewhere.
    pub async fn news(&mut self, store: &dyn Store) -> Option<String> {
        let known = store.known_damage().await.ok()?;
        let is_told = known.iter().all(|damage| self.0.contains(damage));
        self.0 = known;
        if is_told { None } else { damage_line(&self.0) }
    }
}

/// Returns the line that names damage, if there is any.
///
/// ```
/// use silcrow_session::damage_line;
/// use silcrow_store::verify::{Damage, Place};
///
/// assert_eq!(damage_line(&[]), None);
/// let place = Place::Events { conversation: "c1".to_owned(), positions: 7..=7 };
/// let line = damage_line(&[Damage { place, why: "its checksum is wrong".to_owned() }]).unwrap();
/// assert!(line.starts_with(r#"the store is damaged: event 7 of conversation "c1";"#), "{line}");
/// ```
pub fn damage_line(damage: &[Damage]) -> Option<String> {
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
