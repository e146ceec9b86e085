//! The list of models in which a model's window may be.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_provider::Error;
use silcrow_vendors::{Chat, Gemini, ListedModel, Messages, Timeouts};

use super::{COMPATIBLE, ServerKeys, ServerSettings, access, version};
use crate::args::ProxyArgs;
use crate::environment::set;
use crate::failure::Failure;

/// The list of the server of a model, which is requested once.
pub(crate) struct ModelListing {
    /// The name by which the server knows the model.
    model: String,
    asked: ListQuestion,
}

impl ModelListing {
    /// Returns the list of the server of this model, or `None` if its kind has no list with windows,
    /// or if the person does not want the request.
    pub(crate) fn of(name: &str, proxy: &ProxyArgs) -> Result<Option<Self>, Failure> {
        if !may_ask()? {
            return Ok(None);
        }
        let unusable = |error: Error| Failure::given(error.to_string());
        let Some((kind, model)) = name.split_once(':') else { return Ok(None) };
        let (model, asked) = match kind {
            "compatible" => {
                let Some((url, model)) = model.split_once('#') else { return Ok(None) };
                let key = ServerKeys::read(name)?.of(url).into_iter().next();
                let way = ServerSettings::read(COMPATIBLE, TIMEOUTS, proxy)?;
                let chat = way.to(Chat::compatible(url, "", key).map_err(unusable)?, None)?;
                (model, async move { chat.listed_models().await }.boxed())
            }
            "anthropic" | "gemini" | "openai" => {
                let prefix = match kind {
                    "anthropic" => "ANTHROPIC",
                    "gemini" => "GEMINI",
                    _ => "OPENAI",
                };
                let found = access(prefix)?;
                let Some(key) = found.keys.into_iter().next() else { return Ok(None) };
                let (base, way) =
                    (found.base.as_deref(), ServerSettings::read(prefix, TIMEOUTS, proxy)?);
                let asked: ListQuestion = match kind {
                    "anthropic" => {
                        let new = Messages::new("", key).map_err(unusable)?;
                        let messages = way.to(new.with_version(version()?), base)?;
                        async move { messages.listed_models().await }.boxed()
                    }
                    "gemini" => {
                        let gemini = way.to(Gemini::new("", key).map_err(unusable)?, base)?;
                        async move { gemini.listed_models().await }.boxed()
                    }
                    // OpenAI's own list has no windows.
                    _ if base.is_none() => return Ok(None),
                    _ => {
                        let chat = way.to(Chat::new("", key).map_err(unusable)?, base)?;
                        async move { chat.listed_models().await }.boxed()
                    }
                };
                (model, asked)
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { model: model.to_owned(), asked }))
    }

    /// Requests the list, and returns the window of the model, or `None` if the list does not say it.
    pub(crate) async fn window(self) -> Result<Option<u64>, Error> {
        let models = self.asked.await?;
        let named = |name: &str| models.iter().find(|model| model.name == name);
        let only = match &models[..] {
            // A server with one model runs it under any name.
            [only] => Some(only),
            _ => None,
        };
        // Ollama adds this to a name without a version.
        let found = named(&self.model).or_else(|| named(&format!("{}:latest", self.model)));
        Ok(found.or(only).and_then(|model| model.window))
    }
}

type ListQuestion = BoxFuture<'static, Result<Vec<ListedModel>, Error>>;

fn may_ask() -> Result<bool, Failure> {
    match set(ASK_WINDOW).as_deref().map(str::trim) {
        None | Some("1") => Ok(true),
        Some("0") => Ok(false),
        Some(other) => Err(Failure::given(format!("{ASK_WINDOW} is `{other}`; use 1 or 0"))),
    }
}

/// Whether the server of a model is asked for an unknown window.
const ASK_WINDOW: &str = "SILCROW_ASK_WINDOW";

/// The timeouts for the request, which nobody waits for.
const TIMEOUTS: Timeouts = Timeouts::uniform(Duration::from_secs(5));
