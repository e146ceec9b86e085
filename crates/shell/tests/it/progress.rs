//! The reports of a running command, and the part of a long output that the tool returns.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, ready};
use serde_json::json;
use silcrow_event::Entry;
use silcrow_tool::{CallHost, Tool as _};

use super::{Place, call, context, text};

/// Collects the pieces of progress, each with its channel.
#[derive(Debug, Default)]
struct Pieces(Mutex<Vec<(String, String)>>);

impl CallHost for Pieces {
    fn progress<'a>(&'a self, channel: &'a str, content: String) -> BoxFuture<'a, ()> {
        self.0.lock().unwrap().push((channel.to_owned(), content));
        ready(()).boxed()
    }

    fn report_event(&self, entry: Entry) -> BoxFuture<'_, ()> {
        panic!("a command runs no agent: {entry:?}")
    }
}

#[tokio::test]
async fn output_is_progress_while_the_command_runs() {
    let (place, pieces) = (Place::new(), Arc::new(Pieces::default()));
    let context = context().with_host(Arc::clone(&pieces) as Arc<dyn CallHost>);
    let output = call(&place.shell, &context, json!({"command": "echo out; echo err >&2"})).await;
    let of = |channel: &str| -> String {
        let pieces = pieces.0.lock().unwrap();
        let own = pieces.iter().filter(|(of, _)| of == channel);
        own.map(|(_, text)| text.as_str()).collect()
    };
    assert_eq!((&*of("stdout"), &*of("stderr")), ("out\n", "err\n"));
    assert_eq!(text(&output.unwrap()).len(), 8);
}

/// The model reads less of it than the tool returns, so that the whole can be kept elsewhere.
#[tokio::test]
async fn a_long_output_is_returned_whole() {
    let place = Place::new();
    let output = place.run("seq 100000").await;
    assert_eq!(output.truncated, None);
    assert_eq!(text(&output).lines().count(), 100_000);
    assert_eq!(place.shell.policy().output_cap, Some(30 * 1024));
}
