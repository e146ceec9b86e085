//! sled's snapshots, which make opening quick. sled opens nothing if it does not understand one.

use std::fs;
use std::io;
use std::path::Path;

use silcrow_store::Error;

use crate::fault::failed;

/// Removes the snapshot that a killed process left half written, and moves damaged ones out of
/// sled's way. The log has everything that is in a snapshot.
pub(crate) fn clear(data: &Path) -> Result<(), Error> {
    let names = || -> io::Result<Vec<_>> {
        fs::read_dir(data)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into())).collect()
    };
    let names: Vec<String> = names().map_err(|error| failed("reading", data, error))?;
    for name in names.into_iter().filter(|name| name.starts_with("snap.")) {
        let path = data.join(&name);
        if name.ends_with(".generating") {
            fs::remove_file(&path).map_err(|error| failed("removing", &path, error))?;
        } else if !is_whole(&fs::read(&path).map_err(|error| failed("reading", &path, error))?) {
            let kept = data.join(format!("damaged.{name}"));
            fs::rename(&path, kept).map_err(|error| failed("moving", &path, error))?;
        }
    }
    Ok(())
}

/// Returns whether a snapshot ends with its length, 8 bytes, and the CRC-32 of what is before that,
/// 4 bytes.
fn is_whole(bytes: &[u8]) -> bool {
    let Some((rest, sum)) = bytes.split_last_chunk() else { return false };
    let Some((content, _length)) = rest.split_last_chunk::<8>() else { return false };
    !content.is_empty() && crc32fast::hash(content) == u32::from_le_bytes(*sum)
}
