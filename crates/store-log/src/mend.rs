//! Mending: a log without damage, from the intact records.
//!
//! Damaged segments are rewritten, and their old files are kept in a folder beside them. Lost
//! events are listed, here and in the log, which skips them from then on. The log lists them first:
//! otherwise the loss of events would go unnoticed if the process is killed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use silcrow_store::Error;
use silcrow_store::verify::Report;

use crate::compact::{begin_segment, publish};
use crate::fault::failed;
use crate::file::sync_folder;
use crate::files::{CommitFailure, StoreFiles};
use crate::log::LogFiles;
use crate::names;
use crate::options::Durability;
use crate::placed::PlacedGroup;
use crate::segments::Segment;
use crate::stage::Group;
use crate::{folder, trust, verify};

/// The result of mending a store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mended {
    /// The damage that there was. Everything else is as it was.
    pub found: Report,
    /// The folder with the damaged files, if there was damage.
    pub kept: Option<PathBuf>,
}

/// Mends the log in a folder. Others can read meanwhile, and wait if they write.
pub(crate) fn mend(dir: &Path) -> Result<Mended, Error> {
    let mut log = LogFiles::without_checkpoint(dir);
    log.catch_up()?;
    let found = verify::verify(&mut log)?;
    let is_named = folder::look(dir)? == folder::FolderContents::Store;
    if is_whole(&log, &found) && is_named {
        return Ok(Mended { found, kept: None });
    }
    // This writes `FORMAT` if it is damaged.
    let mut files = StoreFiles::open(dir)?;
    let _lock = files.lock()?;
    files.prepare(&mut log).map_err(CommitFailure::into_error)?;
    log.refresh_segments()?;
    let found = verify::verify(&mut log)?;
    if is_whole(&log, &found) {
        return Ok(Mended { found, kept: None });
    }
    begin_segment(&files, &mut log)?;
    let group = Group::lost(&log.view);
    if !group.is_empty() {
        let written =
            PlacedGroup::new(&mut log, &group)?.write(&files, log.rewrites, Durability::Power);
        written.map_err(CommitFailure::into_error)?;
        log.catch_up()?;
    }

    let damaged = log.view.damage().iter().map(|damage| &damage.segments);
    // Very many that are missing stay so.
    let damaged = damaged.filter(|numbers| numbers.start() == numbers.end());
    let damaged: BTreeSet<u32> = damaged.map(|numbers| *numbers.start()).collect();
    let kept = dir.join(names::DAMAGED);
    make_folder(&kept)?;
    for number in damaged.range(..log.position.segment) {
        let folder = log.folder();
        // In the place of one that is missing there will be one without records.
        let segment = log.segments.make(&folder, *number)?;
        log.rewrite(&segment)?;
        keep(&segment, &kept)?;
    }
    publish(&files, &mut log)?;
    Ok(Mended { found, kept: Some(kept) })
}

/// Returns whether nothing is damaged. A killed process may have listed the lost events, and left
/// the damaged segments.
fn is_whole(log: &LogFiles, found: &Report) -> bool {
    found.damage.is_empty() && log.view.damage().is_empty()
}

fn make_folder(path: &Path) -> Result<(), Error> {
    match trust::new_folder().create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(|error| failed("making", path, error)),
    }
}

/// Moves the file of a segment that was rewritten into the folder of the damaged ones.
fn keep(segment: &Segment, folder: &Path) -> Result<(), Error> {
    let name = segment.path.file_name().unwrap_or_default();
    let moved = fs::rename(&segment.path, folder.join(name));
    moved.map_err(|error| failed("moving", &segment.path, error))?;
    sync_folder(folder)
}
