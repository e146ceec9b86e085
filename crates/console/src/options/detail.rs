//! The amount of detail and the colours, as words that people write in settings.

use std::str::FromStr;

use silcrow_event::UnknownWord;

/// The length at which thoughts are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a screen shows a thought in one of these ways")]
pub enum Thoughts {
    /// One line each.
    #[default]
    Brief,
    /// Whole.
    Full,
    /// Not at all.
    Off,
}

/// The part of a change in a file that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a screen shows a change in one of these ways")]
pub enum DiffShown {
    /// The lines that changed.
    #[default]
    Full,
    /// A line for each file.
    Short,
    /// Nothing.
    Off,
}

/// The amount of detail about a run, from the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_enums, reason = "each kind of line belongs to one of these")]
pub enum Detail {
    /// The answer, questions and errors.
    Quiet,
    /// Also calls, without their output.
    Brief,
    /// Also the first lines of calls' output, and the usage of the run.
    #[default]
    Normal,
    /// Also all lines that calls print, and faults in the text of the model.
    Verbose,
}

/// The name of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are the themes of `silcrow-term`")]
pub enum ThemeName {
    /// Colours for a dark terminal.
    Dark,
    /// Colours for a light terminal.
    Light,
    /// No colours.
    Plain,
    /// Colours for the terminal's background.
    Auto,
}

/// The way in which a terminal calls a person who looks elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "terminals know one of these, or none")]
pub enum NotifyWay {
    /// Not at all, and the window keeps its title.
    #[default]
    Off,
    /// In the way that the terminal is known to support, otherwise by a bell.
    Auto,
    /// By a bell.
    Bell,
    /// By the sequence OSC 9, which iTerm2 and WezTerm support.
    Osc9,
    /// By the sequence OSC 777, which foot, Konsole and terminals with VTE support.
    Osc777,
    /// By the sequence OSC 99, which kitty supports.
    Osc99,
}

/// A part of the line of status below a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a line of status has these parts")]
pub enum StatusPart {
    /// The mode of permissions.
    Mode,
    /// The sandbox: whether it is off. The line says that it is off even without this part.
    Sandbox,
    /// The model.
    Model,
    /// The time since the run began.
    Time,
    /// The tokens that the run has used.
    Tokens,
    /// The cost of the run, if the price of the model is known.
    Cost,
    /// The part of the model's window that the last request filled.
    Window,
    /// The number of tasks that are done, if the agent keeps a list.
    Todo,
    /// The number of subagents at work, if there are any.
    Agents,
    /// The folder.
    Folder,
    /// The branch that is checked out, if the folder is in a repository.
    Branch,
}

macro_rules! words {
    ($($name:ident $set:literal { $($choice:ident = $word:literal),+ })+) => {$(
        impl $name {
            /// All choices.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$choice),+];

            /// Returns the word for the choice.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$choice => $word),+
                }
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                let found = Self::ALL.into_iter().find(|choice| choice.as_str() == word);
                found.ok_or_else(|| UnknownWord::new($set, Self::ALL.map(Self::as_str)))
            }
        }
    )+};
}

words! {
    Thoughts "way to show thoughts" { Brief = "brief", Full = "full", Off = "off" }
    DiffShown "way to show changes" { Full = "full", Short = "short", Off = "off" }
    StatusPart "part of the line of status" {
        Mode = "mode", Sandbox = "sandbox", Model = "model", Time = "time", Tokens = "tokens",
        Cost = "cost", Window = "window", Todo = "todo", Agents = "agents", Folder = "folder",
        Branch = "branch"
    }
    ThemeName "theme" { Dark = "dark", Light = "light", Plain = "plain", Auto = "auto" }
    NotifyWay "way to call you" {
        Off = "off", Auto = "auto", Bell = "bell", Osc9 = "osc9", Osc777 = "osc777", Osc99 = "osc99"
    }
}

#[test]
fn words_parse_only_to_known_choices() {
    for thoughts in Thoughts::ALL {
        assert_eq!(thoughts.as_str().parse(), Ok(thoughts));
    }
    let error = "Full".parse::<DiffShown>().unwrap_err();
    assert_eq!(error.to_string(), "unknown way to show changes; use one of full, short, off");
}
