//! Opens models by name.
//!
//! This module handles prefixes. The modules below it find keys and reach servers.

use std::path::Path;
use std::sync::Arc;

use silcrow_event::error_chain;
use silcrow_parser::{Dialect, Options};
use silcrow_provider::record::Replay;
use silcrow_provider::{MaskedErrors, Provider, ScriptedModel};
use silcrow_rehearsal::Rehearsal;
use silcrow_sanitize::Secrets;
use silcrow_vendors::{
    Chat, Gemini, InlineReasoning, Interactions, Live, Messages, OutputGrammar, Realtime, Responses,
};

use crate::by_key::{azure, by_keys, placed, version};
use crate::closest::closest;
use crate::error::{Error, ErrorKind};
use crate::key_place::KeyPlace;
use crate::keys::{self, KeyText, ServerKeys};
use crate::name::{is_rehearsal, same_server};
use crate::options::ModelOptions;
use crate::server_settings::{COMPATIBLE, ServerSettings};
use crate::text_file::read_text;
use silcrow_environment::{COMPATIBLE_KEY, KEY_VARIABLES};

/// Opens models by their names.
///
/// | name | model | key |
/// |---|---|---|
/// | `anthropic:MODEL` | Messages of Anthropic | `ANTHROPIC_API_KEY` |
/// | `azure:DEPLOYMENT` | Chat Completions of Azure | `AZURE_OPENAI_API_KEY`, `AZURE_OPENAI_ENDPOINT` |
/// | `gemini:MODEL`, `gemini-interactions:MODEL`, `gemini-live:MODEL` | Google's APIs | `GEMINI_API_KEY` |
/// | `openai:MODEL`, `openai-responses:MODEL`, `openai-realtime:MODEL` | OpenAI's APIs | `OPENAI_API_KEY` |
/// | `compatible:URL#MODEL` | any server that speaks Chat Completions | `SILCROW_COMPATIBLE_KEY`, as `HOST=KEY` |
/// | `script:FILE`, `replay:FILE` | the answers in a file | none |
/// | `rehearsal` | simple rules | none |
///
/// Beside each variable of a key `NAME_FILE` may name a file, and `NAME_COMMAND` a command that
/// prints it. Both are read again when a key is rejected.
///
/// ```
/// use silcrow_models::{Environment, ErrorKind, ModelOptions, Models};
///
/// let models = Models::new(ModelOptions::new(Environment::from_vars([("OPENAI_API_KEY", "canary-01")])));
/// assert_eq!(models.open("openai:gpt-5.1")?.name(), "openai:gpt-5.1");
///
/// let error = models.open("gemini:gemini-2.5-flash").err().unwrap();
/// assert_eq!(error.kind(), ErrorKind::MissingKey);
/// assert_eq!(error.to_string(), "GEMINI_API_KEY is not set; put your key there");
/// # Ok::<_, silcrow_models::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Models {
    options: ModelOptions,
}

impl Models {
    /// Creates an opener with options.
    pub const fn new(options: ModelOptions) -> Self {
        Self { options }
    }

    /// Returns the options.
    pub const fn options(&self) -> &ModelOptions {
        &self.options
    }

    /// Returns the model with this name. It repeats failed requests, keeps the rate limits of its
    /// server, tries each of its keys, and masks known secrets in its errors.
    ///
    /// # Errors
    ///
    /// Returns an error that says what is wrong with the name, the key or a variable, and what to
    /// do. Sends no request.
    pub fn open(&self, name: &str) -> Result<Arc<dyn Provider>, Error> {
        Ok(self.masked(self.plain(name, None)?))
    }

    /// Returns the model with this name, restricted to a grammar by its server.
    ///
    /// # Errors
    ///
    /// Returns an error as [`open`](Self::open) does, and one of [`ErrorKind::Grammar`] for a model
    /// that takes no grammar.
    pub fn open_with_grammar(
        &self,
        name: &str,
        grammar: OutputGrammar,
    ) -> Result<Arc<dyn Provider>, Error> {
        if !name.starts_with("compatible:") {
            let why =
                format!("`{name}` does not support a grammar; only compatible:URL#MODEL does");
            return Err(Error::new(ErrorKind::Grammar, why));
        }
        Ok(self.masked(self.plain(name, Some(grammar))?))
    }

    /// Returns whether the person has chosen the server of this URL or has a key for it, so that
    /// others, such as a manifest, may name it.
    ///
    /// # Errors
    ///
    /// Returns an error if the keys of compatible servers cannot be read.
    pub fn may_go_to(&self, url: &str) -> Result<bool, Error> {
        Ok(same_server(url, &self.options.chosen)
            || !ServerKeys::read(&self.options)?.for_url(url).is_empty())
    }

    /// Returns the keys and secret headers of all vendors, to mask them in a recording. A command that
    /// was not needed is not run for that.
    ///
    /// # Errors
    ///
    /// Returns an error if a file of keys cannot be read.
    pub fn secrets(&self) -> Result<Secrets, Error> {
        keys::secrets(&self.options)
    }

    /// Returns the words of all commands that print keys. A model should not be able to change the
    /// files that they name.
    pub fn key_commands(&self) -> Vec<Vec<String>> {
        let places = KEY_VARIABLES
            .into_iter()
            .filter_map(|variable| KeyPlace::find(variable, &self.options).ok()?);
        let words = places.filter_map(|place| match place {
            KeyPlace::Command { command, .. } => Some(command.words().to_vec()),
            KeyPlace::Variable { .. } | KeyPlace::File { .. } => None,
        });
        words.collect()
    }

