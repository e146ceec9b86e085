//! The sources of models: vendors, a compatible server and ports of this machine, and the models
//! that they list.
//!
//! This module has the questions. It does not show answers.

use std::fmt;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use silcrow_provider::{self as provider, Provider as _};
use silcrow_vendors::{ApiKey, Chat, Gemini, ListedModel, Messages, Timeouts, known_window};

use crate::by_key::{VendorAccess, access, version};
use crate::error::Error;
use crate::keys::ServerKeys;
use crate::name::server;
use crate::options::ModelOptions;
use crate::server_settings::{COMPATIBLE, ServerSettings};
use silcrow_environment::COMPATIBLE_KEY;

/// A source of models, which has not been asked yet: a vendor, a compatible server, or a port of this
/// machine.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_models::{Environment, ModelOptions, ModelSource};
///
/// let options = ModelOptions::new(Environment::from_vars([("OPENAI_BASE_URL", "http://127.0.0.1:1")]));
/// for source in ModelSource::all(&options, &[])? {
///     let answer = source.ask().await;
///     // Without a key a vendor is not asked.
///     assert!(answer.models().is_none(), "{}", answer.name);
/// }
/// # Ok::<_, silcrow_models::Error>(())
/// # }).unwrap();
/// ```
#[non_exhaustive]
pub struct ModelSource {
    /// The name of the vendor, `SILCROW_MODEL` for the chosen server, or the host and the port.
    pub name: String,
    /// The prefixes of its models' names.
    pub prefixes: Vec<String>,
    /// Whether it is a port that may have no server.
    pub is_port: bool,
    /// The variable of its keys, if it needs any.
    pub variable: Option<String>,
    /// A request for each key, or one if no key is needed.
    questions: Vec<SourceQuestion>,
}

/// The answers of a source of models.
///
/// ```
/// use silcrow_models::SourceAnswer;
/// use silcrow_provider::{Error, ErrorKind};
/// use silcrow_vendors::ListedModel;
///
/// let rejected = Err(Error::new(ErrorKind::Auth, "the key is not valid"));
/// let listed = Ok(vec![ListedModel::new("claude-sonnet-4-5")]);
/// let answer = SourceAnswer::new("anthropic", ["anthropic:"], [rejected, listed]);
///
/// // The second of two keys works.
/// let models = answer.models().unwrap();
/// assert_eq!(answer.model_name(&models[0]), "anthropic:claude-sonnet-4-5");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct SourceAnswer {
    /// The name of the source, as in [`ModelSource::name`].
    pub name: String,
    /// The prefixes of its models' names, at least one.
    pub prefixes: Vec<String>,
    /// Whether it is a port that may have no server.
    pub is_port: bool,
    /// The variable of its keys, if it needs any.
    pub variable: Option<String>,
    /// The list or the error for each key, or for the one request without a key. It is empty for a
    /// vendor without keys.
    pub answers: Vec<Result<Vec<ListedModel>, provider::Error>>,
}

impl ModelSource {
    /// Returns all sources: each vendor, the server of the chosen model if that is a compatible one,
    /// and these ports of this machine. Keys go to their own servers, and none to a port.
    ///
    /// # Errors
    ///
    /// Returns an error if a key or a setting of a source cannot be used.
    pub fn all(options: &ModelOptions, ports: &[u16]) -> Result<Vec<Self>, Error> {
        let version = version(&options.environment)?;
        let anthropic =
            vendor(options, "anthropic", "ANTHROPIC", &["anthropic"], |key, base, way| {
                let model = way.to(Messages::new("", key)?.with_version(version), base)?;
                Ok(async move { model.listed_models().await }.boxed())
            })?;
        let prefixes = ["gemini", "gemini-interactions", "gemini-live"];
        let gemini = vendor(options, "gemini", "GEMINI", &prefixes, |key, base, way| {
            let model = way.to(Gemini::new("", key)?, base)?;
            Ok(async move { model.listed_models().await }.boxed())
        })?;
        let prefixes = ["openai", "openai-responses", "openai-realtime"];
        let openai = vendor(options, "openai", "OPENAI", &prefixes, |key, base, way| {
            let model = way.to(Chat::new("", key)?, base)?;
            Ok(async move { model.listed_models().await }.boxed())
        })?;
        let vendors = [anthropic, gemini, openai].into_iter().chain(chosen(options)?).map(Ok);
        vendors.chain(ports.iter().map(|port| local(*port))).collect()
    }

