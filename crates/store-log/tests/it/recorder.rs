//! `disk.c`, built with the compiler that links Rust programs, and its recordings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A library that is loaded before the C library of other processes.
pub(crate) struct Recorder {
    dir: TempDir,
}

/// One operation of a process, in order. Paths are below the folder that was watched; files and
/// folders are named by their inodes.
#[derive(Debug)]
pub(crate) enum Record {
    MadeFile {
        inode: u64,
        path: PathBuf,
    },
    MadeFolder {
        inode: u64,
        path: PathBuf,
    },
    Wrote {
        inode: u64,
        at: u64,
        bytes: Vec<u8>,
    },
    SetLength {
        inode: u64,
        length: u64,
    },
    Renamed {
        from: PathBuf,
        to: PathBuf,
    },
    Removed {
        path: PathBuf,
    },
    SyncBegan {
        inode: u64,
        number: u64,
    },
    SyncEnded {
        inode: u64,
        number: u64,
    },
    SyncFailed {
        inode: u64,
        number: u64,
    },
    /// On its standard output.
    Said(String),
    /// The call that something was to happen to, with its name.
    Reached(String),
}

impl Recorder {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("disk.c");
        fs::write(&source, include_str!("disk.c")).unwrap();
        let status = Command::new("cc")
            .args(["-O1", "-shared", "-fPIC", "-pthread", "-o"])
            .args([dir.path().join("disk.so"), source])
            .status()
            .expect("Rust programs are linked with cc");
        assert!(status.success());
        Self { dir }
    }

    /// Records the operations of `command` below `root`.
    pub(crate) fn watch(&self, command: &mut Command, root: &Path) {
        command.env("LD_PRELOAD", self.dir.path().join("disk.so"));
        command.env("SILCROW_DISK_ROOT", root).env("SILCROW_DISK_TRACE", self.trace());
    }

    /// With [`watch`](Self::watch): the sync of this number, from 1, fails.
    pub(crate) fn fail_sync(&self, command: &mut Command, sync: u64) {
        command.env("SILCROW_DISK_FAIL", sync.to_string());
    }

    /// With [`watch`](Self::watch): the call of this number, from 1, gets the fault that `disk.c`
    /// documents at `SILCROW_DISK_THEN`.
    pub(crate) fn at_call(&self, command: &mut Command, call: u64, then: &str) {
        command.env("SILCROW_DISK_CALL", call.to_string()).env("SILCROW_DISK_THEN", then);
    }

    /// With [`at_call`](Self::at_call): calls are counted that open, read, look, list or lock,
    /// instead of those that open or change something.
    pub(crate) fn count_reads(&self, command: &mut Command) {
        command.env("SILCROW_DISK_OF", "reads");
    }

    /// The machine was started for the time of this number.
    pub(crate) fn boot(&self, command: &mut Command, boot: u64) {
        let file = self.dir.path().join(format!("boot {boot}"));
        fs::write(&file, format!("{boot:032x}\n")).unwrap();
        command.env("LD_PRELOAD", self.dir.path().join("disk.so")).env("SILCROW_DISK_BOOT", file);
    }

    /// As [`boot`](Self::boot), and the machine does not say which start this is.
    pub(crate) fn boot_without_number(&self, command: &mut Command) {
        let file = self.dir.path().join("no boot");
        command.env("LD_PRELOAD", self.dir.path().join("disk.so")).env("SILCROW_DISK_BOOT", file);
    }

    /// The operations that were recorded since the last call of this.
    pub(crate) fn take(&self, root: &Path) -> Vec<Record> {
        let trace = fs::read(self.trace()).unwrap_or_default();
        let _ = fs::remove_file(self.trace());
        let mut rest = &trace[..];
        std::iter::from_fn(|| read(&mut rest, root)).collect()
    }

    fn trace(&self) -> PathBuf {
        self.dir.path().join("trace")
    }
}

fn read(rest: &mut &[u8], root: &Path) -> Option<Record> {
    let end = rest.iter().position(|&byte| byte == b'\n')?;
    let head = str::from_utf8(&rest[..end]).unwrap();
    let (op, numbers) = head.split_once(' ').unwrap();
    let mut numbers = numbers.split(' ').map(|number| number.parse::<u64>().unwrap());
    let [inode, b, length] = std::array::from_fn(|_| numbers.next().unwrap());
    let (bytes, after) = rest[end + 1..].split_at(length as usize);
    *rest = after;
    let text = |bytes: &[u8]| str::from_utf8(bytes).unwrap().to_owned();
    let path = |bytes| Path::new(&text(bytes)).strip_prefix(root).unwrap().to_owned();
    Some(match op {
        "C" => Record::MadeFile { inode, path: path(bytes) },
        "D" => Record::MadeFolder { inode, path: path(bytes) },
        "W" => Record::Wrote { inode, at: b, bytes: bytes.to_vec() },
        "T" => Record::SetLength { inode, length: b },
        "R" => {
            let middle = bytes.iter().position(|&byte| byte == 0).unwrap();
            Record::Renamed { from: path(&bytes[..middle]), to: path(&bytes[middle + 1..]) }
        }
        "U" => Record::Removed { path: path(bytes) },
        "S" => Record::SyncBegan { inode, number: b },
        "E" => Record::SyncEnded { inode, number: b },
        "F" => Record::SyncFailed { inode, number: b },
        "A" => Record::Said(text(bytes)),
        "X" => Record::Reached(text(bytes)),
        other => panic!("no record is called {other:?}"),
    })
}
