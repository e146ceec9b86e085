//! Old stores, read from real folders, in this process and in others.

mod damage;
mod flip;
mod folder;
mod locked;
mod old_store;
mod process;
mod raw;
mod read;
#[cfg(target_os = "linux")]
mod system;
mod trust;
