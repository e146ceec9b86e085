//! The event `hook`: a command of a person that has run at a moment of a session.

use std::str::FromStr;
use std::time::Duration;

use crate::fields::{Fields, ReadEntryError};
use crate::json::Object;
use crate::seconds::Seconds;
use crate::unknown_word::{UnknownWord, find};

/// A run of a hook, with its decision.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_event::{HookEffect, HookRun};
///
/// let mut run = HookRun::new("PreToolUse", "check.sh", HookEffect::Blocked);
/// run.tool = Some("shell".to_owned());
/// run.content = "nothing is removed here".to_owned();
/// run.time = Duration::from_millis(12);
/// assert_eq!(run.line(), "hook `check.sh` blocked shell: nothing is removed here");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookRun {
    /// The moment at which it ran, such as `PreToolUse`. JSON calls it `event`.
    pub moment: String,
    /// The beginning of its command, on one line.
    pub command: String,
    /// The id of the call that it was about.
    pub id: Option<String>,
    /// The name of the tool that it was about.
    pub tool: Option<String>,
    /// The effect that it had.
    pub effect: HookEffect,
    /// Its text: its reason, or the words that the model reads.
    pub content: String,
    /// The time that it took. JSON calls it `duration`.
    pub time: Duration,
    /// Whether it is a hook of the project, and not the person's own.
    pub is_of_project: bool,
}

/// The effect of a hook on its call or prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "section 8 of the protocol names them all")]
pub enum HookEffect {
    /// It changed nothing.
    Passed,
    /// It added words that the model reads.
    Added,
    /// It had the person asked.
    Asked,
    /// It blocked, or a guard failed.
    Blocked,
    /// It failed, and guarded nothing.
    Failed,
}

impl HookRun {
    /// Creates a run that said nothing and took no time.
    pub fn new(moment: impl Into<String>, command: impl Into<String>, effect: HookEffect) -> Self {
        Self {
            moment: moment.into(),
            command: command.into(),
            id: None,
            tool: None,
            effect,
            content: String::new(),
            time: Duration::ZERO,
            is_of_project: false,
        }
    }

    /// Returns the run on one line: the command, its effect, its subject and its text.
    pub fn line(&self) -> String {
        let about = self.tool.as_deref().unwrap_or(&self.moment);
        let did = match self.effect {
            HookEffect::Passed => "passed",
            HookEffect::Added => "told the model about",
            HookEffect::Asked => "had you asked about",
            HookEffect::Blocked => "blocked",
            HookEffect::Failed => "failed at",
        };
        let said = self.content.split_whitespace().collect::<Vec<_>>().join(" ");
        let colon = if said.is_empty() { "" } else { ": " };
        format!("hook `{}` {did} {about}{colon}{said}", self.command)
    }

    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.string("event", &self.moment);
        to.string("command", &self.command);
        to.maybe_string("id", self.id.as_deref());
        to.maybe_string("tool", self.tool.as_deref());
        to.string("effect", self.effect.as_str());
        if !self.content.is_empty() {
            to.string("content", &self.content);
        }
        to.number("duration", Seconds(self.time));
        if self.is_of_project {
            to.bool("project", true);
        }
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, ReadEntryError> {
        Ok(Self {
            moment: fields.text("event")?,
            command: fields.text("command")?,
            id: fields.maybe("id"),
            tool: fields.maybe("tool"),
            effect: fields.word("effect", HookEffect::Passed)?,
            content: fields.maybe("content").unwrap_or_default(),
            time: fields.duration("duration").unwrap_or_default(),
            is_of_project: fields.get("project") == Some("true"),
        })
    }
}

impl HookEffect {
    /// Lists every effect.
    pub const ALL: [Self; 5] =
        [Self::Passed, Self::Added, Self::Asked, Self::Blocked, Self::Failed];

    /// Returns the word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Added => "added",
            Self::Asked => "asked",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
        }
    }
}

impl FromStr for HookEffect {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        find(word, "effect of a hook", Self::ALL, Self::as_str)
    }
}
