//! The sampling of a run: what was typed, then what the settings say, as far as the model has it.

use std::io::{self, Write as _};

use silcrow_provider::{Sampling, SamplingField};
use silcrow_sanitize::sanitize_line;

use super::key::ConfigKey;
use super::value::ConfigValue;
use super::{Config, FoundValue};
use crate::args::SamplingArgs;
use crate::failure::Failure;
use crate::model;

/// Completes the typed values. One that the model `name` does not have is a failure if it was typed,
/// and is left out with a notice if it is a setting.
pub(super) fn settle_sampling(
    args: &mut SamplingArgs,
    config: &Config,
    name: &str,
) -> Result<(), Failure> {
    let typed = args.to_sampling();
    let mut settings = Sampling::new();
    for field in SamplingField::ALL {
        let is_had = model::has_field(name, field)?;
        if typed.has(field) {
            let flag = field.as_str().replace('_', "-");
            let label = model::label(name);
            let why = format!("--{flag}: `{label}` has no {field}; leave it out for this model");
            if !is_had {
                return Err(Failure::given(why));
            }
            continue;
        }
        let Some(found) = key_of(field).and_then(|key| config.find(key)) else { continue };
        if is_had {
            set(&mut settings, field, &found.value);
        } else if !is_without_server(name) {
            notify(field, name, &found);
        }
    }
    *args = typed.or(&settings).into();
    Ok(())
}

fn notify(field: SamplingField, name: &str, found: &FoundValue) {
    let (label, source) = (model::label(name), &found.source);
    let notice = format!("`{label}` has no {field}, so that of {source} is left out");
    // If stderr is closed, the notice is lost.
    let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&notice));
}

/// Returns whether the answers come from this program or from a file.
fn is_without_server(name: &str) -> bool {
    model::is_rehearsal(name) || name.starts_with("script:")
}

const fn key_of(field: SamplingField) -> Option<ConfigKey> {
    match field {
        SamplingField::Temperature => Some(ConfigKey::Temperature),
        SamplingField::MaxTokens => Some(ConfigKey::MaxTokens),
        SamplingField::Effort => Some(ConfigKey::Effort),
        SamplingField::Seed => Some(ConfigKey::Seed),
        SamplingField::Stop => Some(ConfigKey::Stop),
        _ => None,
    }
}

fn set(sampling: &mut Sampling, field: SamplingField, value: &ConfigValue) {
    match (field, value) {
        (SamplingField::Temperature, ConfigValue::Number(number)) => {
            sampling.temperature = Some(*number);
        }
        (SamplingField::MaxTokens, ConfigValue::Count(count)) => sampling.max_tokens = Some(*count),
        (SamplingField::Seed, ConfigValue::Count(seed)) => sampling.seed = Some(*seed),
        (SamplingField::Effort, ConfigValue::Text(word)) => sampling.effort = word.parse().ok(),
        (SamplingField::Stop, ConfigValue::Texts(texts)) => sampling.stop.clone_from(texts),
        _ => {}
    }
}
