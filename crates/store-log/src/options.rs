//! The options of a store.

/// The options of opening a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct Options {
    /// The kind of crash that an acknowledged change survives.
    pub durability: Durability,
}

/// The kind of crash that an acknowledged change survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// The end of the process and of the machine: each group of changes is synced to the disk.
    #[default]
    Power,
    /// The end of the process: each group of changes is given to the system, which writes it to the
    /// disk later.
    Process,
}
