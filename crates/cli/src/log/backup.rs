//! `silcrow log backup`, which copies a store that others use meanwhile.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_console::ProgressLine;
use silcrow_console::plural::count;
use silcrow_event::Json;
use silcrow_sanitize::sanitize_line;
use silcrow_store_log::{Backup, LogStore};

use super::maintain::print_outcome;
use crate::failure::Failure;
use crate::places::failure;

/// Copies the store to a folder, and says how much it was.
pub(super) async fn backup(
    store: &LogStore,
    folder: &Path,
    for_programs: bool,
) -> Result<(), Failure> {
    let progress = Arc::new(Mutex::new(ProgressLine::new("silcrow")));
    let shown = Arc::clone(&progress);
    let show = move |done: u64, of: u64| {
        let mut line = shown.lock().unwrap_or_else(PoisonError::into_inner);
        line.show(|| format!("copying: {} of {} MiB", done >> 20, of.div_ceil(1 << 20)));
    };
    let done = store.backup(folder, show).await;
    progress.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let Backup { files, bytes, .. } = done.map_err(|error| failure(&error))?;
    let folder = folder.display().to_string();
    let words = || {
        let (files, bytes) = (count(files, "file"), count(bytes, "byte"));
        format!("{} is a copy of the store: {files}, {bytes}", sanitize_line(&folder))
    };
    let json = || {
        let folder = Json::string(&folder);
        format!("{{\"backup\":{folder},\"files\":{files},\"bytes\":{bytes}}}")
    };
    print_outcome(for_programs, words, json)
}
