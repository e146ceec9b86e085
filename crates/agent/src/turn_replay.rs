//! Whether a turn that is read again is shown.

/// Whether the events of a turn that is read again are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnReplay {
    /// They are shown, as if the model wrote them now.
    Shown,
    /// They are not shown, because an earlier run has shown them.
    Quiet,
}
