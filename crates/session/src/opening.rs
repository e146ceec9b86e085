//! The opening of a session: from checked options to a store and the agents on it.

use crate::error::Error;
use crate::hook_log::HookLog;
use crate::session::AgentSession;
use crate::setup::SessionSetup;
use crate::store::OpenStore;

impl SessionSetup {
    /// Opens the store, and the session with it.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be opened.
    pub async fn open(self) -> Result<AgentSession, Error> {
        let opened = self.place.open(&self.host).await?;
        Ok(self.with_store(opened))
    }

    /// Opens the store as [`open`](Self::open) does, but reads nothing of it yet. It has to be
    /// [recovered](crate::StorePlace::recover) before the first run.
    ///
    /// # Errors
    ///
    /// Returns an error if the store cannot be opened.
    pub async fn open_unread(self) -> Result<AgentSession, Error> {
        let opened = self.place.open_unread(&self.host).await?;
        Ok(self.with_store(opened))
    }

    /// Opens the session with a store that is already open, such as another session's.
    pub fn with_store(self, opened: OpenStore) -> AgentSession {
        self.late.set(opened.store());
        let hook_log = HookLog::new(opened.store());
        self.hooks.set_observer(hook_log.clone());
        AgentSession::new(self, opened, hook_log)
    }
}
