//! The passes that are open, by their credentials.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::pass_state::PassState;

/// The passes of a proxy that are open.
#[derive(Default)]
pub(crate) struct Passes(Mutex<BTreeMap<String, Arc<PassState>>>);

impl Passes {
    /// Adds a pass, and returns its token.
    ///
    /// # Panics
    ///
    /// Panics if the system has no random numbers, because a token that can be guessed opens the pass
    /// to others.
    pub(crate) fn add(&self, pass: Arc<PassState>) -> String {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.lock().insert(token.clone(), pass);
        token
    }

    pub(crate) fn remove(&self, token: &str) {
        self.lock().remove(token);
    }

    /// Returns the open pass with a token.
    pub(crate) fn with_token(&self, token: &str) -> Option<Arc<PassState>> {
        self.lock().get(token).cloned()
    }

    /// Returns the open pass that a header `Proxy-Authorization` names.
    pub(crate) fn with_authorization(&self, header: &str) -> Option<Arc<PassState>> {
        let (scheme, encoded) = header.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let (token, _) = decoded.split_once(':')?;
        self.with_token(token)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<PassState>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
