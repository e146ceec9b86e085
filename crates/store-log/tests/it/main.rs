//! The store on real folders, in this process and in others.

mod acknowledged;
mod alternate;
mod backup;
#[cfg(target_os = "linux")]
mod calls;
mod chance;
#[cfg(target_os = "linux")]
mod checkpoints;
#[cfg(target_os = "linux")]
mod commands;
mod compact;
mod conformance;
#[cfg(target_os = "linux")]
mod crowd;
mod damage;
#[cfg(target_os = "linux")]
mod disk;
mod earlier;
#[cfg(target_os = "linux")]
mod every_call;
#[cfg(target_os = "linux")]
mod failed_sync;
mod files;
mod flip;
mod flip_rewritten;
mod foreign;
mod full_disk;
mod holds;
#[cfg(unix)]
mod index;
mod kill;
#[cfg(target_os = "linux")]
mod left_behind;
mod left_over;
#[cfg(target_os = "linux")]
mod limits;
mod mend;
#[cfg(target_os = "linux")]
mod offers;
mod open_files;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod power;
#[cfg(target_os = "linux")]
mod power_commands;
mod process;
mod read_only;
#[cfg(target_os = "linux")]
mod recorder;
mod stray;
mod summaries;
#[cfg(unix)]
mod trust;
mod unread;
mod work;
