//! A message of a person to a run at work, as a value.

/// A message of the person to a run that is working, which [`RunHandle::steer`](crate::RunHandle::steer) sends.
///
/// ```
/// use silcrow_agent::SteerMessage;
///
/// // A text is a message, too; this one also drops the calls that have not started.
/// let message = SteerMessage::new("Stop, that is the wrong folder.").with_dropped_calls();
/// assert_ne!(message, SteerMessage::from("Stop, that is the wrong folder."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SteerMessage {
    pub(crate) text: String,
    pub(crate) drops_calls: bool,
}

impl SteerMessage {
    /// Creates a message that changes nothing about the calls of the run.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), drops_calls: false }
    }

    /// Drops the run's calls that have not started, including calls that the model is still
    /// writing. Their results say so; running calls continue.
    #[must_use]
    pub fn with_dropped_calls(self) -> Self {
        Self { drops_calls: true, ..self }
    }
}

impl<T: Into<String>> From<T> for SteerMessage {
    fn from(text: T) -> Self {
        Self::new(text)
    }
}
