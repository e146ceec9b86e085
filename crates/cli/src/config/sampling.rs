//! The sampling of a run: the values that the model has, of those that count.

use std::io::{self, Write as _};

use silcrow_provider::{Sampling, SamplingField};
use silcrow_sanitize::sanitize_line;
use silcrow_settings::{SamplingSettings, SettingSource};

use crate::failure::Failure;
use crate::model;

/// Returns the values that the model `name` has. One that it does not have is a failure if it was typed,
/// and is left out with a notice if it is a setting.
pub(super) fn sampling(mut settings: SamplingSettings, name: &str) -> Result<Sampling, Failure> {
    for field in SamplingField::ALL {
        let is_had = model::has_field(name, field)?;
        match settings.source(field) {
            Some(source) if source.is_given() && !is_had => {
                let flag = field.as_str().replace('_', "-");
                let label = model::label(name);
                let why =
                    format!("--{flag}: `{label}` has no {field}; leave it out for this model");
                return Err(Failure::given(why));
            }
            Some(source) if !is_had => {
                if !is_without_server(name) {
                    notify(field, name, source);
                }
                settings.clear(field);
            }
            _ => {}
        }
    }
    Ok(settings.to_sampling())
}

fn notify(field: SamplingField, name: &str, source: &SettingSource) {
    let label = model::label(name);
    let notice = format!("`{label}` has no {field}, so the value of {source} is ignored");
    // If stderr is closed, the notice is lost.
    let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(&notice));
}

/// Returns whether the answers come from this program or from a file.
fn is_without_server(name: &str) -> bool {
    model::is_rehearsal(name) || name.starts_with("script:")
}
