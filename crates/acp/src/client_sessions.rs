//! The sessions that a client has opened, and their runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use silcrow_agent::RunHandle;
use silcrow_exec::CancellationToken;

use crate::host::AcpSession;
use crate::message::RpcError;

/// The open sessions of a client. Clones are the same sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientSessions(Arc<Mutex<HashMap<String, ClientSession>>>);

#[derive(Debug)]
struct ClientSession {
    session: AcpSession,
    run: Option<SessionRun>,
}

/// A run that answers a prompt.
#[derive(Debug)]
pub(crate) struct SessionRun {
    /// The id of the request that it answers, if it answers one.
    request: Option<Value>,
    cancellation: CancellationToken,
    /// There is none before the run has begun.
    handle: Option<RunHandle>,
}

impl SessionRun {
    pub(crate) fn new(request: Option<Value>, cancellation: CancellationToken) -> Self {
        Self { request, cancellation, handle: None }
    }
}

impl ClientSessions {
    /// Opens a session. One that is open already keeps its run.
    pub(crate) fn open(&self, session: AcpSession) {
        let mut sessions = self.lock();
        let run = sessions.remove(&session.id).and_then(|open| open.run);
        sessions.insert(session.id.clone(), ClientSession { session, run });
    }

    /// Closes a session, and stops its run.
    pub(crate) fn close(&self, id: &str) {
        let run = self.lock().remove(id).and_then(|open| open.run);
        if let Some(run) = run {
            run.cancellation.cancel();
        }
    }

    /// Changes a session, and returns it as it is then.
    pub(crate) fn change(
        &self,
        id: &str,
        change: impl FnOnce(&mut AcpSession),
    ) -> Result<AcpSession, RpcError> {
        let mut sessions = self.lock();
        let open = sessions.get_mut(id).ok_or_else(|| RpcError::unknown_session(id))?;
        change(&mut open.session);
        Ok(open.session.clone())
    }

    /// Takes note of a run, and returns its session; `Some(None)` if another run is at work, and
    /// `None` for a session that is not open.
    pub(crate) fn begin(&self, id: &str, run: SessionRun) -> Option<Option<AcpSession>> {
        let mut sessions = self.lock();
        let open = sessions.get_mut(id)?;
        if open.run.is_some() {
            return Some(None);
        }
        open.run = Some(run);
        Some(Some(open.session.clone()))
    }

    /// Takes note that a run has begun.
    pub(crate) fn begun(&self, id: &str, handle: RunHandle) {
        if let Some(run) = self.lock().get_mut(id).and_then(|open| open.run.as_mut()) {
            run.handle = Some(handle);
        }
    }

    /// Takes note that the run of a session is over.
    pub(crate) fn end(&self, id: &str) {
        if let Some(open) = self.lock().get_mut(id) {
            open.run = None;
        }
    }

    /// Returns the handle of the run of a session, if one has begun.
    pub(crate) fn handle(&self, id: &str) -> Result<Option<RunHandle>, RpcError> {
        let sessions = self.lock();
        let open = sessions.get(id).ok_or_else(|| RpcError::unknown_session(id))?;
        Ok(open.run.as_ref().and_then(|run| run.handle.clone()))
    }

    /// Stops the run of a session.
    pub(crate) fn cancel(&self, id: Option<&str>) {
        let sessions = self.lock();
        let run = id.and_then(|id| sessions.get(id)).and_then(|open| open.run.as_ref());
        if let Some(run) = run {
            run.cancellation.cancel();
        }
    }

    /// Stops the run that answers a request.
    pub(crate) fn cancel_request(&self, request: &Value) {
        let sessions = self.lock();
        let runs = sessions.values().filter_map(|open| open.run.as_ref());
        for run in runs.filter(|run| run.request.as_ref() == Some(request)) {
            run.cancellation.cancel();
        }
    }

    /// Stops all runs.
    pub(crate) fn cancel_all(&self) {
        for run in self.lock().values().filter_map(|open| open.run.as_ref()) {
            run.cancellation.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, ClientSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
