//! The mark: the position up to which the log is acknowledged.
//!
//! This module handles the file `MARK`. It is written before and after each group and never synced,
//! so it costs no wait for the disk: within one start of the machine it is exact, and after a power
//! cut it is too low.
//!
//! Readers stop at the mark, so they never act on data that a power cut could still remove. It also
//! wakes readers that wait for new events.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use silcrow_store::Error;

use crate::fault::failed;
use crate::file_identity::FileIdentity;
use crate::{file, names, trust};

/// The open file.
#[derive(Debug)]
pub(crate) struct MarkFile {
    path: PathBuf,
    file: File,
    id: FileIdentity,
}

/// The contents of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The end of the last acknowledged group.
    pub(crate) end: Position,
    /// The number of times that segments were rewritten.
    pub(crate) rewrites: u64,
    /// A process writes a group, or died while it did.
    pub(crate) is_writing: bool,
    /// The start of the machine in which it was written.
    boot: [u8; 16],
}

/// A place in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) segment: u32,
    pub(crate) at: u64,
}

impl Mark {
    pub(crate) fn new(end: Position, rewrites: u64, is_writing: bool) -> Self {
        Self { end, rewrites, is_writing, boot: boot() }
    }

    /// Returns whether the machine has been running since the mark was written, so that it is
    /// exact.
    pub(crate) fn is_exact(&self) -> bool {
        self.boot != [0; 16] && self.boot == boot()
    }

    fn write(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..16].copy_from_slice(&self.boot);
        bytes[16..24].copy_from_slice(&self.end.at.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.end.segment.to_le_bytes());
        bytes[28..32].copy_from_slice(&u32::from(self.is_writing).to_le_bytes());
        bytes[32..40].copy_from_slice(&self.rewrites.to_le_bytes());
        let sum = crc32c::crc32c(&bytes[..40]);
        bytes[40..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn parse(bytes: &[u8; LENGTH]) -> Option<Self> {
        if crc32c::crc32c(&bytes[..40]).to_le_bytes() != bytes[40..] {
            return None;
        }
        let (boot, rest) = bytes.split_first_chunk()?;
        let (at, rest) = rest.split_first_chunk()?;
        let (segment, rest) = rest.split_first_chunk()?;
        let (is_writing, rest) = rest.split_first_chunk()?;
        let (rewrites, _) = rest.split_first_chunk()?;
        Some(Self {
            end: Position { segment: u32::from_le_bytes(*segment), at: u64::from_le_bytes(*at) },
            rewrites: u64::from_le_bytes(*rewrites),
            is_writing: u32::from_le_bytes(*is_writing) != 0,
            boot: *boot,
        })
    }
}

impl MarkFile {
    /// Opens the mark of the log in `dir` for reading; `None` if there is none.
    pub(crate) fn open(dir: &Path) -> Result<Option<Self>, Error> {
        let path = dir.join(names::MARK);
        match trust::open_options().read(true).open(&path) {
            Ok(file) => Self::new(path, file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("opening", &path, error)),
        }
    }

    /// Opens the mark of the log in `dir` for writing, and makes it if there is none.
    pub(crate) fn make(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(names::MARK);
        let mut options = trust::open_options();
        let made = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = made.map_err(|error| failed("making", &path, error))?;
        Self::new(path, file)
    }

    fn new(path: PathBuf, file: File) -> Result<Self, Error> {
        let id = FileIdentity::from_file(&file).map_err(|error| failed("reading", &path, error))?;
        Ok(Self { path, file, id })
    }

    /// Returns whether the file is still at its path.
    pub(crate) fn is_in_place(&self) -> Result<bool, Error> {
        self.id.is_at(&self.path)
    }

    /// Returns whether both are the same file.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Returns the contents of the file; `None` if it was damaged.
    pub(crate) fn read(&self) -> Option<Mark> {
        // Another process may write it at the same moment.
        (0..TRIES).find_map(|_| {
            let mut bytes = [0; LENGTH];
            let read = file::read_at(&self.file, &mut bytes, 0).ok()?;
            Mark::parse(&bytes).filter(|_| read == LENGTH)
        })
    }

    pub(crate) fn write(&self, mark: &Mark) -> io::Result<()> {
        file::write_all_at(&self.file, &mark.write(), 0)
    }
}

/// Returns a number that differs after each start of the machine; zeros if the system has none.
fn boot() -> [u8; 16] {
    static BOOT: std::sync::OnceLock<[u8; 16]> = std::sync::OnceLock::new();
    *BOOT.get_or_init(|| {
        let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let digits: String = text.trim().chars().filter(|&digit| digit != '-').collect();
        u128::from_str_radix(&digits, 16).unwrap_or_default().to_be_bytes()
    })
}

/// In bytes.
const LENGTH: usize = 44;

/// A write of these few bytes is much shorter than a read.
const TRIES: u32 = 100;
