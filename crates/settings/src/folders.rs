//! The folders of a person that programs use, by the XDG base directories, and a project's folders.

use std::path::{Path, PathBuf};

use silcrow_environment::Environment;

/// Returns the folder for a person's settings, which may not exist: `silcrow` in `XDG_CONFIG_HOME`, or
/// in `.config` in the home folder.
///
/// ```
/// use std::path::Path;
///
/// use silcrow_settings::{Environment, config_folder};
///
/// let environment = Environment::from_vars([("HOME", "/home/ada")]);
/// let folder = config_folder(&environment);
/// assert_eq!(folder.as_deref(), Some(Path::new("/home/ada/.config/silcrow")));
/// ```
pub fn config_folder(environment: &Environment) -> Option<PathBuf> {
    Some(base(environment, "XDG_CONFIG_HOME", ".config")?.join("silcrow"))
}

/// Returns the folder for a person's data, which all programs share: `XDG_DATA_HOME`, or
/// `.local/share` in the home folder.
pub fn data_folder(environment: &Environment) -> Option<PathBuf> {
    base(environment, "XDG_DATA_HOME", ".local/share")
}

/// Returns the folder for data that programs keep between two starts: `XDG_STATE_HOME`, or
/// `.local/state` in the home folder.
pub fn state_folder(environment: &Environment) -> Option<PathBuf> {
    base(environment, "XDG_STATE_HOME", ".local/state")
}

fn base(environment: &Environment, variable: &str, at_home: &str) -> Option<PathBuf> {
    environment.folder(variable).or_else(|| Some(environment.folder("HOME")?.join(at_home)))
}

/// Returns the project folders around a root whose settings files count, the nearest first: the
/// root, and the folders above it up to the root of its repository, if it has one.
pub fn project_folders(root: &Path) -> Vec<PathBuf> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let above: Vec<_> = root.ancestors().map(Path::to_owned).collect();
    let repository = above.iter().position(|folder| folder.join(".git").symlink_metadata().is_ok());
    above.into_iter().take(repository.unwrap_or(0) + 1).collect()
}
