//! The permissions in the line of status: the mode, and a sandbox that is off.

use silcrow_policy::PermissionMode;
use silcrow_term::{Style, TextRole};

use super::LiveScreen;

/// The mode and the sandbox of a run, as its line of status shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "who runs an agent writes all of it")]
pub struct ShownWalls {
    /// The mode that counts.
    pub mode: PermissionMode,
    /// Whether the person has switched the sandbox off.
    pub is_sandbox_off: bool,
}

impl ShownWalls {
    /// Returns the style in which the mode is written.
    pub(super) const fn mode_style(self) -> Style {
        match self.mode {
            PermissionMode::Plan => Style::new(TextRole::Accent).bold(),
            PermissionMode::ReadOnly => Style::new(TextRole::Accent),
            PermissionMode::Ask => Style::PLAIN,
            PermissionMode::Workspace => Style::new(TextRole::Success),
            PermissionMode::Full => Style::new(TextRole::Failure).bold(),
        }
    }
}

impl LiveScreen {
    /// Sets the permissions in the line of status.
    pub fn set_walls(&mut self, walls: ShownWalls) {
        self.status.set_walls(Some(walls));
    }

    /// Sets the mode that the line of status names.
    pub fn set_mode(&mut self, mode: PermissionMode) {
        let walls = self.status.walls().map(|walls| ShownWalls { mode, ..walls });
        self.status.set_walls(walls);
    }
}
