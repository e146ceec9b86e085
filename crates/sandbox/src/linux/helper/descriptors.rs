//! Descriptors that a program inherited without knowing.

use std::fs;
use std::os::fd::RawFd;

/// Closes all descriptors except the three standard ones. At the start of a helper no value owns
/// them: descriptors that this program opened were closed when the helper was executed.
pub(super) fn close_inherited() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else { return };
    let inherited: Vec<RawFd> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in inherited {
        // The descriptor of the listing itself is closed by now.
        let _ = nix::unistd::close(number);
    }
}
