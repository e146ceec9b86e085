//! A helper that tries to break out, to see whether the layers hold here.

use std::net::UdpSocket;
use std::{fs, io};

use super::own_id;
use crate::settings::HelperSettings;

/// Tries what each layer denies, and returns in words what was not denied.
pub(super) fn run(settings: &HelperSettings) -> Result<(), String> {
    let layers = settings.layers;
    let is_root_readable = [&settings.readable, &settings.writable]
        .iter()
        .any(|paths| paths.iter().any(|path| path.parent().is_none()));
    if layers.landlock && !is_root_readable {
        denied("Landlock", fs::read_dir("/"))?;
    }
    if layers.seccomp {
        denied("the seccomp filter", UdpSocket::bind("127.0.0.1:0"))?;
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
