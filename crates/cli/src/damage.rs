//! Damage that a command went past, as one line for the person.

use silcrow_sanitize::sanitize_line;
use silcrow_store::ErrorKind;
use silcrow_store::verify::Damage;

use crate::failure::Failure;

/// Returns the failure of a command that did everything it could, past this damage.
pub(crate) fn found(damage: &[Damage]) -> Result<(), Failure> {
    if damage.is_empty() {
        return Ok(());
    }
    let named: Vec<_> = damage.iter().take(NAMED).map(|damage| damage.place.to_string()).collect();
    let mut named = named.join(", ");
    if damage.len() > NAMED {
        named += &format!(" and {} more", damage.len() - NAMED);
    }
    let message = format!(
        "the store is damaged: {}; the rest is whole, and `silcrow log verify` names all damage",
        sanitize_line(&named)
    );
    Err(Failure::running(message).named(ErrorKind::Damaged.as_str(), false))
}

/// The number of damaged places that the line names.
const NAMED: usize = 3;
