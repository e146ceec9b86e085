//! The kind of a step: whether its calls run.

/// Whether another step may follow, in which the model reads results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// The calls of the step run, and another step may follow.
    Ordinary,
    /// The last step of a run: the model has to answer, and no call starts.
    Last,
}

impl StepKind {
    pub(crate) const fn last_if(is_last: bool) -> Self {
        if is_last { Self::Last } else { Self::Ordinary }
    }

    pub(crate) const fn is_last(self) -> bool {
        matches!(self, Self::Last)
    }
}
