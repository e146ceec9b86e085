//! The folders of a person, as this process finds them.

use std::path::PathBuf;

use silcrow_settings::Environment;

use crate::error::Error;

/// Returns the folder for the person's data.
pub(crate) fn data_folder() -> Result<PathBuf, Error> {
    silcrow_settings::data_folder(&Environment::process())
        .ok_or_else(|| Error::given("no home folder for conversations; give --store DIR"))
}

/// Returns the folder for data that a program keeps between two starts.
pub(crate) fn state_folder() -> Option<PathBuf> {
    silcrow_settings::state_folder(&Environment::process())
}

/// Returns the folder for the person's settings, which may not exist.
pub(crate) fn config_folder() -> Option<PathBuf> {
    silcrow_settings::config_folder(&Environment::process())
}
