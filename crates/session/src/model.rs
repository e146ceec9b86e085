//! Opens the models named by arguments, environment and settings.
//!
//! `silcrow_models` opens a model. This module adds the variable that names one, recordings, and
//! the parts of messages about options.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use silcrow_agent::{CallForms, ConnectionMode};
use silcrow_models::{
    Environment, KeyCommand, ModelOptions, Models, NamedProxy, ProxyOptions, REHEARSAL,
    RequestLimits,
};
use silcrow_parser::Options;
use silcrow_provider::Provider;
use silcrow_provider::record::Record;
use silcrow_sanitize::sanitize_line;
use silcrow_settings::owned::{self, AppendFile};
use silcrow_settings::{ProxySettings, command_files, known_secrets};
use silcrow_vendors::OutputGrammar;

use crate::environment::set;
use crate::error::Error;
use crate::host::SessionHost;

/// Returns the name of the model: the typed one, the value of SILCROW_MODEL, or the name of the
/// rehearsal model.
///
/// ```
/// use silcrow_session::model;
///
/// assert_eq!(model::name(Some("anthropic:claude-sonnet-4-5")), "anthropic:claude-sonnet-4-5");
/// ```
pub fn name(typed: Option<&str>) -> String {
    typed.map(str::to_owned).or_else(|| set("SILCROW_MODEL")).unwrap_or_else(|| REHEARSAL.into())
}

/// The settings for requests to all models.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers know all of them")]
pub struct ModelSettings {
    /// The wire form that the rehearsal model writes.
    pub options: Options,
    /// The number of tokens that the rehearsal model writes each second.
    pub rate: NonZeroU32,
    /// The timeouts and rate limits of requests.
    pub limits: RequestLimits,
    /// The proxies on the way to models.
    pub proxy: ProxySettings,
    /// The model that the person chose, as opposed to the models of a manifest.
    pub chosen: String,
}

impl ModelSettings {
    /// Returns the opener of models with these settings.
    pub(crate) fn models(&self) -> Models {
        let options = options(&self.chosen, &self.proxy).with_limits(self.limits.clone());
        Models::new(options.with_format(self.options).with_rate(self.rate))
    }
}

/// Returns the timeouts and rate limits of the environment.
pub fn limits() -> Result<RequestLimits, Error> {
    Ok(RequestLimits::read(&Environment::process())?)
}

/// Returns the options for models, one of which the person chose.
pub fn options(chosen: &str, proxy: &ProxySettings) -> ModelOptions {
    let named = |url: Option<&str>, source| Some(NamedProxy::new(url?, source));
    let proxy = ProxyOptions::new()
        .with_first(named(proxy.given.as_deref(), "--proxy"))
        .with_last(named(proxy.written.as_ref().map(|found| &*found.value), "proxy"))
        .with_plain_http(proxy.is_for_plain_http);
    let command = KEY_COMMAND.read().unwrap_or_else(PoisonError::into_inner).clone();
    let options = ModelOptions::new(Environment::process()).with_chosen(chosen);
    options.with_proxy(proxy).with_key_command(command).with_secrets(known_secrets())
}

/// Returns whether the person has chosen the server of this URL or has a key for it. Then others,
/// such as a manifest, may name it, too.
pub(crate) fn may_go_to(url: &str, chosen: &str) -> Result<bool, Error> {
    let models = Models::new(options(chosen, &ProxySettings::default()));
    Ok(models.may_go_to(url)?)
}

/// Returns the model with this name, restricted to `grammar` unless that is `None`. It repeats failed
/// requests, and is recorded if SILCROW_RECORD names a file.
pub fn choose(
    name: &str,
    settings: &ModelSettings,
    grammar: Option<OutputGrammar>,
    host: &dyn SessionHost,
) -> Result<Arc<dyn Provider>, Error> {
    let models = settings.models();
    let model = match grammar {
        Some(grammar) => models.open_with_grammar(name, grammar),
        None => models.open(name),
    };
    let model = model?;
    let Some(file) = set(RECORD) else { return Ok(model) };
    // Only the person may read the recording of a conversation.
    let AppendFile { file: opened, was_open } = owned::append(Path::new(&file))
        .map_err(|error| Error::given(format!("cannot record to {file} ({RECORD}): {error}")))?;
    if was_open {
        let file = sanitize_line(&file);
        host.notice(&format!("others could read {file} ({RECORD}); now only you can"));
    }
    let secrets = models.secrets()?;
    Ok(Arc::new(Record::new(model, opened, secrets)))
}

/// Uses a command of the person's settings for the key of the chosen model's vendor. Other vendors
/// never see that key. Without words there is no command.
pub fn set_key_command(model: &str, words: Vec<String>) {
    let command = KeyCommand::for_model(model, words);
    *KEY_COMMAND.write().unwrap_or_else(PoisonError::into_inner) = command;
}

/// Returns the files in a root that commands for keys name. A model must not write them unasked.
pub(crate) fn key_command_files(root: &Path) -> Vec<PathBuf> {
    let commands = Models::new(options("", &ProxySettings::default())).key_commands();
    commands.iter().flat_map(|words| command_files(words, root)).collect()
}

/// The command of the settings of this process.
static KEY_COMMAND: RwLock<Option<KeyCommand>> = RwLock::new(None);

/// Returns a failure for a mode that needs a connection if the model has none.
pub(crate) fn check_mode(name: &str, mode: ConnectionMode) -> Result<(), Error> {
    let (kind, model) = name.split_once(':').unwrap_or((name, ""));
    let instead = match kind {
        _ if mode != ConnectionMode::Resume => return Ok(()),
        "openai" | "azure" => Some("openai-responses"),
        "gemini" => Some("gemini-interactions"),
        "anthropic" | "compatible" | REHEARSAL => None,
        _ => return Ok(()),
    };
    let instead = match instead {
        Some("openai-responses") if kind == "azure" => {
            "openai-responses:MODEL keeps one, or use --mode auto".to_owned()
        }
        Some(other) => format!("use --model {other}:{model}, or --mode auto"),
        None => "use --mode auto".to_owned(),
    };
    let name = if kind == "compatible" { silcrow_models::label(name) } else { name };
    Err(Error::given(format!("--mode resume: `{name}` keeps no connection; {instead}")))
}

/// Returns a failure for calls in the vendor's native form (P-45) if the model has none, or if a
/// grammar restricts its output: the model would be asked without tools.
pub(crate) fn check_calls(name: &str, calls: CallForms, has_grammar: bool) -> Result<(), Error> {
    if !calls.is_native() {
        return Ok(());
    }
    if has_grammar {
        let way =
            "leave out --grammar, which restricts the model to its dialect, or --calls native";
        return Err(Error::given(format!("--calls native: {way}")));
    }
    let (kind, model) = name.split_once(':').unwrap_or((name, ""));
    let instead = match kind {
        "gemini-live" => format!("use --model gemini-interactions:{model}"),
        "openai-realtime" => format!("use --model openai-responses:{model}"),
        REHEARSAL | "script" => "it writes a dialect only; leave out --calls native".to_owned(),
        _ => return Ok(()),
    };
    Err(Error::given(format!("--calls native: `{name}` cannot be asked for them here; {instead}")))
}

/// Returns whether a run with this model is recorded or played from a recording. The requests of such
/// a run must be the same on another day and on another machine.
pub(crate) fn is_recorded(name: &str) -> bool {
    set(RECORD).is_some() || name.starts_with("replay:")
}

/// The variable that names the file of a recording.
const RECORD: &str = "SILCROW_RECORD";
