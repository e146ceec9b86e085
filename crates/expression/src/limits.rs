//! The bounds of an evaluation, and the rest of them.

use crate::error::Fault;

/// The bounds of one evaluation.
///
/// ```
/// use silcrow_expression::EvaluationLimits;
///
/// let limits = EvaluationLimits { max_steps: 10_000, ..EvaluationLimits::default() };
/// assert_eq!(limits.max_bytes, 16 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct EvaluationLimits {
    /// The greatest number of steps. A node that is evaluated is a step, and so is a value, or 64
    /// bytes of text, that an operator or a function looks at.
    pub max_steps: u64,
    /// The greatest number of bytes of all values that are made, intermediate ones included.
    pub max_bytes: usize,
}

impl Default for EvaluationLimits {
    /// Returns a million steps, and 16 MiB.
    fn default() -> Self {
        Self { max_steps: 1_000_000, max_bytes: 16 << 20 }
    }
}

/// The rest of the bounds.
#[derive(Debug)]
pub(crate) struct EvaluationBudget {
    limits: EvaluationLimits,
    steps: u64,
    bytes: usize,
}

impl EvaluationBudget {
    pub(crate) const fn new(limits: EvaluationLimits) -> Self {
        Self { limits, steps: limits.max_steps, bytes: limits.max_bytes }
    }

    /// Takes this many steps at a position of the source.
    pub(crate) fn steps(&mut self, at: usize, steps: usize) -> Result<(), Fault> {
        match self.steps.checked_sub(steps as u64) {
            Some(left) => self.steps = left,
            None => {
                let most = self.limits.max_steps;
                let message = format!("the expression takes more than {most} steps");
                return Err(Fault::limit(at, message));
            }
        }
        Ok(())
    }

    /// Takes the steps to look at a text of this many bytes.
    pub(crate) fn text(&mut self, at: usize, bytes: usize) -> Result<(), Fault> {
        self.steps(at, 1 + bytes / 64)
    }

    /// Takes the room for a value of this many bytes, and the steps to make it.
    pub(crate) fn bytes(&mut self, at: usize, bytes: usize) -> Result<(), Fault> {
        self.text(at, bytes)?;
        match self.bytes.checked_sub(bytes) {
            Some(left) => self.bytes = left,
            None => {
                let most = self.limits.max_bytes;
                let message = format!("the values of the expression take more than {most} bytes");
                return Err(Fault::limit(at, message));
            }
        }
        Ok(())
    }

    /// Takes the room for a list or an object of this many values.
    pub(crate) fn values(&mut self, at: usize, values: usize) -> Result<(), Fault> {
        self.steps(at, values)?;
        self.bytes(at, values.saturating_mul(VALUE_BYTES))
    }
}

/// The bytes of a value in a list.
const VALUE_BYTES: usize = 32;
