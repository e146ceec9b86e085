//! A session for a single answer, for APIs that have only sessions.

use futures_util::{StreamExt as _, stream};
use silcrow_provider::{DeltaStream, OpeningSession, Session};

/// Returns the first answer of a session that is closed after it.
pub(crate) fn deltas(opening: OpeningSession) -> DeltaStream {
    let answer = |opened| match opened {
        Ok(session) => stream::unfold(session, |mut session: Box<dyn Session>| async {
            match session.receive().await {
                Some(item) => Some((item, session)),
                None => {
                    session.close().await;
                    None
                }
            }
        })
        .boxed(),
        Err(error) => stream::iter([Err(error)]).boxed(),
    };
    stream::once(opening).flat_map(answer).boxed()
}
