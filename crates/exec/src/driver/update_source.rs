//! Whose calls an update is about.

/// Whose calls an update is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UpdateSource {
    /// The calls of the turn.
    Turn,
    /// The calls that take others back.
    Rollback,
}
