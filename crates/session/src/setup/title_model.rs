//! The model that names conversations.

use std::sync::Arc;

use silcrow_models::is_rehearsal;
use silcrow_provider::Provider;

use crate::host::SessionHost;
use crate::model::{self, ModelSettings};
use crate::options::SessionOptions;

/// Returns the model that names conversations, if the options choose one. A recording has only the
/// requests of its run, and the rehearsal model finds no titles.
pub(super) fn title_model(
    options: &SessionOptions,
    model: &str,
    settings: ModelSettings,
    host: &dyn SessionHost,
) -> Option<Result<Arc<dyn Provider>, String>> {
    let chosen = options.title_model.clone()?;
    if model::is_recorded(model) || is_rehearsal(&chosen) {
        return None;
    }
    let settings = ModelSettings { chosen, ..settings };
    let provider = model::choose(&settings.chosen, &settings, None, host);
    Some(provider.map_err(|error| error.message().to_owned()))
}
