//! The embedded store on real folders, in this process and in others.

mod conformance;
mod damage;
mod folder;
mod full;
mod kill;
mod locked;
mod pieces;
mod process;
mod raw;
