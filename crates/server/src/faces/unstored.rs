//! A response that is not to be stored: its conversation is gone once it was read.

use silcrow_front::RunEncoder;
use tokio::runtime::Handle;

use crate::run_encoding::RunEncoding;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::sse::SseSource;

/// Deletes the conversation of a run when this is dropped, once the run is over. One that waits for the
/// client stays.
pub(super) struct UnstoredRun(Option<(Server, RunPlace, ServedRun)>);

impl UnstoredRun {
    /// Takes a run that is to be deleted, or one that is not.
    pub(super) fn new(server: &Server, run: &ServedRun, is_stored: bool) -> Self {
        let place = run.run.place.clone();
        Self((!is_stored).then(|| (server.clone(), place, run.clone())))
    }
}

impl Drop for UnstoredRun {
    fn drop(&mut self) {
        let (Some((server, place, run)), Ok(runtime)) = (self.0.take(), Handle::try_current())
        else {
            return;
        };
        runtime.spawn(async move {
            let mut events = run.events();
            while futures_util::StreamExt::next(&mut events).await.is_some() {}
            let waits = server.open_questions(&place).await.is_ok_and(|open| !open.is_empty());
            if !waits {
                // What cannot be deleted now stays in the list of one-off chats.
                let _ = server.delete(&place).await;
            }
        });
    }
}

/// The stream of a run that may have to be deleted after it.
pub(super) struct UnstoredStream<E> {
    pub(super) encoding: RunEncoding<E>,
    pub(super) _run: UnstoredRun,
}

impl<E: RunEncoder + 'static> SseSource for UnstoredStream<E> {
    const OPENING: &'static str = <RunEncoding<E> as SseSource>::OPENING;

    async fn next(&mut self) -> Option<String> {
        self.encoding.next().await
    }

    fn close(&mut self) -> Option<String> {
        SseSource::close(&mut self.encoding)
    }
}
