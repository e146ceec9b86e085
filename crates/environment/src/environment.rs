//! The variables of an environment, of this process or given.
//!
//! The modules that use a variable define its meaning.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The variables of this process, or given ones. Clones share them.
///
/// Values are never shown: `Debug` lists the names alone.
#[derive(Clone, Default)]
pub struct Environment(Option<Arc<BTreeMap<OsString, OsString>>>);

impl Environment {
    /// Returns the environment of this process, in which each variable is looked up when it is needed.
    ///
    /// ```
    /// use silcrow_environment::Environment;
    ///
    /// assert_eq!(Environment::process().get("CARGO_PKG_NAME").as_deref(), Some("silcrow-environment"));
    /// ```
    pub const fn process() -> Self {
        Self(None)
    }

    /// Creates an environment that has these variables and no other.
    ///
    /// ```
    /// use silcrow_environment::Environment;
    ///
    /// let environment = Environment::from_vars([("SILCROW_MODEL", "rehearsal"), ("SILCROW_SEARCH", " ")]);
    /// assert_eq!(environment.get("SILCROW_MODEL").as_deref(), Some("rehearsal"));
    /// assert_eq!(environment.get("SILCROW_SEARCH"), None);
    /// ```
    pub fn from_vars<N: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(Some(Arc::new(variables.collect())))
    }

    /// Returns the value of a variable, unless it is blank or invalid UTF-8.
    pub fn get(&self, variable: &str) -> Option<String> {
        let value = self.get_os(variable)?.into_string().ok();
        value.filter(|text| !text.trim().is_empty())
    }

    /// Returns the value of a variable as the system has it.
    pub fn get_os(&self, variable: &str) -> Option<OsString> {
        match &self.0 {
            None => env::var_os(variable),
            Some(variables) => variables.get(OsStr::new(variable)).cloned(),
        }
    }

    /// Returns the home folder of the person. For the environment of this process, the system's
    /// database of users counts if `HOME` is not set.
    pub fn home(&self) -> Option<PathBuf> {
        match &self.0 {
            None => env::home_dir(),
            Some(_) => self.folder("HOME"),
        }
    }

    /// Returns all variables whose names and values are Unicode.
    pub fn all(&self) -> Vec<(String, String)> {
        let unicode = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        match &self.0 {
            None => env::vars_os().filter_map(unicode).collect(),
            Some(variables) => {
                let all = variables.iter().map(|(name, value)| (name.clone(), value.clone()));
                all.filter_map(unicode).collect()
            }
        }
    }

    /// Returns the folder that a variable names by an absolute path.
    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.get_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}

/// Writes no values, because some of them are keys.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("Environment::process()"),
            Some(variables) => f.debug_set().entries(variables.keys()).finish(),
        }
    }
}
