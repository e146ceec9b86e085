//! The scope in which an expression looks values up.

use silcrow_event::CallEnd;

use crate::value::ExpressionValue;

/// The variables of an evaluation, and the ends of calls.
///
/// ```
/// use silcrow_event::CallEnd;
/// use silcrow_expression::{EvaluationScope, Expression, ExpressionValue};
///
/// struct OneNumber(i64);
///
/// impl EvaluationScope for OneNumber {
///     fn variable(&self, name: &str) -> Option<ExpressionValue> {
///         (name == "n").then(|| ExpressionValue::Int(self.0.into()))
///     }
///
///     fn end(&self, _id: &str) -> Option<CallEnd> {
///         None
///     }
/// }
///
/// let twice = Expression::parse("n * 2").unwrap();
/// assert_eq!(twice.evaluate(&OneNumber(21)).unwrap().to_string(), "42");
/// ```
pub trait EvaluationScope {
    /// Returns the value of a variable, or `None` if it has none.
    fn variable(&self, name: &str) -> Option<ExpressionValue>;

    /// Returns how a call has ended (`ok(id)`, `failed(id)`, `skipped(id)`), or `None` if no call
    /// that has ended has this id.
    fn end(&self, id: &str) -> Option<CallEnd>;
}
