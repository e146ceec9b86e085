//! Clients that leave before the end of a run. The run continues, unless their request says otherwise.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use serde::Deserialize;
use silcrow_exec::CancellationToken;

use crate::bodies::wrong_query;
use crate::error::Error;

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
#[derive(Debug, Default)]
pub(crate) struct DisconnectGuard(Option<CancellationToken>);

impl DisconnectGuard {
    /// Guards the run that this token cancels.
    pub(crate) fn new(on_disconnect: OnDisconnect, run: &CancellationToken) -> Self {
        Self((on_disconnect == OnDisconnect::Stop).then(|| run.clone()))
    }

    /// Takes that nothing is left to be read.
    pub(crate) fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for DisconnectGuard {
    fn drop(&mut self) {
        if let Some(run) = &self.0 {
            run.cancel();
        }
    }
}
