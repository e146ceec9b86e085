//! The window of a model as its server lists it, which is asked beside the first answer and
//! remembered for a day.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use silcrow_context::ModelLimits;
use silcrow_provider::{DeltaStream, OpeningSession, Provider, Request};

use crate::args::ProxyArgs;
use crate::environment::set;
use crate::failure::Failure;
use crate::model::ModelListing;
use crate::owned;
use crate::places::{StorePlace, state_folder};

/// The window of a model that neither the person nor the table names.
#[derive(Default)]
pub(crate) struct ListedWindow {
    limits: Arc<OnceLock<ModelLimits>>,
    question: Option<WindowQuestion>,
}

impl ListedWindow {
    /// Looks for the window among those that are remembered. If it is not there, the server's list is
    /// to be asked. Beside a store in memory nothing is remembered.
    pub(crate) fn find(
        model: &str,
        proxy: &ProxyArgs,
        place: &StorePlace,
    ) -> Result<Self, Failure> {
        let limits = Arc::new(OnceLock::new());
        let file = place.folder().and_then(|_| file(model));
        if let Some(window) = file.as_deref().and_then(remembered) {
            learned(&limits, window);
            return Ok(Self { limits, question: None });
        }
        let question = ModelListing::of(model, proxy)?.map(|listing| WindowQuestion {
            listing,
            file,
            limits: Arc::clone(&limits),
        });
        Ok(Self { limits, question })
    }

    /// Returns the limits that are there once the window is known.
    pub(crate) fn limits(&self) -> Arc<OnceLock<ModelLimits>> {
        Arc::clone(&self.limits)
    }

    /// Returns the model, beside whose first answer the list is asked.
    pub(crate) fn asked_beside(self, model: Arc<dyn Provider>) -> Arc<dyn Provider> {
        match self.question {
            Some(question) => {
                Arc::new(AskingForWindow { model, question: Arc::new(Mutex::new(Some(question))) })
            }
            None => model,
        }
    }
}

/// A window to ask for.
struct WindowQuestion {
    listing: ModelListing,
    file: Option<PathBuf>,
    limits: Arc<OnceLock<ModelLimits>>,
}

impl WindowQuestion {
    /// Asks for the window, and remembers also that the list does not say it. A failure changes
    /// nothing, and another run asks again.
    async fn ask(self) {
        let Ok(window) = self.listing.window().await else { return };
        learned(&self.limits, window);
        if let Some(file) = self.file {
            // A window that cannot be remembered is asked for again.
            let _ = remember(&file, window);
        }
    }
}

/// A model beside whose first answer a window is asked for.
///
/// The question waits for the first piece of the answer, so that it delays none.
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

fn learned(limits: &OnceLock<ModelLimits>, window: Option<u64>) {
    if let Some(window) = window {
        // The first one that is known counts.
        let _ = limits.set(ModelLimits::default().with_context(window));
    }
}

/// Returns the file of a model at its server, whose name says neither of them.
fn file(model: &str) -> Option<PathBuf> {
    let prefix = model.split_once(':')?.0.to_uppercase();
    let base = set(&format!("{prefix}_BASE_URL")).unwrap_or_default();
    let hash = Sha256::digest(format!("{base}\n{model}"));
    let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    Some(state_folder()?.join("silcrow-windows").join(name))
}

/// Returns what a list of the last day said of the window.
fn remembered(file: &Path) -> Option<Option<u64>> {
    let kept: Value = serde_json::from_str(&owned::read(file).ok()?).ok()?;
    let is_valid = now().checked_sub(kept["asked"].as_u64()?)? < DAY;
    is_valid.then(|| kept["window"].as_u64())
}

fn remember(file: &Path, window: Option<u64>) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), owned::make_folder)?;
    owned::write(file, &format!("{}\n", json!({"window": window, "asked": now()})))
}

/// Returns the seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The seconds for which a window is remembered.
const DAY: u64 = 24 * 60 * 60;
