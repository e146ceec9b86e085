//! The store on real folders, in this process and in others.

mod alternate;
mod chance;
mod compact;
mod conformance;
mod damage;
mod files;
mod flip;
mod full_disk;
#[cfg(unix)]
mod index;
mod mend;
mod process;
mod read_only;
