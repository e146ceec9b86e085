//! sled's snapshots, which only make opening quick, and which sled opens nothing without
//! understanding.

use std::fs;
use std::path::Path;

use silcrow_store::Error;

use crate::crc::crc32;
use crate::folder::{failed, names, rename};

/// Takes out of sled's way what a process left that was killed while sled wrote a snapshot, and
/// every snapshot that is damaged: the log has all that is in them. A damaged one is kept under
/// another name.
pub(crate) fn clear(data: &Path) -> Result<(), Error> {
    for name in names(data)?.into_iter().filter(|name| name.starts_with("snap.")) {
        let path = data.join(&name);
        if name.ends_with(".generating") {
            fs::remove_file(&path).map_err(|error| failed("removing", &path, error))?;
        } else if !is_whole(&fs::read(&path).map_err(|error| failed("reading", &path, error))?) {
            rename(&path, &data.join(format!("damaged.{name}")))?;
        }
    }
    Ok(())
}

/// A snapshot ends with its length, 8 bytes, and the CRC-32 of what is before that, 4 bytes.
fn is_whole(bytes: &[u8]) -> bool {
    let Some((rest, crc)) = bytes.split_last_chunk() else { return false };
    let Some((content, _length)) = rest.split_last_chunk::<8>() else { return false };
    !content.is_empty() && crc32(content) == u32::from_le_bytes(*crc)
}
