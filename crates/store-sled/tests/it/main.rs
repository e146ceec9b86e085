//! The embedded store on real folders, in this process and in others.

mod chance;
mod compact;
mod conformance;
mod damage;
#[cfg(target_os = "linux")]
mod disk;
mod flip;
mod folder;
mod full;
mod kill;
mod locked;
mod pieces;
#[cfg(target_os = "linux")]
mod power;
mod process;
mod raw;
#[cfg(target_os = "linux")]
mod recorder;
#[cfg(target_os = "linux")]
mod sync;
#[cfg(target_os = "linux")]
mod system;
#[cfg(target_os = "linux")]
mod tmpfs;
#[cfg(unix)]
mod trust;
#[cfg(target_os = "linux")]
mod verify;
mod work;
