//! The model that names conversations.

use std::sync::Arc;

use silcrow_provider::Provider;

use crate::model;
use crate::options::AskOptions;

/// Returns the model that names conversations, if the settings choose one. A recording has only the
/// requests of its run, and the rehearsal model finds no titles.
pub(super) fn title_model(
    args: &AskOptions,
    model: &str,
    settings: model::ModelSettings,
) -> Option<Result<Arc<dyn Provider>, String>> {
    let chosen = args.title_model.clone()?;
    if model::is_recorded(model) || model::is_rehearsal(&chosen) {
        return None;
    }
    let settings = model::ModelSettings { chosen, ..settings };
    let provider = model::choose(&settings.chosen, &settings, None);
    Some(provider.map_err(|failure| failure.message().to_owned()))
}
