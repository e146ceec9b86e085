//! Local sockets that programs outside make while a command runs, in folders that it sees.
//!
//! The sockets that exist before a command are covered. From Linux 7.1 on, Landlock keeps a command from
//! those that are made later, too; before, nothing does, so they are named after the command.

use std::path::PathBuf;

use landlock::{AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};

use crate::level::SandboxLevel;
use crate::outside_sockets::{OutsideSockets, named_sockets};
use crate::settings::HelperSettings;
use crate::socket_access::SocketAccess;

/// What is known of sockets when a command starts that could reach new ones.
#[derive(Debug, Default)]
pub(crate) struct LateSockets {
    /// The paths that the command sees.
    shown: Vec<PathBuf>,
    /// The sockets that it cannot reach, because they were there before it.
    covered: Vec<PathBuf>,
}

impl LateSockets {
    /// Adds the sockets of programs outside to what is covered, and returns what tells those that come
    /// later. If not all can be found, the command has no local sockets.
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

    /// Remembers what a command sees, and what is covered. Nothing is looked for later where the command
    /// has no local sockets, or the kernel holds new ones.
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

    /// Returns the sockets of programs outside that are there now and were not before. One that was made
    /// and removed meanwhile is not among them, nor one that is no longer where its name says.
    pub(crate) fn appeared(&self) -> Vec<PathBuf> {
        if self.shown.is_empty() {
            return Vec::new();
        }
        let is_new = |path: &PathBuf| {
            self.shown.iter().any(|above| path.starts_with(above)) && !self.covered.contains(path)
        };
        named_sockets().into_iter().filter(is_new).collect()
    }
}

impl SandboxLevel {
    /// Returns whether a command at this level can connect to a local socket that another program makes
    /// while it runs, in a folder that it sees. It asks the kernel of this machine: Landlock holds such
    /// sockets from Linux 7.1 on. Sockets that were there before the command are never reached at a level
    /// that [closes the network](Self::closes_network).
    ///
    /// ```
    /// use silcrow_sandbox::SandboxLevel;
    ///
    /// // Without namespaces a command has no local sockets to connect with.
    /// assert!(!SandboxLevel::ContentsAndNetwork.reaches_new_sockets());
    /// assert!(SandboxLevel::FilesOnly.reaches_new_sockets());
    /// ```
    pub fn reaches_new_sockets(self) -> bool {
        match self {
            Self::None | Self::FilesOnly => true,
            Self::ContentsAndNetwork => false,
            Self::FilesAndNetwork => !are_held(),
        }
    }
}

/// Returns whether the kernel knows the right to connect to a local socket by its path. Making a ruleset
/// confines nobody.
fn are_held() -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let rules = rules.handle_access(AccessFs::ResolveUnix).and_then(Ruleset::create);
    rules.is_ok()
}
