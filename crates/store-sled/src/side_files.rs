//! The files beside sled's log: its snapshots and its settings.
//!
//! sled opens nothing if it does not understand one of them, and does without them if they are not
//! there: the log has everything that is in a snapshot, and the settings are the same in each store.

use std::fs;
use std::io;
use std::path::Path;

use silcrow_store::Error;

use crate::fault::failed;

/// Removes the snapshot that a killed process left half written, and damaged files, from a copy of
/// sled's files.
pub(crate) fn clear(data: &Path) -> Result<(), Error> {
    let names = || -> io::Result<Vec<_>> {
        fs::read_dir(data)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into())).collect()
    };
    let names: Vec<String> = names().map_err(|error| failed("reading", data, error))?;
    for name in names {
        let path = data.join(&name);
        let is_whole: fn(&[u8]) -> bool = match &*name {
            "conf" => has_checksum,
            _ if name.starts_with("snap.") => is_snapshot,
            _ => continue,
        };
        let bytes = fs::read(&path).map_err(|error| failed("reading", &path, error))?;
        if name.ends_with(".generating") || !is_whole(&bytes) {
            fs::remove_file(&path).map_err(|error| failed("removing", &path, error))?;
        }
    }
    Ok(())
}

/// Returns whether these are a content, its length, 8 bytes, and the CRC-32 of the content.
fn is_snapshot(bytes: &[u8]) -> bool {
    let Some((rest, sum)) = bytes.split_last_chunk::<4>() else { return false };
    let Some((content, _length)) = rest.split_last_chunk::<8>() else { return false };
    has_checksum(&[content, sum].concat())
}

/// Returns whether these are a content and its CRC-32, 4 bytes.
fn has_checksum(bytes: &[u8]) -> bool {
    let Some((content, sum)) = bytes.split_last_chunk() else { return false };
    !content.is_empty() && crc32fast::hash(content) == u32::from_le_bytes(*sum)
}
