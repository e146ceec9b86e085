//! The question which model to keep, if a key is in the environment and no model is named.
//!
//! Without it a person with a key would get the answers of the rehearsal model, which is not a real
//! one.

use std::io::{self, IsTerminal as _};

use silcrow_console::typed::says_yes;
use silcrow_settings::{Environment, SettingKey, SettingsEditor};

use crate::failure::Failure;
use crate::model::found_key;

/// Returns the model for a key that the environment has. A person at a terminal is asked whether to
/// keep it; otherwise the failure names the command that keeps one. Without a key it is `None`.
pub(super) fn first_model() -> Result<Option<String>, Failure> {
    let Some(key) = found_key() else { return Ok(None) };
    let variable = &key.variable;
    if let (Some(model), Some(editor)) =
        (key.model, SettingsEditor::of_person(&Environment::process()).ok())
        && io::stdin().is_terminal()
        && io::stderr().is_terminal()
    {
        let question = format!(
            "\n{variable} is set, and no model is named. That would be {model}; silcrow models \
             lists others.\nKeep it in {}?\ny  yes    else no\n[N] ",
            silcrow_sanitize::sanitize_line(&editor.name()),
        );
        let yes = says_yes(&question)
            .map_err(|error| Failure::running(format!("cannot ask for a model: {error}")))?;
        if yes {
            editor.set(None, SettingKey::Model, model)?;
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
