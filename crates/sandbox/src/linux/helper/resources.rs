//! The limits of a command's resources.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};

use crate::supervised::settings::HelperSettings;

/// Limits this process and all that it starts. A limit that is lower already stays.
pub(super) fn limit(settings: &HelperSettings) -> io::Result<()> {
    let limits = settings.limits;
    // A namespace of users counts its own processes. Otherwise the kernel counts all of the user's.
    let running = if settings.layers.namespaces { 0 } else { threads_of_user() };
    let all = [
        (Resource::Core, 0),
        (Resource::Nproc, limits.processes.saturating_add(running)),
        (Resource::Data, limits.memory),
        (Resource::Fsize, limits.file_size),
        (Resource::Nofile, limits.descriptors),
    ];
    for (resource, most) in all {
        let most = Some(most.min(getrlimit(resource).maximum.unwrap_or(u64::MAX)));
        setrlimit(resource, Rlimit { current: most, maximum: most })?;
    }
    Ok(())
}

/// Returns the number of threads that the user runs.
fn threads_of_user() -> u64 {
    let user = geteuid().as_raw();
    let tasks = fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| {
        let entry = entry.ok()?;
        let is_ours = entry.metadata().ok()?.uid() == user;
        fs::read_dir(entry.path().join("task")).ok().filter(|_| is_ours)
    });
    tasks.map(|tasks| tasks.count() as u64).sum()
}
