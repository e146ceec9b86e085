//! The built-in tools, and the folder that they see.
//!
//! This module protects the person's own files from the tools. It does not know what a run is.

use std::env;
use std::path::Path;

use silcrow_event::error_chain;
use silcrow_exec::Toolbox;
use silcrow_tools::{
    ChangeJournal, FileEdit, FileList, FileRead, FileReplace, FileSearch, FileWrite, Root, Spills,
};

use crate::failure::Failure;
use crate::manifest;
use crate::places::StorePlace;
use crate::policy;

/// Opens the folder that the built-in tools see.
pub(crate) fn root(path: &Path) -> Result<Root, Failure> {
    Root::open(path).map_err(|error| Failure::given(error_chain(&error)))
}

/// Opens the folder, and protects the store, the record of trusted manifests, the policy files, and
/// the start files of the person's home.
pub(crate) fn protected_root(path: &Path, place: &StorePlace) -> Result<Root, Failure> {
    let mut root = place.hidden_from(root(path)?);
    if let Ok(record) = manifest::record_folder() {
        root = root.with_protected(record, "the record of trusted manifests");
    }
    if let Some(home) = env::home_dir() {
        root = root.with_home(home);
    }
    Ok(policy::protected_root(root, path))
}

/// Returns the built-in tools, which see only `root` and the kept outputs of earlier calls. The
/// journal keeps what they change.
pub(crate) fn toolbox(
    root: &Root,
    spills: Option<Spills>,
    journal: Option<&ChangeJournal>,
) -> Result<Toolbox, Failure> {
    let mut read = FileRead::new(root);
    if let Some(spills) = spills {
        read = read.with_spills(spills);
    }
    let mut edit = FileEdit::new(root);
    let mut replace = FileReplace::new(root);
    let mut write = FileWrite::new(root);
    if let Some(journal) = journal {
        read = read.with_journal(journal);
        edit = edit.with_journal(journal);
        replace = replace.with_journal(journal);
        write = write.with_journal(journal);
    }
    let mut tools = Toolbox::new();
    tools
        .add(edit)
        .and_then(|()| tools.add(FileList::new(root)))
        .and_then(|()| tools.add(read))
        .and_then(|()| tools.add(replace))
        .and_then(|()| tools.add(FileSearch::new(root)))
        .and_then(|()| tools.add(write))
        .map_err(|twice| Failure::running(twice.to_string()))?;
    Ok(tools)
}