    /// Asks the source with all keys at once.
    pub async fn ask(self) -> SourceAnswer {
        let Self { name, prefixes, is_port, variable, questions } = self;
        SourceAnswer { name, prefixes, is_port, variable, answers: join_all(questions).await }
    }
}

impl fmt::Debug for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSource").field("name", &self.name).finish_non_exhaustive()
    }
}

impl SourceAnswer {
    /// Creates the answer of a source that needs no key and is not a port.
    pub fn new<P: Into<String>>(
        name: impl Into<String>,
        prefixes: impl IntoIterator<Item = P>,
        answers: impl IntoIterator<Item = Result<Vec<ListedModel>, provider::Error>>,
    ) -> Self {
        Self {
            name: name.into(),
            prefixes: prefixes.into_iter().map(Into::into).collect(),
            is_port: false,
            variable: None,
            answers: answers.into_iter().collect(),
        }
    }

    /// Returns the models for the first key that works.
    pub fn models(&self) -> Option<&[ListedModel]> {
        self.answers.iter().find_map(|answer| answer.as_deref().ok())
    }

    /// Returns the window of a model in tokens, as a run uses it: the listed one, or the one of the
    /// table.
    pub fn window(&self, model: &ListedModel) -> Option<u64> {
        model.window.or_else(|| known_window(&self.model_name(model)))
    }

    /// Returns the name that opens a model of the source.
    pub fn model_name(&self, model: &ListedModel) -> String {
        let prefix = self.prefixes.first().map_or("", String::as_str);
        format!("{prefix}{}", model.name)
    }
}

/// Returns the compatible server of the chosen model, if it is at one.
fn chosen(options: &ModelOptions) -> Result<Option<ModelSource>, Error> {
    let Some(url) = server(&options.chosen) else { return Ok(None) };
    let keys = ServerKeys::read(options)?.for_url(url);
    let is_wanted = !keys.is_empty();
    let none = (!is_wanted).then_some(None);
    let keys = none.into_iter().chain(keys.into_iter().map(Some));
    let way = ServerSettings::read(COMPATIBLE, TIMEOUTS, options)?;
    let models = keys.map(|key| way.to(Chat::compatible(url, "", key)?, None));
    let models = models.collect::<Result<Vec<_>, Error>>()?;
    let prefixes = models.first().map(|model| model.name().to_owned()).into_iter().collect();
    let questions =
        models.into_iter().map(|model| async move { model.listed_models().await }.boxed());
    Ok(Some(ModelSource {
        name: "SILCROW_MODEL".to_owned(),
        prefixes,
        is_port: false,
        variable: is_wanted.then(|| COMPATIBLE_KEY.to_owned()),
        questions: questions.collect(),
    }))
}

fn vendor(
    options: &ModelOptions,
    name: &str,
    variables: &'static str,
    prefixes: &[&str],
    question: impl Fn(ApiKey, Option<&str>, &ServerSettings) -> Result<SourceQuestion, Error>,
) -> Result<ModelSource, Error> {
    let VendorAccess { variable, keys, base } = access(variables, options)?;
    let way = ServerSettings::read(variables, TIMEOUTS, options)?;
    let questions = keys.into_iter().map(|key| question(key, base.as_deref(), &way));
    let questions = questions.collect::<Result<_, _>>()?;
    let prefixes = prefixes.iter().map(|prefix| format!("{prefix}:")).collect();
    Ok(ModelSource {
        name: name.to_owned(),
        prefixes,
        is_port: false,
        variable: Some(variable),
        questions,
    })
}

/// Returns a port of this machine. The server there is unknown, so no key is sent to it.
fn local(port: u16) -> Result<ModelSource, Error> {
    let url = format!("http://127.0.0.1:{port}/v1");
    let model = Chat::compatible(&url, "", None)?.with_timeouts(BRIEF);
    Ok(ModelSource {
        name: format!("127.0.0.1:{port}"),
        prefixes: vec![format!("compatible:{url}#")],
        is_port: true,
        variable: None,
        questions: vec![async move { model.listed_models().await }.boxed()],
    })
}

type SourceQuestion = BoxFuture<'static, Result<Vec<ListedModel>, provider::Error>>;

const TIMEOUTS: Timeouts = Timeouts::uniform(Duration::from_secs(5));

/// The timeouts for servers on this machine, which respond at once.
const BRIEF: Timeouts = Timeouts::uniform(Duration::from_secs(2));
