//! The source of a setting's value.

use std::fmt::{self, Display, Formatter};

/// The source of a value that counts.
///
/// ```
/// use silcrow_settings::SettingSource;
///
/// let (name, profile) = ("/home/ada/.config/silcrow/config.toml".to_owned(), None);
/// let source = SettingSource::File { name, line: 3, profile };
/// assert_eq!((source.as_str(), source.is_given()), ("file", false));
/// assert!(SettingSource::Flag("--model").is_given());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingSource {
    /// No source: the default applies.
    #[default]
    Default,
    /// The caller gave it: the flag of a command, by its name.
    Flag(&'static str),
    /// A variable of the environment, by its name.
    Environment(&'static str),
    /// A file.
    File {
        /// The path.
        name: String,
        /// The line, from 1.
        line: usize,
        /// The profile in whose table it is.
        profile: Option<String>,
    },
}

/// A value with its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a value and where it is from")]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// The source of the value.
    pub source: SettingSource,
}

impl SettingSource {
    /// Returns the word that programs compare: `default`, `flag`, `environment` or `file`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Flag(_) => "flag",
            Self::Environment(_) => "environment",
            Self::File { .. } => "file",
        }
    }

    /// Returns whether the caller gave the value.
    pub const fn is_given(&self) -> bool {
        matches!(self, Self::Flag(_))
    }

    /// Returns whether the environment has the value.
    pub const fn is_environment(&self) -> bool {
        matches!(self, Self::Environment(_))
    }
}

impl<T> Sourced<T> {
    /// Converts the value, and drops one that cannot be converted.
    pub(crate) fn try_map<U>(self, convert: impl FnOnce(T) -> Option<U>) -> Option<Sourced<U>> {
        Some(Sourced { value: convert(self.value)?, source: self.source })
    }
}

impl Display for SettingSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Flag(name) | Self::Environment(name) => f.write_str(name),
            Self::File { name, line, profile: None } => write!(f, "{name}:{line}"),
            Self::File { name, line, profile: Some(profile) } => {
                write!(f, "{name}:{line} (profile {profile})")
            }
        }
    }
}
