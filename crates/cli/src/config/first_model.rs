//! The question which model to keep, where a key is in the environment and no model is named.
//!
//! Without it a person with a key would get the answers of the rehearsal model, which is no model.

use std::io::{self, IsTerminal as _};

use silcrow_policy::PolicyOwner;

use super::edit::{self, KeyPath};
use super::file::own_path;
use super::key::ConfigKey;
use crate::failure::Failure;
use crate::model::found_key;
use crate::typed::says_yes;

/// Returns the model for a key that the environment has. A person at a terminal is asked whether to
/// keep it; otherwise the failure names the command that keeps one. Without a key it is `None`.
pub(super) fn first_model() -> Result<Option<String>, Failure> {
    let Some(key) = found_key() else { return Ok(None) };
    let variable = &key.variable;
    if let (Some(model), Some(path)) = (key.model, own_path())
        && io::stdin().is_terminal()
        && io::stderr().is_terminal()
    {
        let question = format!(
            "\n{variable} is set, and no model is named. That would be {model}; silcrow models \
             lists others.\nKeep it in {}?\ny  yes    else no\n[N] ",
            silcrow_sanitize::sanitize_line(&path.display().to_string()),
        );
        let yes = says_yes(&question)
            .map_err(|error| Failure::running(format!("cannot ask for a model: {error}")))?;
        if yes {
            let place = KeyPath { profile: None, key: ConfigKey::Model.as_str() };
            let text = edit::text(&path, PolicyOwner::Person)?;
            let text = edit::set(&text, &place, ConfigKey::Model, model)?;
            edit::write(&path, &text, PolicyOwner::Person)?;
            return Ok(Some(model.to_owned()));
        }
    }
    let name = key.name();
    Err(Failure::given(format!(
        "{variable} is set, but no model is named; run silcrow config set model {name} (silcrow \
         models lists what the key opens), or name one with --model; --model rehearsal needs no key"
    ))
    .named("no_model", false))
}
