//! `silcrow man`, which writes the manual pages of all commands.

use std::fs;
use std::path::Path;

use clap::Command;
use clap::builder::Resettable;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::failure::Failure;
use crate::help;

/// Writes a page for each command, such as `silcrow-run.1`, into the folder.
pub(crate) fn man(folder: &Path) -> Result<(), Failure> {
    let mut command = help::whole_command().version(env!("CARGO_PKG_VERSION"));
    command.build();
    let cannot = |error| Failure::running(format!("cannot write {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(cannot)?;
    write(&command, folder).map_err(cannot)
}

/// Writes the pages of a command and of its subcommands.
fn write(command: &Command, folder: &Path) -> std::io::Result<()> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        write(sub, folder)?;
    }
    let notes = command.get_after_help().map(ToString::to_string);
    // The crate would join its lines.
    let man = Man::new(command.clone().after_help(Resettable::Reset))
        .source(concat!("silcrow ", env!("CARGO_PKG_VERSION")))
        .manual("Silcrow");
    let mut page = Vec::new();
    man.render(&mut page)?;
    if let Some(notes) = notes {
        page.extend(lines(&notes).into_bytes());
    }
    fs::write(folder.join(man.get_filename()), page)
}

/// Returns a section of lines that are shown as they are.
fn lines(notes: &str) -> String {
    let mut roff = Roff::new();
    roff.control("SH", ["NOTES"]).control("nf", []);
    for line in notes.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    roff.to_roff()
}
