//! The runs of hooks, as the log of their conversation has them, and as a person sees them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Entry, Event, HookRun};
use silcrow_hooks::HookObserver;
use silcrow_settings::known_secrets;
use silcrow_store::Store;

use crate::add_event::add_entry;

/// Stores each run of a hook in its conversation, and passes it on to a display.
#[derive(Clone)]
pub(crate) struct HookLog(Arc<HookLogParts>);

struct HookLogParts {
    store: Arc<dyn Store>,
    /// The runs in conversations that do not exist yet, such as before their first prompt.
    early: Mutex<BTreeMap<String, Vec<Entry>>>,
    show: Mutex<Option<ShowHookRun>>,
}

/// Shows a run of a hook.
type ShowHookRun = Box<dyn Fn(&HookRun) + Send + Sync>;

impl HookLog {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(Arc::new(HookLogParts { store, early: Mutex::default(), show: Mutex::default() }))
    }

    /// Sets the display of each run.
    pub(crate) fn set_show(&self, show: impl Fn(&HookRun) + Send + Sync + 'static) {
        *self.0.show.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(show));
    }

    /// Stores the runs from before a conversation existed, once it does. A run of a hook has had its effect
    /// by then, so that a store that fails changes nothing; the next event of the run says so.
    pub(crate) async fn store_early(&self, conversation: &str) {
        let has_early = self.early().contains_key(conversation);
        if !has_early || !self.0.store.head(conversation).await.is_ok_and(|head| head > 0) {
            return;
        }
        let early = self.early().remove(conversation).unwrap_or_default();
        for entry in early {
            let _ = add_entry(&*self.0.store, conversation, entry).await;
        }
    }

    fn early(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<Entry>>> {
        self.0.early.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HookObserver for HookLog {
    fn ran<'a>(&'a self, conversation: &'a str, mut run: HookRun) -> BoxFuture<'a, ()> {
        async move {
            run.content = known_secrets().mask(&run.content).into_owned();
            run.command = known_secrets().mask(&run.command).into_owned();
            if let Some(show) = &*self.0.show.lock().unwrap_or_else(PoisonError::into_inner) {
                show(&run);
            }
            let timestamp = Some(SystemTime::now().into());
            let entry = Entry { timestamp, ..Event::Hook(run).into() };
            {
                let mut early = self.early();
                // A conversation that never begins keeps nothing.
                if early.len() >= MOST_EARLY && !early.contains_key(conversation) {
                    early.clear();
                }
                early.entry(conversation.to_owned()).or_default().push(entry);
            }
            self.store_early(conversation).await;
        }
        .boxed()
    }
}

impl fmt::Debug for HookLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookLog").finish_non_exhaustive()
    }
}

/// The number of conversations that have not begun and whose runs of hooks wait.
const MOST_EARLY: usize = 64;
