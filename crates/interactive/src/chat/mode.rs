//! The permission mode of a session: the command that shows and sets it, and the key that changes it
//! while a line is typed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_console::attend::lock;
use silcrow_policy::PermissionMode;
use silcrow_session::SessionMode;

use super::ChatSession;
use crate::error::Error;

impl ChatSession {
    /// Shows the mode, or sets it. The widest one takes a yes.
    pub(super) async fn permissions(&mut self, named: Option<&str>) -> Result<(), Error> {
        let Some(named) = named else {
            let mode = self.session.mode().mode();
            let names = PermissionMode::ALL.map(PermissionMode::as_str).join(", ");
            self.say(&format!("permissions {mode}: {}", mode.description()));
            self.say(&format!(
                "/permissions MODE chooses one of {names}; Shift-Tab changes it, too"
            ));
            return Ok(());
        };
        let mode: PermissionMode = named
            .parse()
            .map_err(|error: silcrow_policy::Error| Error::given(error.to_string()))?;
        let is_new = mode != self.session.mode().mode();
        if is_new && mode == PermissionMode::Full && !self.confirms(FULL).await? {
            self.say(&format!("permissions {}, as before", self.session.mode().mode()));
            return Ok(());
        }
        self.session.mode().set(mode)?;
        lock(&self.screen).set_mode(mode);
        self.say(&format!("permissions {mode}: {}", mode.description()));
        Ok(())
    }
}

impl ChatSession {
    /// Uses the mode that the conversation has.
    pub(super) async fn use_kept_mode(&mut self) -> Result<(), Error> {
        self.finish_reading().await?;
        if let Some(mode) = self.session.restore_mode(&self.conversation).await? {
            lock(&self.screen).set_mode(mode);
            self.say(&format!("permissions {mode}, as before: {}", mode.description()));
        }
        // A typed mode is not yet stored with the conversation.
        if self.args.session.policy.permissions.is_none() {
            let mode = self.session.mode().mode();
            self.kept_mode.last = Some((self.conversation.clone(), mode));
        }
        Ok(())
    }

    /// Stores the mode with the conversation, if it changed.
    pub(super) async fn keep_mode(&mut self) -> Result<(), Error> {
        let mode = self.session.mode().mode();
        let id = self.conversation.clone();
        // Before its first prompt a conversation has no owner, and nothing to continue.
        if self.session.store().head(&id).await? == 0 {
            self.kept_mode.last = Some((id, self.kept_mode.usual));
            return Ok(());
        }
        let is_kept =
            matches!(&self.kept_mode.last, Some((of, last)) if *of == id && *last == mode);
        if !is_kept {
            self.session.keep_mode(&id).await?;
        }
        self.kept_mode.last = Some((id, mode));
        Ok(())
    }

    /// Stores the mode at the end of the session. A conversation that never began has none.
    pub(super) async fn leave_mode(&mut self) {
        let store = self.session.store();
        if !self.reading.is_done() || store.head(&self.conversation).await.unwrap_or(0) == 0 {
            return;
        }
        if let Err(failure) = self.keep_mode().await {
            self.fail(failure.message());
        }
    }
}

/// The mode that the conversation has.
pub(super) struct KeptMode {
    /// The mode of a session that nobody has changed.
    usual: PermissionMode,
    /// The conversation whose mode is known, and that mode.
    last: Option<(String, PermissionMode)>,
}

impl KeptMode {
    pub(super) const fn new(usual: PermissionMode) -> Self {
        Self { usual, last: None }
    }
}

/// The mode as the line that is typed shows it.
#[derive(Clone)]
pub(super) struct LineMode {
    mode: SessionMode,
    /// Whether it was changed just now.
    is_changed: Arc<AtomicBool>,
}

impl LineMode {
    pub(super) fn new(mode: &SessionMode) -> Self {
        Self { mode: mode.clone(), is_changed: Arc::default() }
    }

    /// Returns the words after the cursor of a line: in an empty one the mode and its key, and in
    /// another one the mode once it was changed, until the next key.
    pub(super) fn hint(&self, is_empty: bool) -> Option<String> {
        let is_changed = self.is_changed.swap(false, Ordering::Relaxed);
        let mode = self.mode.mode();
        match is_empty {
            true => Some(format!("{mode} (Shift-Tab)")),
            false => is_changed.then(|| format!("  {mode}")),
        }
    }

    /// Changes the mode.
    pub(super) fn change(&self) {
        self.mode.cycle();
        self.is_changed.store(true, Ordering::Relaxed);
    }
}

/// The question before the mode `full`.
const FULL: &str = "Everything then runs that no rule denies, whatever its risk. Sure?";
