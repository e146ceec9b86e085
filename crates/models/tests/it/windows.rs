//! The window of a model that its server lists.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use silcrow_context::ModelLimits;
use silcrow_event::{Message, Role};
use silcrow_models::{Environment, ListedWindow, ModelOptions, Models, WindowMemory};
use silcrow_provider::Request;
use tokio::sync::Notify;

use crate::listing_server::ListingServer;

/// A memory of one window, which says when it has learned it.
#[derive(Default)]
struct OneWindow {
    kept: Mutex<Option<ModelLimits>>,
    learned: Notify,
}

impl WindowMemory for OneWindow {
    fn read(&self, _: &str) -> Option<ModelLimits> {
        *self.kept.lock().unwrap()
    }

    fn write(&self, key: &str, limits: ModelLimits) {
        assert!(key.ends_with("#m"), "{key}");
        *self.kept.lock().unwrap() = Some(limits);
        self.learned.notify_one();
    }
}

#[tokio::test]
async fn window_is_fetched_once_during_an_answer() {
    let server = ListingServer::start(r#"{"data":[{"id":"m","max_model_len":4096}]}"#);
    let (name, memory) = (server.model("m"), Arc::new(OneWindow::default()));
    let kept: Arc<dyn WindowMemory> = Arc::<OneWindow>::clone(&memory);
    let environment = Environment::from_vars::<&str, &str>([]);
    let models = Models::new(ModelOptions::new(environment).with_chosen(&*name));

    let window = ListedWindow::find(&name, models.options(), Some(Arc::clone(&kept))).unwrap();
    let limits = window.limits();
    let model = window.asked_beside(models.open(&name).unwrap());
    assert!(server.heads.lock().unwrap().is_empty());
    let mut deltas = model.stream(Request::new(vec![Message::new(Role::User, "hi")]));
    while deltas.next().await.is_some() {}
    memory.learned.notified().await;
    assert_eq!(limits.get().and_then(|limits| limits.context), Some(4096));
    let asked = server.heads.lock().unwrap().len();
    assert_eq!(asked, 2);

    let window = ListedWindow::find(&name, models.options(), Some(kept)).unwrap();
    assert_eq!(window.limits().get().and_then(|limits| limits.context), Some(4096));
    assert_eq!(server.heads.lock().unwrap().len(), asked);
}
