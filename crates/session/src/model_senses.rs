//! The media that a model accepts: by the person's setting, or else by its server's answers.

use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_media::Senses;
use silcrow_settings::ModelSetting;

use crate::kept_refusal::KeptRefusal;
use crate::setup::SessionSetup;

/// Sets the kinds of input that the agent's model takes besides text. A setting decides, and a
/// remembered refusal is then forgotten; refusals of models that no table has are remembered.
pub(crate) fn with_senses(agent: Agent, setup: &SessionSetup) -> Agent {
    let memory = KeptRefusal::for_model(&setup.model, &setup.place);
    let said = model_senses(&setup.options.models, &setup.model);
    let is_known = Senses::of_model(setup.provider.name()).is_some();
    match (said, memory) {
        (Some(senses), memory) => {
            memory.iter().for_each(KeptRefusal::forget);
            agent.with_senses(senses)
        }
        (None, Some(memory)) if !is_known => agent.with_refusal_memory(Arc::new(memory)),
        (None, _) => agent,
    }
}

/// Returns the kinds of input that a model takes besides text, if the person sets them: by its
/// whole name, or by the part after a server, an API or a vendor in it.
fn model_senses(settings: &[ModelSetting], model: &str) -> Option<Senses> {
    let at_server = model.split_once('#').map(|(_, name)| name);
    let of_api = at_server.or_else(|| model.split_once(':').map(|(_, name)| name)).unwrap_or(model);
    let of_vendor = of_api.rsplit('/').next().unwrap_or(of_api);
    let named = |name: &str| settings.iter().find(|setting| setting.name == name);
    let setting = [model, of_api, of_vendor].into_iter().find_map(named)?;
    // Other words are an error of the file.
    Senses::of_words(setting.sees.iter().map(String::as_str)).ok()
}
