//! The profile of a command: the operations that Seatbelt allows, in the language of
//! `sandbox-exec`.
//!
//! Everything is denied unless it is allowed here. Of several rules about one operation the last
//! counts, so the order is: readable paths, writable paths, protected paths in them, hidden paths.
//! This module computes a text from settings, and looks at no file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::names::expression;
use crate::supervised::git_names;
use crate::supervised::settings::HelperSettings;
use crate::supervised::socket_access::SocketAccess;

/// Returns the profile of a command. `guarded` are the paths in the repository's git folder that its own
/// settings name.
///
/// # Errors
///
/// Returns in words the settings that cannot be written in a profile. The command must not run
/// then.
pub(super) fn profile(settings: &HelperSettings, guarded: &[PathBuf]) -> Result<String, String> {
    let mut text = BASE.to_owned();
    let readable = subpaths(&settings.readable)?;
    add(&mut text, "allow", READ, &readable);
    let writable = subpaths(&settings.writable)?;
    add(&mut text, "allow", READ, &writable);
    add(&mut text, "allow", "file-write*", &writable);
    // No program with the rights of its owner is made.
    text.push_str("(deny file-write-setugid)\n");
    add(&mut text, "deny", "file-write*", &subpaths(&settings.protected)?);
    add_names(&mut text, settings)?;
    add_repository(&mut text, settings, guarded)?;
    add(&mut text, "deny", HIDDEN, &subpaths(&settings.hidden)?);
    add(&mut text, "allow", "file-read-metadata", &subpaths(&settings.hidden)?);
    let fixed = fixed_folders(settings).into_iter().map(|path| filter("literal", &path));
    add(&mut text, "deny", "file-write-unlink", &fixed.collect::<Result<Vec<_>, _>>()?);
    add_network(&mut text, settings);
    match text.len() {
        ..=LONGEST => Ok(text),
        _ => Err("the sandbox would have too many rules; hide or protect fewer paths".to_owned()),
    }
}

/// Adds a rule about an operation, unless it is about nothing.
fn add(text: &mut String, verb: &str, operations: &str, filters: &[String]) {
    if !filters.is_empty() {
        let _ = writeln!(text, "({verb} {operations}\n  {})", filters.join("\n  "));
    }
}

/// Adds the names that are protected at any depth of the watched folders.
fn add_names(text: &mut String, settings: &HelperSettings) -> Result<(), String> {
    let names = settings.protected_names.iter().map(|name| {
        let expression = expression(name)?;
        Ok(format!("(regex #\"{expression}\")"))
    });
    let names = names.collect::<Result<Vec<_>, String>>()?;
    let folders = subpaths(&settings.watched)?;
    if !names.is_empty() && !folders.is_empty() {
        let (folders, names) = (folders.join("\n    "), names.join("\n    "));
        let both = format!(
            "(require-all\n   (require-any\n    {folders})\n   (require-any\n    {names}))"
        );
        add(text, "deny", "file-write*", &[both]);
    }
    Ok(())
}

/// Adds a command's access to the data of the repository.
fn add_repository(
    text: &mut String,
    settings: &HelperSettings,
    guarded: &[PathBuf],
) -> Result<(), String> {
    let Some(repository) = settings.granted_repository() else { return Ok(()) };
    let common = filter("subpath", &repository.common)?;
    // A rule about names may have denied it.
    add(text, "allow", "file-write*", std::slice::from_ref(&common));
    let own = git_names::GUARDED.iter().map(|name| repository.common.join(name));
    let paths: Vec<_> = own.chain(guarded.iter().cloned()).collect();
    add(text, "deny", "file-write*", &subpaths(&paths)?);
    // The git folders of linked working trees have such files, too.
    let names = git_names::GUARDED.iter().chain(git_names::NEVER).map(|name| expression(name));
    let names = names.collect::<Result<Vec<_>, _>>()?;
    let trees = names.iter().map(|name| format!("(regex #\"/worktrees/[^/]+{name}\")"));
    let trees = trees.collect::<Vec<_>>().join("\n    ");
    let both = format!("(require-all\n   {common}\n   (require-any\n    {trees}))");
    add(text, "deny", "file-write*", &[both]);
    Ok(())
}

/// Adds the ports that the command reaches, or the whole network.
fn add_network(text: &mut String, settings: &HelperSettings) {
    if settings.sockets != SocketAccess::Pairs {
        text.push_str(OPEN_NETWORK);
        return;
    }
    let local = settings.local_ports.iter().map(|port| format!("(remote ip \"localhost:{port}\")"));
    add(text, "allow", "network-outbound", &local.collect::<Vec<_>>());
    let served =
        settings.served_ports.iter().map(|port| format!("(local ip \"localhost:{port}\")"));
    add(text, "allow", "network-bind network-inbound", &served.collect::<Vec<_>>());
}

/// Returns the folders that must keep their names: those that are writable as a whole, and those
/// above protected or hidden paths in them. If one of them were moved, its contents would have
/// another path.
fn fixed_folders(settings: &HelperSettings) -> BTreeSet<PathBuf> {
    let mut fixed: BTreeSet<PathBuf> = settings.writable.iter().cloned().collect();
    for path in settings.protected.iter().chain(&settings.hidden) {
        let is_written =
            |folder: &&Path| settings.writable.iter().any(|writable| folder.starts_with(writable));
        fixed.extend(path.ancestors().skip(1).take_while(is_written).map(Path::to_owned));
    }
    fixed
}

fn subpaths(paths: &[PathBuf]) -> Result<Vec<String>, String> {
    paths.iter().map(|path| filter("subpath", path)).collect()
}

/// Returns a filter of one path, as a string of the language.
fn filter(kind: &str, path: &Path) -> Result<String, String> {
    let wrong = |why: &str| format!("the sandbox of macOS cannot name {}: {why}", path.display());
    let name = path.to_str().ok_or_else(|| wrong("it is not UTF-8"))?;
    if !path.is_absolute() {
        return Err(wrong("it is relative"));
    }
    if name.chars().any(char::is_control) {
        return Err(wrong("it has a control character"));
    }
    Ok(format!("({kind} \"{}\")", name.replace('\\', r"\\").replace('"', "\\\"")))
}

/// The operations of a command on a file that it reads.
const READ: &str = "file-read* file-map-executable process-exec";

/// The operations that are denied on a hidden file.
const HIDDEN: &str = "file-read* file-map-executable process-exec file-write*";

/// The operations that every command may perform. Names and sizes of files are visible everywhere,
/// and their contents are not.
const BASE: &str = r#"(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow ipc-posix-sem)
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow file-read* file-write-data file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/fd/1")
  (literal "/dev/fd/2"))
(allow sysctl-read
  (sysctl-name-prefix "hw.")
  (sysctl-name-prefix "machdep.cpu.")
  (sysctl-name "kern.argmax")
  (sysctl-name "kern.hostname")
  (sysctl-name "kern.maxfilesperproc")
  (sysctl-name "kern.osproductversion")
  (sysctl-name "kern.osrelease")
  (sysctl-name "kern.ostype")
  (sysctl-name "kern.osversion")
  (sysctl-name "kern.version")
  (sysctl-name "vm.loadavg"))
(allow mach-lookup
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
"#;

/// The whole network, and the program that looks up names in it.
const OPEN_NETWORK: &str = "(allow network*)\n(allow system-socket)\n";

/// The length of the longest profile, in bytes: it is an argument of a program.
const LONGEST: usize = 512 << 10;
