//! The models that the arguments, the environment and the settings name, with the parts of messages
//! about options.

use silcrow_models::{Environment, Error, FoundKey};
use silcrow_provider::SamplingField;

use crate::environment::set;
use crate::failure::Failure;

pub(crate) use silcrow_models::{is_rehearsal, label};
pub(crate) use silcrow_session::model::{
    ModelSettings, choose, limits, name, options, set_key_command,
};

/// Returns whether the environment names a model.
pub(crate) fn is_named() -> bool {
    set("SILCROW_MODEL").is_some()
}

/// Returns the key of the environment for which no model was chosen.
pub(crate) fn found_key() -> Option<FoundKey> {
    FoundKey::find(&Environment::process())
}

/// Returns the failure for an error, with the options of the command that help.
pub(crate) fn failure(error: Error) -> Failure {
    silcrow_session::Error::from(error).into()
}

/// Returns whether the model with this name has a value of the sampling.
pub(crate) fn has_field(name: &str, field: SamplingField) -> Result<bool, Failure> {
    let has = silcrow_models::has_sampling_field(&Environment::process(), name, field);
    has.map_err(failure)
}
