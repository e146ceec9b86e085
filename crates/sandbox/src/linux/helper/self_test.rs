//! A helper that tries to break out, to see whether the layers hold here.

use std::{fs, io};

use rustix::net::netlink::KOBJECT_UEVENT;
use rustix::net::{AddressFamily, SocketType, socket};

use crate::supervised::own_id;
use crate::supervised::settings::HelperSettings;

/// Tries everything that each layer denies, and returns in words what was not denied.
pub(super) fn run(settings: &HelperSettings) -> Result<(), String> {
    let layers = settings.layers;
    let is_root_readable = [&settings.readable, &settings.writable]
        .iter()
        .any(|paths| paths.iter().any(|path| path.parent().is_none()));
    if layers.landlock && !is_root_readable {
        denied("Landlock", fs::read_dir("/"))?;
    }
    if layers.seccomp {
        let kernel = socket(AddressFamily::NETLINK, SocketType::RAW, Some(KOBJECT_UEVENT));
        denied("the seccomp filter", kernel.map_err(io::Error::from))?;
    }
    if layers.namespaces && own_id() != 1 {
        return Err("the namespace of processes is not a new one".to_owned());
    }
    Ok(())
}

fn denied<T>(layer: &str, tried: io::Result<T>) -> Result<(), String> {
    match tried {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(format!("{layer} could not be tried: {error}")),
        Ok(_) => Err(format!("{layer} denies nothing here")),
    }
}
