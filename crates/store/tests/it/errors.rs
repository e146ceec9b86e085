//! Errors of every kind that a store in memory, an export and an import have.

use std::error::Error as _;
use std::io::{self, BufReader, Read, Write};

use silcrow_event::{Entry, Event, error_chain};
use silcrow_store::transfer::{Provenance, export, import};
use silcrow_store::{ErrorKind, MemoryStore, Store as _};
use silcrow_testkit::check_sources;

/// A disk that fails.
struct BrokenDisk;

impl Read for BrokenDisk {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

impl Write for BrokenDisk {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_error_repeats_its_source() {
    let store = MemoryStore::new();
    let own = Provenance::Own;
    let said = || vec![Entry::from(Event::user("hi"))];
    store.append("c", 0, said()).await.unwrap();
    store.put("s", "k", 0, vec![1]).await.unwrap();
    let value = "{\"silcrow\":\"export 1\"}\n{\"space\":\"s\",\"key\":\"k\",\"text\":\"b\"}\n";
    let errors = [
        (ErrorKind::Conflict, store.append("c", 0, said()).await.unwrap_err()),
        (ErrorKind::Conflict, import(&store, &mut value.as_bytes(), own).await.unwrap_err()),
        (ErrorKind::Refused, store.append("", 0, said()).await.unwrap_err()),
        (ErrorKind::Format, import(&store, &mut &b"{}\n"[..], own).await.unwrap_err()),
        (ErrorKind::Io, export(&store, None, &mut BrokenDisk).await.unwrap_err()),
        (ErrorKind::Io, import(&store, &mut BufReader::new(BrokenDisk), own).await.unwrap_err()),
    ];
    for (kind, error) in errors {
        assert_eq!(error.kind(), kind, "{error}");
        check_sources(&error);
        assert_eq!(error.source().is_some(), kind == ErrorKind::Io, "{error}");
        if kind == ErrorKind::Io {
            assert_eq!(error_chain(&error), format!("{error}: the disk is gone"));
        }
    }
}
