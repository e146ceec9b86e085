//! The message in the line of status that a request failed and waits to be repeated.

use super::LiveScreen;

/// Returns why the model is not asked just now, and when it will be.
pub(super) type PauseLine = Box<dyn Fn() -> Option<String> + Send>;

impl LiveScreen {
    /// Sets the function that returns why the model is not asked just now, and when it will be. It
    /// is asked before each drawing, and answers `None` while no request waits.
    pub fn set_pauses(&mut self, pause: impl Fn() -> Option<String> + Send + 'static) {
        self.pauses = Some(Box::new(pause));
    }
}
