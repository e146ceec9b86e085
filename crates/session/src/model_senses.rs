//! What a person says about the senses of a model.

use silcrow_media::Senses;
use silcrow_settings::ModelSetting;

/// Returns what a model takes beside text, if the person says so: by its whole name, or by what follows a
/// server, an API or a vendor in it.
pub(crate) fn model_senses(settings: &[ModelSetting], model: &str) -> Option<Senses> {
    let at_server = model.split_once('#').map(|(_, name)| name);
    let of_api = at_server.or_else(|| model.split_once(':').map(|(_, name)| name)).unwrap_or(model);
    let of_vendor = of_api.rsplit('/').next().unwrap_or(of_api);
    let named = |name: &str| settings.iter().find(|setting| setting.name == name);
    let setting = [model, of_api, of_vendor].into_iter().find_map(named)?;
    // Other words are an error of the file.
    Senses::of_words(setting.sees.iter().map(String::as_str)).ok()
}
