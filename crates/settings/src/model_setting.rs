//! A person's settings for a model, by its name.

use serde::Deserialize;

/// A person's settings for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelSetting {
    /// The name of the model, whole or without the vendor or the server before it.
    pub name: String,
    /// The kinds of input that it takes besides text: the words `images`, `documents` and `sound`.
    pub sees: Vec<String>,
}

/// The words of `sees`.
const SEES: [&str; 3] = ["images", "documents", "sound"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenModel {
    sees: Vec<String>,
}

/// Reads a table of models.
///
/// The error describes what is wrong with it.
pub(crate) fn model_settings(table: &toml::Table) -> Result<Vec<ModelSetting>, String> {
    let read = |(name, value): (&String, &toml::Value)| {
        let written = value.clone().try_into::<WrittenModel>();
        let WrittenModel { sees } = written.map_err(|error| error.message().to_owned())?;
        match sees.iter().find(|word| !SEES.contains(&&***word)) {
            Some(word) => Err(format!(
                "`sees` has {word:?}; it is a list of \"images\", \"documents\" and \"sound\", or []"
            )),
            None => Ok(ModelSetting { name: name.clone(), sees }),
        }
    };
    table.iter().map(read).collect()
}
