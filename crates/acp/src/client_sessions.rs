//! The sessions that a client has opened, and their runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use silcrow_agent::RunHandle;
use silcrow_tool::CancellationToken;
use tokio::sync::watch;

use crate::host::AcpSession;
use crate::message::RpcError;
use crate::person::ToldTexts;

/// The open sessions of a client. Clones are the same sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientSessions(Arc<Mutex<OpenSessions>>);

#[derive(Debug, Default)]
struct OpenSessions {
    open: HashMap<String, ClientSession>,
    /// The number of runs so far.
    runs: u64,
}

#[derive(Debug)]
struct ClientSession {
    session: AcpSession,
    told: ToldTexts,
    run: Option<SessionRun>,
}

/// A run that answers a prompt.
#[derive(Debug)]
pub(crate) struct SessionRun {
    /// The number of the run, which no later one of the session has.
    number: u64,
    /// The id of the request that it answers, if it answers one.
    request: Option<Value>,
    cancellation: CancellationToken,
    /// It is `None` before the run has begun.
    handle: Option<RunHandle>,
    /// Loses its sender at the end of the run.
    ended: watch::Receiver<()>,
}

/// A run of a session. Others wait until this value is dropped.
#[derive(Debug)]
pub(crate) struct RunAtWork {
    sessions: ClientSessions,
    session: String,
    number: u64,
    _ended: watch::Sender<()>,
}

impl Drop for RunAtWork {
    fn drop(&mut self) {
        self.end();
    }
}

impl RunAtWork {
    /// Takes note that the run is over, so that the next one can begin.
    pub(crate) fn end(&self) {
        if let Some(open) = self.sessions.lock().open.get_mut(&self.session)
            && open.run.as_ref().is_some_and(|run| run.number == self.number)
        {
            open.run = None;
        }
    }

    /// Takes note that the run has begun.
    pub(crate) fn begun(&self, handle: RunHandle) {
        let mut sessions = self.sessions.lock();
        let run = sessions.open.get_mut(&self.session).and_then(|open| open.run.as_mut());
        if let Some(run) = run.filter(|run| run.number == self.number) {
            run.handle = Some(handle);
        }
    }
}

impl ClientSessions {
    /// Opens a session. One that is open already keeps its run.
    pub(crate) fn open(&self, session: AcpSession) {
        let mut sessions = self.lock();
        let before = sessions.open.remove(&session.id);
        let run = before.and_then(|open| open.run);
        let told = ToldTexts::default();
        sessions.open.insert(session.id.clone(), ClientSession { session, told, run });
    }

    /// Closes a session, and stops its run. The future waits for the end of that.
    pub(crate) fn close(&self, id: &str) -> impl Future<Output = ()> + use<> {
        let run = self.lock().open.remove(id).and_then(|open| open.run);
        if let Some(run) = &run {
            run.cancellation.cancel();
        }
        async {
            if let Some(mut run) = run {
                // Nothing is ever sent.
                let _ = run.ended.changed().await;
            }
        }
    }

    /// Returns a session as it is now.
    pub(crate) fn get(&self, id: &str) -> Result<AcpSession, RpcError> {
        self.change(id, |_| {})
    }

    /// Changes a session, and returns it as it is then.
    pub(crate) fn change(
        &self,
        id: &str,
        change: impl FnOnce(&mut AcpSession),
    ) -> Result<AcpSession, RpcError> {
        let mut sessions = self.lock();
        let open = sessions.open.get_mut(id).ok_or_else(|| RpcError::unknown_session(id))?;
        change(&mut open.session);
        Ok(open.session.clone())
    }

    /// Begins a run, which answers `request` if it is given, and returns its session and the facts
    /// that its person has; `Ok(None)` if another run is at work.
    pub(crate) fn begin(
        &self,
        id: &str,
        request: Option<Value>,
        cancellation: CancellationToken,
    ) -> Result<Option<(AcpSession, ToldTexts, RunAtWork)>, RpcError> {
        let mut sessions = self.lock();
        let number = sessions.runs + 1;
        let open = sessions.open.get_mut(id).ok_or_else(|| RpcError::unknown_session(id))?;
        if open.run.is_some() {
            return Ok(None);
        }
        let (sender, ended) = watch::channel(());
        open.run = Some(SessionRun { number, request, cancellation, handle: None, ended });
        let (session, told) = (open.session.clone(), Arc::clone(&open.told));
        sessions.runs = number;
        drop(sessions);
        let (sessions, id) = (self.clone(), id.to_owned());
        Ok(Some((session, told, RunAtWork { sessions, session: id, number, _ended: sender })))
    }

    /// Returns the handle of the run of a session, if one has begun.
    pub(crate) fn handle(&self, id: &str) -> Result<Option<RunHandle>, RpcError> {
        let sessions = self.lock();
        let open = sessions.open.get(id).ok_or_else(|| RpcError::unknown_session(id))?;
        Ok(open.run.as_ref().and_then(|run| run.handle.clone()))
    }

    /// Stops the run of a session.
    pub(crate) fn cancel(&self, id: Option<&str>) {
        let sessions = self.lock();
        let run = id.and_then(|id| sessions.open.get(id)).and_then(|open| open.run.as_ref());
        if let Some(run) = run {
            run.cancellation.cancel();
        }
    }

    /// Stops the run that answers a request.
    pub(crate) fn cancel_request(&self, request: &Value) {
        let sessions = self.lock();
        let runs = sessions.open.values().filter_map(|open| open.run.as_ref());
        for run in runs.filter(|run| run.request.as_ref() == Some(request)) {
            run.cancellation.cancel();
        }
    }

    /// Stops all runs.
    pub(crate) fn cancel_all(&self) {
        for run in self.lock().open.values().filter_map(|open| open.run.as_ref()) {
            run.cancellation.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenSessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
