//! The local sockets of programs outside, which are covered before a command.
//!
//! From Linux 7.1 on, Landlock keeps a command from those that are made later, too; before, nothing does.

use std::path::PathBuf;

use landlock::{AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};

use crate::level::SandboxLevel;
use crate::linux::outside_sockets::OutsideSockets;
use crate::supervised::late_sockets::LateSockets;
use crate::supervised::settings::HelperSettings;
use crate::supervised::socket_access::SocketAccess;

impl LateSockets {
    /// Adds the sockets of outside programs to the covered paths, and returns a detector of later
    /// ones. If not all can be found, the command has no local sockets.
    pub(crate) fn cover(look: &mut OutsideSockets, settings: &mut HelperSettings) -> Self {
        let shown = settings.readable.iter().chain(&settings.writable);
        let Some(found) = look.among(shown.clone(), &settings.writable) else {
            settings.sockets = SocketAccess::Network;
            return Self::default();
        };
        let late = Self::new(settings.sockets, shown, &found);
        settings.outside_sockets = found;
        late
    }

    /// Remembers the paths that a command sees, and the covered sockets. There is no later search
    /// if the command has no local sockets, or if the kernel controls new ones.
    fn new<'p>(
        access: SocketAccess,
        shown: impl Iterator<Item = &'p PathBuf>,
        covered: &[PathBuf],
    ) -> Self {
        match access != SocketAccess::Local || are_held() {
            true => Self::default(),
            false => Self { shown: shown.cloned().collect(), covered: covered.to_vec() },
        }
    }
}

/// Returns whether a command at a level can connect to a local socket that is new.
pub(crate) fn reaches_new_sockets(level: SandboxLevel) -> bool {
    match level {
        SandboxLevel::None | SandboxLevel::FilesOnly => true,
        SandboxLevel::ContentsAndNetwork => false,
        SandboxLevel::FilesAndNetwork => !are_held(),
    }
}

/// Returns whether the kernel supports the right to connect to a local socket by its path. Making a
/// ruleset has no effect on the process.
fn are_held() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let rules = rules.handle_access(AccessFs::ResolveUnix).and_then(Ruleset::create);
    rules.is_ok()
}
