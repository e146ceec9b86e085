//! The options with which all models of a program are opened.

use std::num::NonZeroU32;

use silcrow_parser::{Dialect, Options};
use silcrow_sanitize::Secrets;

use crate::error::Error;
use crate::limits::RequestLimits;
use crate::proxy::ProxyOptions;
use silcrow_environment::{
    COMPATIBLE_KEY, Environment, KEY_VARIABLES, key_secrets, printed_secrets,
};

/// The options for opening models: the places of keys, how models are reached, and which one the
/// person chose.
///
/// ```
/// use silcrow_models::{Environment, ModelOptions};
///
/// let environment = Environment::from_vars([("SILCROW_TIMEOUT_FIRST", "2.5")]);
/// let options = ModelOptions::read(environment)?.with_chosen("openai:gpt-5.1");
/// assert_eq!(options.limits.timeouts("gpt-5.1").first.as_secs_f64(), 2.5);
/// # Ok::<_, silcrow_models::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelOptions {
    /// The variables that name keys, addresses, headers and proxies.
    pub environment: Environment,
    /// The wire form of models. Its dialect decides whether thoughts are searched in text.
    pub format: Options,
    /// The number of tokens that the rehearsal model writes each second.
    pub rate: NonZeroU32,
    /// The timeouts of requests, and the limiters that all models share.
    pub limits: RequestLimits,
    /// The proxies on the way to models.
    pub proxy: ProxyOptions,
    /// The model that the person chose, which may be at another server than the models of a file.
    /// Headers, fields and a key without a host are for its server alone.
    pub chosen: String,
    /// A command that prints keys, if the environment has none.
    pub key_command: Option<KeyCommand>,
    /// The secrets that no error of a model shows.
    pub secrets: Secrets,
}

impl ModelOptions {
    /// Creates options that take keys, addresses, limits and secrets from an environment.
    ///
    /// # Errors
    ///
    /// Returns an error of [`Setting`](crate::ErrorKind::Setting) if a variable of a limit cannot be
    /// read.
    pub fn read(environment: Environment) -> Result<Self, Error> {
        let limits = RequestLimits::read(&environment)?;
        Ok(Self::new(environment).with_limits(limits))
    }

    /// Creates options that take keys, addresses and secrets from an environment, with the usual
    /// limits.
    pub fn new(environment: Environment) -> Self {
        let secrets = Secrets::named(key_secrets(&environment)).following(printed_secrets());
        Self {
            environment,
            format: Options::new(Dialect::Sigil),
            rate: RATE,
            limits: RequestLimits::default(),
            proxy: ProxyOptions::default(),
            chosen: String::new(),
            key_command: None,
            secrets,
        }
    }

    /// Sets the model that the person chose.
    #[must_use]
    pub fn with_chosen(self, name: impl Into<String>) -> Self {
        Self { chosen: name.into(), ..self }
    }

    /// Sets how models write.
    #[must_use]
    pub fn with_format(self, format: Options) -> Self {
        Self { format, ..self }
    }

    /// Sets the number of tokens that the rehearsal model writes each second, 200 by default.
    #[must_use]
    pub fn with_rate(self, rate: NonZeroU32) -> Self {
        Self { rate, ..self }
    }

    /// Sets the limits, so that several sets of options share their limiters.
    #[must_use]
    pub fn with_limits(self, limits: RequestLimits) -> Self {
        Self { limits, ..self }
    }

    /// Sets the proxies.
    #[must_use]
    pub fn with_proxy(self, proxy: ProxyOptions) -> Self {
        Self { proxy, ..self }
    }

    /// Sets a command that prints keys, which counts after variables and files.
    #[must_use]
    pub fn with_key_command(self, command: Option<KeyCommand>) -> Self {
        Self { key_command: command, ..self }
    }

    /// Sets the secrets to remove from errors, instead of the environment's.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }
}

/// A command of the person's settings that prints keys, and the variable whose place it takes.
///
/// ```
/// use silcrow_models::KeyCommand;
///
/// let words = vec!["pass".to_owned(), "show".to_owned(), "openai".to_owned()];
/// let command = KeyCommand::for_model("openai:gpt-5.1", words).unwrap();
/// assert_eq!(command.variable, "OPENAI_API_KEY");
/// assert!(KeyCommand::for_model("rehearsal", vec!["pass".to_owned()]).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyCommand {
    /// The variable that would have the keys.
    pub variable: &'static str,
    /// The program and its arguments, where `$NAME` and `~` are replaced.
    pub words: Vec<String>,
}

impl KeyCommand {
    /// Creates a command for the key of a model. It is not run for other vendors, which must not
    /// see the key. Returns `None` for a model without keys, and for an empty command.
    pub fn for_model(model: &str, words: Vec<String>) -> Option<Self> {
        let wanted = match model.split_once(':').map_or(model, |(kind, _)| kind) {
            "anthropic" => "ANTHROPIC_API_KEY",
            "azure" => "AZURE_OPENAI_API_KEY",
            "compatible" => COMPATIBLE_KEY,
            kind if kind.starts_with("gemini") => "GEMINI_API_KEY",
            kind if kind.starts_with("openai") => "OPENAI_API_KEY",
            _ => "",
        };
        let variable = KEY_VARIABLES.into_iter().find(|variable| *variable == wanted)?;
        (!words.is_empty()).then_some(Self { variable, words })
    }
}

/// The usual number of tokens that the rehearsal model writes each second.
const RATE: NonZeroU32 = NonZeroU32::new(200).unwrap();
