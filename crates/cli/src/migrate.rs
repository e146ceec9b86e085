//! The migration of a store of an earlier version: its contents go to a new store in its folder.
//!
//! ```text
//! DIR/FORMAT, MARK, data/…        the old store, which is locked until the move
//! DIR/reading/                    a copy of `data`, which sled may change
//! DIR/migrating/                  a new store, built and synced
//!     ── log/ and then FORMAT are moved into DIR: from here on DIR is the new store ──
//! DIR/store-sled/                 the old files, which were copied or moved here
//! ```
//!
//! A migration that was killed is repeated: before `FORMAT` is moved the old store is complete, and
//! afterwards only old files remain to be moved. Long outputs of tools stay where they are.

mod copy;
mod files;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use silcrow_console::ProgressLine;
use silcrow_console::plural::count;
use silcrow_console::typed;
use silcrow_sanitize::sanitize_line;
use silcrow_store::ErrorKind;
use silcrow_store::verify::Damage;
use silcrow_store_log::{Durability, LogStore, Options};
use silcrow_store_sled::SledReader;

use self::copy::copy;
use self::files::MigrationFiles;
use crate::failure::Failure;
use crate::places::failure;

/// The outcome of a migration.
#[derive(Debug, Default)]
pub(crate) struct Migration {
    pub(crate) conversations: u64,
    pub(crate) events: u64,
    pub(crate) values: u64,
    /// The number of values that have a lower version than in the old store.
    pub(crate) lower_versions: u64,
    /// What of the old store could not be read. Of a conversation, the events before it were
    /// copied.
    pub(crate) damage: Vec<Damage>,
    /// The folder with the old files; `None` if there was nothing to migrate.
    pub(crate) kept: Option<PathBuf>,
}

impl Migration {
    /// Describes the outcome to a person.
    pub(crate) fn words(&self) -> String {
        let Some(kept) = &self.kept else {
            return "the store is of this version already; nothing was changed".to_owned();
        };
        let mut words = format!(
            "migrated {} with {}, and {}",
            count(self.conversations, "conversation"),
            count(self.events, "event"),
            count(self.values, "value")
        );
        match self.lower_versions {
            0 => {}
            1 => words += "; one value has a lower version now",
            many => words += &format!("; {many} values have a lower version now"),
        }
        words + &format!("; the old files are in {}", sanitize_line(&kept.display().to_string()))
    }

    /// Returns the failure of a migration that went past damage. Nothing else names it later: the
    /// new store is whole.
    pub(crate) fn check_damage(&self) -> Result<(), Failure> {
        let Some(kept) = self.kept.as_ref().filter(|_| !self.damage.is_empty()) else {
            return Ok(());
        };
        let places: Vec<_> = self.damage.iter().map(|damage| damage.place.to_string()).collect();
        let message = format!(
            "the old store is damaged: {}; the rest was copied, except for what follows a damaged \
             event in its conversation; {} has the old files",
            sanitize_line(&places.join(", ")),
            sanitize_line(&kept.display().to_string())
        );
        Err(Failure::running(message).named(ErrorKind::Damaged.as_str(), false))
    }
}

/// Returns whether a folder has a store of an earlier version, as far as that can be read. Opening
/// the store says what is wrong.
fn is_needed(folder: &Path) -> bool {
    matches!(MigrationFiles::new(folder).has_old_format(), Ok(true))
}

/// Migrates the store in a folder, or completes a migration that was interrupted.
pub(crate) async fn migrate(folder: &Path) -> Result<Migration, Failure> {
    let files = MigrationFiles::new(folder);
    let mut migration = Migration::default();
    if files.has_old_format()? {
        let old = SledReader::open(folder).map_err(|error| failure(&error))?;
        files.clear()?;
        let built = build(&old, &files, &mut migration).await;
        built.and_then(|()| files.move_into_place()).inspect_err(|_| {
            // Whatever is left of it is removed by the next attempt.
            let _ = files.clear();
        })?;
    } else if !files.has_leftovers()? {
        // A folder that is no store of ours is an error.
        LogStore::open(folder, Options::default()).await.map_err(|error| failure(&error))?;
        return Ok(migration);
    }
    migration.kept = Some(files.put_away()?);
    Ok(migration)
}

/// Builds the new store beside the old one.
async fn build(
    old: &SledReader,
    files: &MigrationFiles,
    migration: &mut Migration,
) -> Result<(), Failure> {
    // All files are synced together before they are moved.
    let options = Options { durability: Durability::Process };
    let new = LogStore::open(files.new_store(), options).await.map_err(|error| failure(&error))?;
    let mut progress = ProgressLine::new("silcrow");
    copy(old, &new, migration, |done, of| {
        progress.show(|| format!("migrating: {done} of {of} events and values"));
    })
    .await
    .map_err(|error| failure(&error))?;
    progress.clear();
    drop(new);
    files.sync_new_store()
}

/// Offers the migration to a person at a terminal, and does it after a yes.
pub(crate) async fn offer(folder: &Path) -> Result<(), Failure> {
    if !is_needed(folder) || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(());
    }
    let shown = folder.display().to_string();
    let question = format!(
        "The store {} is of an earlier version. Migrate it now? The old files are kept.\n\
         y: yes.  Anything else: no.\n[N] ",
        sanitize_line(&shown)
    );
    let asked = || -> io::Result<Option<String>> {
        // Input that was typed before the question does not answer it.
        typed::forget()?;
        io::stderr().write_all(question.as_bytes())?;
        let (waited_for, _waits) = io::pipe()?;
        typed::line(&waited_for)
    };
    let answer = asked().ok().flatten().unwrap_or_default();
    if !matches!(&*answer.trim().to_lowercase(), "y" | "yes") {
        // Opening the store says what to do.
        return Ok(());
    }
    let migration = migrate(folder).await?;
    // If stderr is closed, the notice is lost.
    let _ = writeln!(io::stderr(), "silcrow: {}", migration.words());
    migration.check_damage()
}
