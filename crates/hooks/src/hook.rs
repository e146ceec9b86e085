//! Hooks as a file has them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use silcrow_sanitize::sanitize_line;

use crate::matcher::HookMatcher;

/// A hook: a command that runs at an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hook {
    /// The event.
    pub event: HookEvent,
    /// The tools that it is about, at the events of calls.
    pub matcher: HookMatcher,
    /// The command line, for a shell.
    pub command: String,
    /// The time that it has.
    pub timeout: Duration,
    /// Whether the event continues although the hook failed.
    pub goes_on: bool,
    /// Whether the hook is the person's own, and not a project's.
    pub is_own: bool,
}

/// The moment at which hooks run.
///
/// ```
/// use silcrow_hooks::HookEvent;
///
/// let event = HookEvent::named("PreToolUse").unwrap();
/// // If its hook fails, the call does not run.
/// assert!(event.is_guard());
/// assert!(!HookEvent::Stop.is_guard());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HookEvent {
    /// Before a call.
    PreToolUse,
    /// After a call has ended, however it ended.
    PostToolUse,
    /// Before a prompt is sent.
    UserPromptSubmit,
    /// At the beginning of a session.
    SessionStart,
    /// After an answer.
    Stop,
    /// At the end of a session.
    SessionEnd,
}

impl HookEvent {
    /// Lists every event, in the order of a session.
    pub const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// Returns the name in a file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
        }
    }

    /// Returns the event of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }

    /// Returns whether a hook at this event guards the next step, so that its failure blocks.
    pub const fn is_guard(self) -> bool {
        matches!(self, Self::PreToolUse | Self::UserPromptSubmit)
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Hook {
    /// Creates a hook of a person at an event, about all tools.
    ///
    /// ```
    /// use silcrow_hooks::{Hook, HookEvent};
    ///
    /// let hook = Hook::new(HookEvent::Stop, "make check");
    /// assert_eq!(hook.timeout.as_secs(), 10);
    /// ```
    pub fn new(event: HookEvent, command: impl Into<String>) -> Self {
        Self {
            event,
            matcher: HookMatcher::default(),
            command: command.into(),
            timeout: USUAL_TIME,
            goes_on: false,
            is_own: true,
        }
    }

    /// Reads the hooks of a file, and returns them with lines about omitted ones. Other members of
    /// the file than `hooks` are ignored, because other tools have their settings there.
    ///
    /// ```
    /// use silcrow_hooks::{Hook, HookEvent};
    ///
    /// let file = r#"{"hooks": {
    ///     "Stop": [{"hooks": [{"type": "command", "command": "make check"}]}],
    ///     "Halt": []
    /// }}"#;
    /// let (hooks, left_out) = Hook::read(file, true)?;
    /// assert_eq!((hooks[0].event, &*hooks[0].command), (HookEvent::Stop, "make check"));
    /// assert!(left_out[0].starts_with("no hook runs at Halt"));
    /// # Ok::<_, String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns why the text is not a valid file of hooks.
    pub fn read(text: &str, is_own: bool) -> Result<(Vec<Self>, Vec<String>), String> {
        let file: HookFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let (mut hooks, mut notices) = (Vec::new(), Vec::new());
        for (name, groups) in file.hooks {
            let Some(event) = HookEvent::named(&name) else {
                let names = HookEvent::ALL.map(HookEvent::as_str).join(", ");
                let name = sanitize_line(&name);
                notices.push(format!("no hook runs at {name}; the events are {names}"));
                continue;
            };
            for group in groups {
                for written in group.hooks {
                    if written.kind.as_deref().is_some_and(|kind| kind != "command") {
                        notices.push(format!(
                            "a hook at {event} is left out, because its type is not `command`"
                        ));
                        continue;
                    }
                    let timeout = written.timeout.map_or(Ok(USUAL_TIME), time_limit)?;
                    let goes_on = match written.on_failure.as_deref() {
                        None | Some("block") => false,
                        Some("continue") => true,
                        Some(other) => {
                            let other = sanitize_line(other);
                            return Err(format!("on_failure is `{other}`; use block or continue"));
                        }
                    };
                    let matcher = HookMatcher::new(group.matcher.clone().unwrap_or_default());
                    let command = written.command;
                    hooks.push(Self { event, matcher, command, timeout, goes_on, is_own });
                }
            }
        }
        Ok((hooks, notices))
    }
}

fn time_limit(seconds: f64) -> Result<Duration, String> {
    let is_usable = seconds > 0.0 && seconds <= LONGEST.as_secs_f64();
    let why =
        || format!("timeout is {seconds}; use seconds, above 0 and up to {}", LONGEST.as_secs());
    is_usable.then(|| Duration::from_secs_f64(seconds)).ok_or_else(why)
}

/// A file as several tools have it.
#[derive(Deserialize)]
struct HookFile {
    #[serde(default)]
    hooks: BTreeMap<String, Vec<HookGroup>>,
}

#[derive(Deserialize)]
struct HookGroup {
    matcher: Option<String>,
    #[serde(default)]
    hooks: Vec<WrittenHook>,
}

#[derive(Deserialize)]
struct WrittenHook {
    #[serde(rename = "type")]
    kind: Option<String>,
    command: String,
    timeout: Option<f64>,
    on_failure: Option<String>,
}

/// The time that a hook has, unless it says another one.
const USUAL_TIME: Duration = Duration::from_secs(10);

/// The longest time that a hook may have.
const LONGEST: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_hook_files_are_read_with_unknowns_named() {
        let text = r#"{"model": "x", "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [
                {"type": "command", "command": "check", "timeout": 2.5},
                {"type": "prompt", "command": ""}]}],
            "Stop": [{"hooks": [{"type": "command", "command": "end", "on_failure": "continue"}]}],
            "SubagentStop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
        let (hooks, notices) = Hook::read(text, false).unwrap();
        let found: Vec<_> =
            hooks.iter().map(|hook| (hook.event, &*hook.command, hook.goes_on)).collect();
        let expected = [(HookEvent::PreToolUse, "check", false), (HookEvent::Stop, "end", true)];
        assert_eq!(found, expected);
        assert_eq!((hooks[0].timeout.as_secs_f64(), hooks[0].is_own), (2.5, false));
        assert_eq!(notices.len(), 2, "{notices:?}");
        assert_eq!(Hook::read("{}", true).unwrap().0, []);
        for wrong in [
            "",
            r#"{"hooks": 1}"#,
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "x", "timeout": 0}]}]}}"#,
            r#"{"hooks": {"Stop": [{"hooks": [{"command": "x", "on_failure": "maybe"}]}]}}"#,
        ] {
            assert!(Hook::read(wrong, true).is_err(), "{wrong}");
        }
    }
}
