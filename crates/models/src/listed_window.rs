//! The limits of a model in its server's list, which is requested beside the first answer.
//!
//! The caller decides where limits are remembered, and for how long.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::StreamExt as _;
use silcrow_context::ModelLimits;
use silcrow_provider::{DeltaStream, OpeningSession, Provider, Request};
use silcrow_vendors::{ListedLimits, ListedModel};

use crate::error::Error;
use crate::listing::ModelListing;
use crate::options::ModelOptions;
use crate::server_key::server_key;

/// Remembers the limits in servers' lists, so that each server is asked only once in a while.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
///
/// use silcrow_context::ModelLimits;
/// use silcrow_models::WindowMemory;
///
/// /// Remembers limits until the process ends.
/// #[derive(Default)]
/// struct UntilExit(Mutex<HashMap<String, ModelLimits>>);
///
/// impl WindowMemory for UntilExit {
///     fn read(&self, key: &str) -> Option<ModelLimits> {
///         self.0.lock().unwrap().get(key).copied()
///     }
///
///     fn write(&self, key: &str, limits: ModelLimits) {
///         self.0.lock().unwrap().insert(key.to_owned(), limits);
///     }
/// }
///
/// let memory = UntilExit::default();
/// assert!(memory.read("openai:gpt-5.1").is_none());
/// memory.write("openai:gpt-5.1", ModelLimits::default());
/// assert!(memory.read("openai:gpt-5.1").is_some());
/// ```
pub trait WindowMemory: Send + Sync {
    /// Returns the remembered limits of a model: `None` if nothing is remembered, and unset limits
    /// if its server's list does not have them. The key names the model and its server, whose
    /// address may contain a password.
    fn read(&self, key: &str) -> Option<ModelLimits>;

    /// Remembers the limits of a model. If that fails, the limits are requested again.
    fn write(&self, key: &str, limits: ModelLimits);
}

/// A model's window and maximum answer, as listed by its server.
///
/// The list is requested in parallel with the first answer, so it causes no delay. A failure
/// changes nothing.
///
/// ```
/// use silcrow_models::{Environment, ListedWindow, ModelOptions, Models};
///
/// let models = Models::new(ModelOptions::new(Environment::from_vars([("SILCROW_ASK_WINDOW", "0")])));
/// let window = ListedWindow::find("rehearsal", models.options(), None)?;
/// let limits = window.limits();
/// let model = window.asked_beside(models.open("rehearsal")?);
/// assert_eq!(model.name(), "rehearsal");
/// assert!(limits.get().is_none());
/// # Ok::<_, silcrow_models::Error>(())
/// ```
#[derive(Default)]
pub struct ListedWindow {
    limits: Arc<OnceLock<ModelLimits>>,
    question: Option<WindowQuestion>,
}

impl ListedWindow {
    /// Looks for the window among those that are remembered. Without it, request the server's list.
    ///
    /// # Errors
    ///
    /// Returns an error if the server's key or another setting of it cannot be used.
    pub fn find(
        model: &str,
        options: &ModelOptions,
        memory: Option<Arc<dyn WindowMemory>>,
    ) -> Result<Self, Error> {
        let limits = Arc::new(OnceLock::new());
        let key = server_key(model, &options.environment);
        let memory = key.and_then(|key| Some((memory?, key)));
        let learner = LimitLearner {
            model: model.to_owned(),
            limits: Arc::clone(&limits),
            listed: options.limits.listed().clone(),
        };
        if let Some(found) = memory.as_ref().and_then(|(memory, key)| memory.read(key)) {
            learner.learn(found);
            return Ok(Self { limits, question: None });
        }
        let question = ModelListing::for_model(model, options)?.map(|listing| WindowQuestion {
            listing,
            memory,
            learner,
        });
        Ok(Self { limits, question })
    }

    /// Returns the limits once the window is known.
    pub fn limits(&self) -> Arc<OnceLock<ModelLimits>> {
        Arc::clone(&self.limits)
    }

    /// Wraps the model so that the list is requested in parallel with its first answer.
    pub fn asked_beside(self, model: Arc<dyn Provider>) -> Arc<dyn Provider> {
        match self.question {
            Some(question) => {
                Arc::new(AskingForWindow { model, question: Arc::new(Mutex::new(Some(question))) })
            }
            None => model,
        }
    }
}

impl fmt::Debug for ListedWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = self.limits.get();
        f.debug_struct("ListedWindow").field("limits", &limits).finish_non_exhaustive()
    }
}

/// Stores the limits from a list.
struct LimitLearner {
    model: String,
    limits: Arc<OnceLock<ModelLimits>>,
    listed: ListedLimits,
}

impl LimitLearner {
    fn learn(&self, found: ModelLimits) {
        let mut listed = ListedModel::new(&*self.model);
        (listed.window, listed.output) = (found.context, found.output);
        self.listed.learn(&*self.model, listed);
        if found != ModelLimits::default() {
            // The first ones that are known count.
            let _ = self.limits.set(found);
        }
    }
}

/// A window to ask for.
struct WindowQuestion {
    listing: ModelListing,
    memory: Option<(Arc<dyn WindowMemory>, String)>,
    learner: LimitLearner,
}

impl WindowQuestion {
    /// Requests the window, and also remembers if the list lacks it. A failure changes nothing, and
    /// another run asks again.
    async fn ask(self) {
        let Ok(listed) = self.listing.ask().await else { return };
        let mut found = ModelLimits::default();
        if let Some(listed) = listed {
            (found.context, found.output) = (listed.window, listed.output);
        }
        self.learner.learn(found);
        if let Some((memory, key)) = self.memory {
            memory.write(&key, found);
        }
    }
}

/// A model beside whose first answer a window is asked for.
///
/// The request waits for the first piece of the answer, so that it delays none.
struct AskingForWindow {
    model: Arc<dyn Provider>,
    question: Arc<Mutex<Option<WindowQuestion>>>,
}

impl Provider for AskingForWindow {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let question = Arc::clone(&self.question);
        let ask = move || {
            let question = question.lock().unwrap_or_else(PoisonError::into_inner).take();
            question.map(|question| tokio::spawn(question.ask()))
        };
        let deltas = self.model.stream(request);
        deltas.inspect(move |delta| drop(delta.is_ok().then(&ask))).boxed()
    }

    fn connect(&self, request: Request) -> Option<OpeningSession> {
        self.model.connect(request)
    }
}
