//! A response that is not to be stored: its conversation is gone once it was read.

use futures_util::StreamExt as _;
use silcrow_front::RunEncoder;
use tokio::runtime::Handle;

use crate::error::Error;
use crate::run_encoding::RunEncoding;
use crate::served_run::ServedRun;
use crate::sse::SseSource;

/// Deletes the conversation of a run when this is dropped, once its runs are over. One that waits for the
/// client stays until the client has answered.
pub(super) struct UnstoredRun(Option<ServedRun>);

impl UnstoredRun {
    /// Takes a run that is to be deleted: one that begins a conversation which is not to be stored, or
    /// that continues one.
    pub(super) async fn new(
        run: &ServedRun,
        is_stored: bool,
        begins_conversation: bool,
    ) -> Result<Self, Error> {
        let is_unstored = !is_stored && (begins_conversation || is_marked(run).await?);
        Ok(Self(is_unstored.then(|| run.clone())))
    }
}

impl Drop for UnstoredRun {
    fn drop(&mut self) {
        let (Some(run), Ok(runtime)) = (self.0.take(), Handle::try_current()) else { return };
        // Chats that cannot be deleted now stay in the list of one-off chats.
        runtime.spawn(async move { delete(run).await.unwrap_or_default() });
    }
}

/// Deletes the conversation of a run, unless it waits.
async fn delete(mut run: ServedRun) -> Result<(), Error> {
    let (server, place) = (run.server.clone(), run.run.place.clone());
    loop {
        let mut events = run.events();
        while events.next().await.is_some() {}
        // An answer without the form that the client wants is asked for again.
        let latest = server.run(&place).await?.filter(|latest| latest.id() != run.id());
        let Some(latest) = latest else { break };
        run = latest;
    }
    let is_marked = is_marked(&run).await?;
    if server.open_questions(&place).await?.is_empty() {
        server.delete(&place).await?;
        return if is_marked { mark(&run, b"").await } else { Ok(()) };
    }
    if is_marked { Ok(()) } else { mark(&run, b"unstored").await }
}

/// Returns whether a conversation waited that is not to be stored.
async fn is_marked(run: &ServedRun) -> Result<bool, Error> {
    let marked = run.server.store.get(SPACE, run.conversation()).await?;
    Ok(marked.is_some_and(|marked| !marked.value.is_empty()))
}

async fn mark(run: &ServedRun, value: &[u8]) -> Result<(), Error> {
    let (store, conversation) = (&run.server.store, run.conversation());
    let version = store.get(SPACE, conversation).await?.map_or(0, |kept| kept.version);
    store.put(SPACE, conversation, version, value.to_vec()).await?;
    Ok(())
}

/// The space with a mark for each conversation that waits and is not to be stored.
const SPACE: &str = "unstored";

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