    fn masked(&self, model: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(MaskedErrors::new(model, self.options.secrets.clone()))
    }

    fn plain(
        &self,
        name: &str,
        grammar: Option<OutputGrammar>,
    ) -> Result<Arc<dyn Provider>, Error> {
        let options = &self.options;
        if is_rehearsal(name) {
            return Ok(Arc::new(Rehearsal::new(options.format, Some(options.rate), SEED)));
        }
        match name.split_once(':').unwrap_or((name, "")) {
            ("script", file) if !file.is_empty() => {
                Ok(Arc::new(ScriptedModel::parse(&read_text(Path::new(file))?, SEED)))
            }
            ("replay", file) if !file.is_empty() => {
                let text = read_text(Path::new(file))?;
                let replay = Replay::parse(&text, keys::secrets(options)?).map_err(|error| {
                    Error::new(ErrorKind::File, format!("{file}: {}", error_chain(&error)))
                })?;
                Ok(Arc::new(replay))
            }
            ("anthropic", model) if !model.is_empty() => {
                let (name, version) = (model.to_owned(), version(&options.environment)?);
                let listed = options.limits.listed().clone();
                let new = move |key| {
                    let model = Messages::new(&*name, key)?.with_version(version);
                    Ok(model.with_listed_limits(listed.clone()))
                };
                by_keys("ANTHROPIC", model, options, new)
            }
            ("azure", deployment) if !deployment.is_empty() => azure(deployment, options),
            ("gemini", model) if !model.is_empty() => {
                let name = model.to_owned();
                by_keys("GEMINI", model, options, move |key| Gemini::new(&*name, key))
            }
            ("gemini-interactions", model) if !model.is_empty() => {
                let name = model.to_owned();
                by_keys("GEMINI", model, options, move |key| Interactions::new(&*name, key))
            }
            ("gemini-live", model) if !model.is_empty() => {
                let name = model.to_owned();
                by_keys("GEMINI", model, options, move |key| Live::new(&*name, key))
            }
            ("openai", model) if !model.is_empty() => {
                let (name, reasoning) = (model.to_owned(), inline_reasoning(options.format));
                let new = move |key| Ok(Chat::new(&*name, key)?.with_inline_reasoning(reasoning));
                by_keys("OPENAI", model, options, new)
            }
            ("openai-realtime", model) if !model.is_empty() => {
                let name = model.to_owned();
                by_keys("OPENAI", model, options, move |key| Realtime::new(&*name, key))
            }
            ("openai-responses", model) if !model.is_empty() => {
                let name = model.to_owned();
                by_keys("OPENAI", model, options, move |key| Responses::new(&*name, key))
            }
            ("compatible", rest) => match rest.split_once('#') {
                Some((url, model)) if !url.is_empty() && !model.is_empty() => {
                    compatible(url, model, options, grammar)
                }
                _ => Err(Error::new(
                    ErrorKind::InvalidName,
                    format!(
                        "`{name}` is not a server and a model; write compatible:URL#MODEL, \
                         such as compatible:http://127.0.0.1:8080/v1#name"
                    ),
                )),
            },
            _ => {
                let meant = closest(name).map(|meant| format!(" (did you mean `{meant}`?)"));
                let why = format!("unknown model `{name}`{}", meant.unwrap_or_default());
                Err(Error::new(ErrorKind::UnknownModel, why))
            }
        }
    }
}

/// Returns a model of a server that speaks Chat Completions.
fn compatible(
    url: &str,
    model: &str,
    options: &ModelOptions,
    grammar: Option<OutputGrammar>,
) -> Result<Arc<dyn Provider>, Error> {
    let way = ServerSettings::read(COMPATIBLE, options.limits.timeouts(model), options)?;
    // Headers and fields are for the chosen server and may contain secrets for it.
    let way = if same_server(url, &options.chosen) { way } else { way.bare() };
    let reasoning = inline_reasoning(options.format);
    let (to, id, chosen) = (url.to_owned(), model.to_owned(), options.chosen.clone());
    let chat = move |key| {
        let chat = Chat::compatible(&to, &*id, key)?.with_inline_reasoning(reasoning);
        way.to(grammar.iter().cloned().fold(chat, Chat::with_grammar), None)
    };
    let place = match ServerKeys::read(options)?.for_url(url).is_empty() {
        true => None,
        false => KeyPlace::find(COMPATIBLE_KEY, options)?,
    };
    let Some(place) = place else { return Ok(options.limits.over(chat(None)?, url)) };
    let server = url.to_owned();
    let make = move |text: &KeyText| {
        let keys = ServerKeys::of_text(text, &chosen)?.for_url(&server).into_iter();
        keys.map(|key| chat(Some(key))).collect::<Result<Vec<_>, _>>()
    };
    placed(place, Box::new(make), &options.limits, url)
}

/// Returns the place of thoughts in the text of Chat Completions: its beginning, unless the dialect
/// uses the same tags.
const fn inline_reasoning(format: Options) -> InlineReasoning {
    match format.dialect {
        Dialect::Phase => InlineReasoning::None,
        Dialect::Sigil | Dialect::Action => InlineReasoning::Tagged,
    }
}

/// The seed with which scripts and the rehearsal model's text are cut into tokens.
const SEED: u64 = 7;
