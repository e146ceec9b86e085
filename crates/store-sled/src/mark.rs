use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use silcrow_store::Error;

use crate::crc::crc32c;
use crate::folder::failed;
use crate::trust::open_options;

/// How many groups of changes are on the disk at least, in a file beside sled's.
///
/// Where the end of its data file is damaged, sled opens what is before it and says nothing. Then
/// fewer groups are there than this says. It is written after a group was synced and never synced
/// itself, so it may be behind, and a mark that is torn counts as none.
#[derive(Debug)]
pub(crate) struct SledMark {
    file: File,
}

impl SledMark {
    /// The mark of the store in `dir`, and what it says.
    pub(crate) fn open(dir: &Path) -> Result<(Self, u64), Error> {
        let path = dir.join(NAME);
        let opened = open_options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| failed("opening", &path, error))?;
        let mut text = String::new();
        let read = file.read_to_string(&mut text).is_ok();
        let groups = text.get(..DIGITS).and_then(|digits| digits.parse().ok()).unwrap_or_default();
        let is_whole = read && text == line(groups);
        Ok((Self { file }, if is_whole { groups } else { 0 }))
    }

    /// A mark that cannot be written stays behind, which is no harm.
    pub(crate) fn set(&mut self, groups: u64) {
        let _ = self.file.rewind().and_then(|()| self.file.write_all(line(groups).as_bytes()));
    }
}

/// Always as long, so that each overwrites the one before.
fn line(groups: u64) -> String {
    let digits = format!("{groups:0DIGITS$}");
    format!("{digits} {:08x}\n", crc32c(&[digits.as_bytes()]))
}

/// In the store's folder.
pub(crate) const NAME: &str = "MARK";

/// Of the longest number.
const DIGITS: usize = 20;
