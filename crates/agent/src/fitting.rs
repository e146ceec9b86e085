use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Bytes of a name in a store, with room left for what may come before and behind it.
const MAX: usize = 196;

/// A name that every store takes: one that is too long, or holds control characters, is cut and
/// keeps a hash of all of it.
pub(crate) fn fitting(name: String) -> String {
    fitting_to(MAX, name)
}

/// The same for names of at most `max` bytes.
pub(crate) fn fitting_to(max: usize, name: String) -> String {
    if name.len() <= max && !name.chars().any(char::is_control) {
        return name;
    }
    let mut hash = DefaultHasher::new();
    name.hash(&mut hash);
    let plain: String = name.chars().filter(|char| !char.is_control()).collect();
    let kept = plain.floor_char_boundary(max - 17);
    format!("{}~{:016x}", &plain[..kept], hash.finish())
}
