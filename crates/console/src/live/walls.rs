//! The permissions in the line of status: the mode, and a sandbox that is off.

use silcrow_policy::PermissionMode;
use silcrow_term::{Line, Style, TextRole};

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
    /// Adds the words to a line. They come first, so that a narrow terminal shows them.
    pub(super) fn write_to(self, line: &mut Line, between: &str) {
        let style = match self.mode {
            PermissionMode::Plan => Style::new(TextRole::Accent).bold(),
            PermissionMode::ReadOnly => Style::new(TextRole::Accent),
            PermissionMode::Ask => Style::PLAIN,
            PermissionMode::Workspace => Style::new(TextRole::Success),
            PermissionMode::Full => Style::new(TextRole::Failure).bold(),
        };
        line.push(self.mode.as_str(), style);
        if self.is_sandbox_off {
            line.push(between, Style::PLAIN.dim());
            line.push("sandbox off", Style::new(TextRole::Warning).bold());
        }
        line.push(between, Style::PLAIN.dim());
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
