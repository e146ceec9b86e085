//! The name of this machine.

use std::{env, fs};

/// Returns the name of this machine; empty if it is not known.
pub(crate) fn machine_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    name.or_else(|| env::var("HOSTNAME").ok()).unwrap_or_default().trim().to_owned()
}
