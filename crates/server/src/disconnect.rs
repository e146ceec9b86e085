//! Clients that leave before the end of a run. The run continues, unless their request says otherwise.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use serde::Deserialize;
use silcrow_agent::RunOrder;
use silcrow_tool::CancellationToken;
use tokio::runtime::Handle;

use crate::bodies::wrong_query;
use crate::connection_fate::ConnectionFate;
use crate::error::Error;
use crate::server::Server;
use crate::source::RunPlace;

/// The fate of a run whose client leaves, from the query `disconnect`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnDisconnect {
    /// The run continues.
    #[default]
    Continue,
    /// The run is stopped.
    Stop,
    /// The run is stopped if the client has closed its connection, and continues if the network was
    /// lost.
    Abort,
}

/// The fate of a run if a client leaves, and its connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeavingClient {
    pub(crate) wanted: OnDisconnect,
    pub(crate) fate: ConnectionFate,
}

impl LeavingClient {
    /// Returns whether the run is watched at all.
    fn is_watched(&self) -> bool {
        self.wanted != OnDisconnect::Continue
    }

    /// Returns whether the run is stopped, now that the client has left.
    fn stops(&self) -> bool {
        match self.wanted {
            OnDisconnect::Continue => false,
            OnDisconnect::Stop => true,
            OnDisconnect::Abort => !self.fate.is_lost(),
        }
    }
}

/// A query that says nothing else.
#[derive(Deserialize)]
pub(crate) struct DisconnectChoice {
    #[serde(default)]
    disconnect: OnDisconnect,
}

pub(crate) type DisconnectQuery = Result<Query<DisconnectChoice>, QueryRejection>;

pub(crate) fn on_disconnect(
    query: DisconnectQuery,
    fate: ConnectionFate,
) -> Result<LeavingClient, Error> {
    let Query(choice) = query.map_err(|error| wrong_query(&error))?;
    Ok(LeavingClient { wanted: choice.disconnect, fate })
}

/// Stops a run unless its client stays to the end.
#[derive(Default)]
pub(crate) struct DisconnectGuard(Option<(LeavingClient, GuardedRun)>);

enum GuardedRun {
    Here(CancellationToken),
    /// Wherever it is by then.
    Elsewhere(Box<(Server, RunPlace)>),
}

impl DisconnectGuard {
    /// Guards the run that this token cancels.
    pub(crate) fn new(client: &LeavingClient, run: &CancellationToken) -> Self {
        Self(client.is_watched().then(|| (client.clone(), GuardedRun::Here(run.clone()))))
    }

    /// Guards a run whose server is gone, and that another one may continue.
    pub(crate) fn elsewhere(client: &LeavingClient, server: &Server, place: &RunPlace) -> Self {
        let guarded = || GuardedRun::Elsewhere(Box::new((server.clone(), place.clone())));
        Self(client.is_watched().then(|| (client.clone(), guarded())))
    }

    /// Takes that nothing is left to be read.
    pub(crate) fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for DisconnectGuard {
    fn drop(&mut self) {
        let left = self.0.take().filter(|(client, _)| client.stops());
        match left.map(|(_, run)| run) {
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
