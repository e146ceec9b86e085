//! Landlock: which files a command may read and write.
//!
//! A rule of Landlock is about a file or a whole folder, and nothing inside a folder can be
//! excepted from it. If something is to be excepted, each entry beside it gets its own rule. Then
//! nothing new can be made in that folder, because only a rule about the folder itself allows that.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus,
    Scope,
};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fstat, openat};

use super::held_folder::open_without_links;
use super::mounts::SHARED_MEMORY;
use crate::supervised::settings::HelperSettings;

type RulesetResult<T> = Result<T, Box<dyn Error>>;

/// Confines this process, and returns whether that covers cutting files by name, which it does not
/// before the third version. `guarded` has the paths that a mount protects or hides already.
pub(super) fn apply(settings: &HelperSettings, guarded: &[PathBuf]) -> RulesetResult<bool> {
    let is_left = |path: &&PathBuf| !guarded.contains(path);
    let hidden = settings.hidden.iter().filter(is_left).filter(|path| path.exists());
    let hidden: Vec<_> = hidden.cloned().collect();
    // With mounts, the supervisor handles paths that do not exist yet.
    let counts =
        |path: &&PathBuf| !settings.layers.namespaces || fs::symlink_metadata(path).is_ok();
    let protected = settings.protected.iter().filter(is_left).filter(counts);
    let protected: Vec<_> = protected.cloned().collect();

    let read = AccessFs::from_read(NEWEST);
    let mut write = AccessFs::from_all(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    if settings.layers.namespaces {
        // Sockets of this command can be reached without it, and others must not be.
        write &= !BitFlags::from(AccessFs::ResolveUnix);
    }
    let mut rules = allow_devices(ruleset()?)?;
    for path in &settings.readable {
        if let Some(opened) = opened(path) {
            rules = allow(rules, opened, path, read, &hidden)?;
        }
    }
    let excepted = [hidden.as_slice(), &protected].concat();
    for path in &settings.writable {
        let Some(root) = opened(path) else { return Err(missing(path)) };
        rules = allow(rules, root, path, write, &excepted)?;
    }
    // Protected files can still be read.
    let is_inside = |path: &&PathBuf| settings.writable.iter().any(|root| path.starts_with(root));
    for path in protected.iter().filter(is_inside) {
        if let Some(opened) = opened(path) {
            rules = allow(rules, opened, path, read, &hidden)?;
        }
    }
    if settings.layers.namespaces
        && let Some(own) = opened_through_links(Path::new(SHARED_MEMORY))
    {
        rules = allow(rules, own, Path::new(SHARED_MEMORY), write, &[])?;
    }
    restrict(rules)
}

/// Returns a ruleset that denies everything that Landlock controls. The rights of the first version
/// are required; later ones are used if the kernel has them.
pub(super) fn ruleset() -> RulesetResult<RulesetCreated> {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    Ok(rules.set_compatibility(CompatLevel::BestEffort))
}

/// Applies the rules, and returns whether they cover cutting files by name.
pub(super) fn restrict(rules: RulesetCreated) -> RulesetResult<bool> {
    let status = rules.restrict_self()?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => Err("the kernel does not enforce it".into()),
        (_, LandlockStatus::Available { effective_abi, .. }) => Ok(effective_abi >= ABI::V3),
        _ => Err("the kernel does not have it".into()),
    }
}

/// Allows access to a path and everything beneath it, with exceptions.
fn allow(
    mut rules: RulesetCreated,
    opened: OwnedFd,
    path: &Path,
    rights: BitFlags<AccessFs>,
    excepted: &[PathBuf],
) -> RulesetResult<RulesetCreated> {
    let inside: Vec<_> = excepted.iter().filter(|e| e.starts_with(path)).cloned().collect();
    if inside.iter().any(|excepted| excepted == path) {
        return Ok(rules);
    }
    let is_folder = FileType::from_raw_mode(fstat(&opened)?.st_mode) == FileType::Directory;
    if inside.is_empty() || !is_folder {
        let rights = if is_folder { rights } else { rights & AccessFs::from_file(NEWEST) };
        return Ok(rules.add_rule(PathBeneath::new(opened, rights))?);
    }
    for name in names(&opened)? {
        // A link needs no rule, and a rule would apply to its target.
        if let Some(entry) = opened_itself(&opened, Path::new(&name)) {
            rules = allow(rules, entry, &path.join(&name), rights, &inside)?;
        }
    }
    // Listing the folder also lists the excepted entries by name.
    Ok(rules.add_rule(PathBeneath::new(opened, AccessFs::ReadDir))?)
}

/// Allows writing to the devices that keep nothing.
fn allow_devices(mut rules: RulesetCreated) -> RulesetResult<RulesetCreated> {
    let rights = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    for path in ["/dev/null", "/dev/zero", "/dev/full"] {
        if let Some(device) = opened_through_links(Path::new(path)) {
            rules = rules.add_rule(PathBeneath::new(device, rights))?;
        }
    }
    Ok(rules)
}

/// Opens a path for a rule. The targets of its links are listed, too, and a command may have put a
/// link in the path's place since.
fn opened(path: &Path) -> Option<OwnedFd> {
    open_without_links(path, OFlags::PATH).ok()
}

/// Opens a path of the system for a rule.
fn opened_through_links(path: &Path) -> Option<OwnedFd> {
    openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()
}

/// Opens an entry of a folder for a rule; `None` for a link.
fn opened_itself(folder: impl std::os::fd::AsFd, name: &Path) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(folder, name, flags, Mode::empty()).ok()?;
    let kind = FileType::from_raw_mode(fstat(&opened).ok()?.st_mode);
    (kind != FileType::Symlink).then_some(opened)
}

fn names(folder: &OwnedFd) -> RulesetResult<Vec<OsString>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = openat(folder.as_fd(), ".", flags, Mode::empty())?;
    let mut names = Vec::new();
    for entry in Dir::read_from(readable)? {
        let name = entry?.file_name().to_bytes().to_vec();
        if name != b"." && name != b".." {
            names.push(OsString::from_vec(name));
        }
    }
    Ok(names)
}

fn missing(path: &Path) -> Box<dyn Error> {
    format!("{} does not exist", path.display()).into()
}

/// The newest version whose rights are known here. Older kernels enforce the ones that they
/// support.
const NEWEST: ABI = ABI::V10;
