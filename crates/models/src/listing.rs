//! The list of models in which a model's limits may be.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_provider as provider;
use silcrow_vendors::{Chat, Gemini, ListedModel, Messages, Timeouts};

use crate::by_key::{access, version};
use crate::error::Error;
use crate::keys::ServerKeys;
use crate::options::ModelOptions;
use crate::server_settings::{COMPATIBLE, ServerSettings};
use silcrow_environment::Environment;

/// The list of the server of a model, which is requested once.
pub(crate) struct ModelListing {
    /// The name of the model at the server.
    model: String,
    asked: ListQuestion,
}

impl ModelListing {
    /// Returns the list of this model's server, or `None` if its kind has no list with windows, or
    /// if the person does not want the request.
    pub(crate) fn for_model(name: &str, options: &ModelOptions) -> Result<Option<Self>, Error> {
        let environment = &options.environment;
        if !may_ask(environment)? {
            return Ok(None);
        }
        let Some((kind, model)) = name.split_once(':') else { return Ok(None) };
        let (model, asked) = match kind {
            "compatible" => {
                let Some((url, model)) = model.split_once('#') else { return Ok(None) };
                let key = ServerKeys::read(&options.clone().with_chosen(name))?
                    .for_url(url)
                    .into_iter()
                    .next();
                let way = ServerSettings::read(COMPATIBLE, TIMEOUTS, options)?;
                let chat = way.to(Chat::compatible(url, "", key)?, None)?;
                (model, async move { chat.listed_models().await }.boxed())
            }
            "anthropic" | "gemini" | "openai" => {
                let prefix = match kind {
                    "anthropic" => "ANTHROPIC",
                    "gemini" => "GEMINI",
                    _ => "OPENAI",
                };
                let found = access(prefix, options)?;
                let Some(key) = found.keys.into_iter().next() else { return Ok(None) };
                let (base, way) =
                    (found.base.as_deref(), ServerSettings::read(prefix, TIMEOUTS, options)?);
                let asked: ListQuestion = match kind {
                    "anthropic" => {
                        let new = Messages::new("", key)?;
                        let messages = way.to(new.with_version(version(environment)?), base)?;
                        async move { messages.listed_models().await }.boxed()
                    }
                    "gemini" => {
                        let gemini = way.to(Gemini::new("", key)?, base)?;
                        async move { gemini.listed_models().await }.boxed()
                    }
                    // OpenAI's own list has no windows.
                    _ if base.is_none() => return Ok(None),
                    _ => {
                        let chat = way.to(Chat::new("", key)?, base)?;
                        async move { chat.listed_models().await }.boxed()
                    }
                };
                (model, asked)
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { model: model.to_owned(), asked }))
    }

    /// Requests the list, and returns the model's limits in it, or `None` if there are none.
    pub(crate) async fn ask(self) -> Result<Option<ListedModel>, provider::Error> {
        let models = self.asked.await?;
        let named = |name: &str| models.iter().find(|model| model.name == name);
        let only = match &models[..] {
            // A server with one model runs it under any name.
            [only] => Some(only),
            _ => None,
        };
        // Ollama adds this to a name without a version.
        let found = named(&self.model).or_else(|| named(&format!("{}:latest", self.model)));
        Ok(found.or(only).cloned())
    }
}

type ListQuestion = BoxFuture<'static, Result<Vec<ListedModel>, provider::Error>>;

fn may_ask(environment: &Environment) -> Result<bool, Error> {
    match environment.get(ASK_WINDOW).as_deref().map(str::trim) {
        None | Some("1") => Ok(true),
        Some("0") => Ok(false),
        Some(other) => Err(Error::setting(format!("{ASK_WINDOW} is `{other}`; use 1 or 0"))),
    }
}

/// Whether the server of a model is asked for an unknown window.
const ASK_WINDOW: &str = "SILCROW_ASK_WINDOW";

/// The timeouts for the request, which runs in the background.
const TIMEOUTS: Timeouts = Timeouts::uniform(Duration::from_secs(5));
