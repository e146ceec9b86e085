//! Clients that leave before the end of a run. The run continues, unless their request says otherwise.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use serde::Deserialize;
use silcrow_agent::RunOrder;
use silcrow_tool::CancellationToken;
use tokio::runtime::Handle;

use crate::bodies::wrong_query;
use crate::error::Error;
use crate::server::Server;
use crate::source::RunPlace;

/// What is to happen to a run if its client leaves, as the query `disconnect` says it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnDisconnect {
    /// The run continues.
    #[default]
    Continue,
    /// The run is stopped.
    Stop,
}

/// A query that says nothing else.
#[derive(Deserialize)]
pub(crate) struct DisconnectChoice {
    #[serde(default)]
    disconnect: OnDisconnect,
}

pub(crate) type DisconnectQuery = Result<Query<DisconnectChoice>, QueryRejection>;

pub(crate) fn on_disconnect(query: DisconnectQuery) -> Result<OnDisconnect, Error> {
    let Query(choice) = query.map_err(|error| wrong_query(&error))?;
    Ok(choice.disconnect)
}

/// Stops a run unless its client stays to the end.
#[derive(Default)]
pub(crate) struct DisconnectGuard(Option<GuardedRun>);

enum GuardedRun {
    Here(CancellationToken),
    /// Wherever it is by then.
    Elsewhere(Box<(Server, RunPlace)>),
}

impl DisconnectGuard {
    /// Guards the run that this token cancels.
    pub(crate) fn new(on_disconnect: OnDisconnect, run: &CancellationToken) -> Self {
        Self((on_disconnect == OnDisconnect::Stop).then(|| GuardedRun::Here(run.clone())))
    }

    /// Guards a run whose server is gone, and that another one may continue.
    pub(crate) fn elsewhere(
        on_disconnect: OnDisconnect,
        server: &Server,
        place: &RunPlace,
    ) -> Self {
        let guarded = || GuardedRun::Elsewhere(Box::new((server.clone(), place.clone())));
        Self((on_disconnect == OnDisconnect::Stop).then(guarded))
    }

    /// Takes that nothing is left to be read.
    pub(crate) fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for DisconnectGuard {
    fn drop(&mut self) {
        match self.0.take() {
            Some(GuardedRun::Here(run)) => run.cancel(),
            Some(GuardedRun::Elsewhere(guarded)) => {
                let (server, place) = *guarded;
                // Without a runtime the whole server has ended.
                let Ok(runtime) = Handle::try_current() else { return };
                runtime.spawn(async move {
                    let (id, user) = (&place.conversation, place.user.as_deref());
                    let _ = RunOrder::Stop.send(&*server.store, id, user).await;
                });
            }
            None => {}
        }
    }
}
