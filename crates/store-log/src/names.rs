//! The names of the files and folders of a store.

pub(crate) const FORMAT: &str = "FORMAT";
pub(crate) const NEW_FORMAT: &str = "FORMAT.new";
pub(crate) const IDENTITY: &str = "IDENTITY";
pub(crate) const NEW_IDENTITY: &str = "IDENTITY.new";
pub(crate) const LOCK: &str = "LOCK";
pub(crate) const MARK: &str = "MARK";
/// The state of the log at a position.
pub(crate) const CHECKPOINT: &str = "CHECKPOINT";
pub(crate) const NEW_CHECKPOINT: &str = "CHECKPOINT.new";
/// The folder with the segments.
pub(crate) const SEGMENTS: &str = "log";

/// The folder with the files of segments that were damaged.
pub(crate) const DAMAGED: &str = "damaged";

/// The folder with the search index.
pub(crate) const INDEX: &str = "index";

/// The folder with a file for each conversation that a run holds.
pub(crate) const HOLDS: &str = "holds";

/// The folder with a file for each run that waits for a process to continue it.
pub(crate) const OFFERS: &str = "offers";

/// Everything that a store may have in its folder. Long outputs of tools are in `spills`,
/// `active` names the runs that are at work, and `server-token` gives access to a server.
pub(crate) const ALL: [&str; 16] = [
    FORMAT,
    NEW_FORMAT,
    IDENTITY,
    NEW_IDENTITY,
    LOCK,
    MARK,
    CHECKPOINT,
    NEW_CHECKPOINT,
    SEGMENTS,
    DAMAGED,
    INDEX,
    HOLDS,
    OFFERS,
    "spills",
    "active",
    "server-token",
];
