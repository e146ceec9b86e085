//! Logins at servers over HTTP for which the person is there.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_mcp::{BrowserPrompt, LoginPrompt, OAuthLogin};
use silcrow_session::servers::login_folder;

pub(super) use silcrow_session::servers::kept_logins;

use crate::failure::Failure;

/// Returns the failure to forget a login.
pub(super) fn unforgotten(name: &str, error: &io::Error) -> Failure {
    Failure::running(format!("the login at {name} cannot be forgotten: {error}"))
}

/// A login for which the person is there.
pub(super) struct AttendedLogin {
    pub(super) login: OAuthLogin,
    was_shown: Arc<AtomicBool>,
}

impl AttendedLogin {
    /// Returns a login that opens the browser if the stored tokens do not suffice.
    pub(super) fn new() -> Result<Self, Failure> {
        let was_shown = Arc::default();
        let prompt = PersonPrompt { was_shown: Arc::clone(&was_shown) };
        Ok(Self { login: OAuthLogin::new(prompt).with_folder(login_folder()?), was_shown })
    }

    /// Returns one that opens the browser even if tokens are stored.
    pub(super) fn anew() -> Result<Self, Failure> {
        Self::new().map(|new| Self { login: new.login.anew(), ..new })
    }

    /// Returns whether the server wanted a login.
    pub(super) fn was_wanted(&self) -> bool {
        self.was_shown.load(Ordering::Relaxed)
    }
}

/// Shows the link, and the next step.
struct PersonPrompt {
    was_shown: Arc<AtomicBool>,
}

impl LoginPrompt for PersonPrompt {
    fn show(&self, server: &str, link: &str) {
        self.was_shown.store(true, Ordering::Relaxed);
        BrowserPrompt.show(server, link);
        // If stderr is closed, the browser may still come back.
        let _ = writeln!(
            io::stderr(),
            "Waiting up to 5 minutes until the browser comes back to this machine; Ctrl-C ends it."
        );
    }
}
