//! An expression: a tree with its source and the names that it uses.

use crate::error::{ExpressionError, Fault};
use crate::evaluate::Evaluation;
use crate::limits::EvaluationLimits;
use crate::parse;
use crate::scope::EvaluationScope;
use crate::syntax::Expr;
use crate::value::ExpressionValue;

/// An expression that was read, and can be evaluated.
///
/// ```
/// use silcrow_expression::Expression;
///
/// let expression = Expression::parse("$files.exists(f, f in skip) || failed(list)").unwrap();
/// assert_eq!(expression.variables(), ["files", "skip"]);
/// assert_eq!(expression.calls(), ["list"]);
/// ```
#[derive(Clone, Debug)]
pub struct Expression {
    source: Box<str>,
    root: Expr,
    variables: Vec<String>,
    calls: Vec<String>,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    ///
    /// The source is too long, nested too deeply, or not an expression; the message says where.
    ///
    /// ```
    /// use silcrow_expression::Expression;
    ///
    /// let why = Expression::parse("files.filtre(f, f.size > 1)").unwrap_err();
    /// assert_eq!(
    ///     why.to_string(),
    ///     "unknown function `filtre`; did you mean `filter`?, at `filtre(f, f.size > 1)`"
    /// );
    /// ```
    pub fn parse(source: &str) -> Result<Self, ExpressionError> {
        let tree = parse::parse(source).map_err(|fault| fault.in_source(source))?;
        Ok(Self {
            source: source.into(),
            root: tree.root,
            variables: tree.variables,
            calls: tree.calls,
        })
    }

    /// Returns the source, as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the names of the variables that a scope must have, each once, in the order of the
    /// text and without their `$`.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// Returns the ids of the calls whose end `ok`, `failed` or `skipped` asks for, each once.
    pub fn calls(&self) -> &[String] {
        &self.calls
    }

    /// Evaluates it within the default limits.
    ///
    /// # Errors
    ///
    /// A variable is missing, types do not fit, or a limit is exceeded.
    pub fn evaluate(
        &self,
        scope: &dyn EvaluationScope,
    ) -> Result<ExpressionValue, ExpressionError> {
        self.evaluate_within(scope, EvaluationLimits::default())
    }

    /// Evaluates it within these limits.
    ///
    /// # Errors
    ///
    /// A variable is missing, types do not fit, or a limit is exceeded.
    ///
    /// ```
    /// use silcrow_event::CallEnd;
    /// use silcrow_expression::{EvaluationLimits, EvaluationScope, Expression, ExpressionValue};
    ///
    /// struct Nothing;
    ///
    /// impl EvaluationScope for Nothing {
    ///     fn variable(&self, _: &str) -> Option<ExpressionValue> {
    ///         None
    ///     }
    ///     fn end(&self, _: &str) -> Option<CallEnd> {
    ///         None
    ///     }
    /// }
    ///
    /// let squares = Expression::parse("range(100).map(n, n * n)").unwrap();
    /// let few = EvaluationLimits { max_steps: 50, ..EvaluationLimits::default() };
    /// let why = squares.evaluate_within(&Nothing, few).unwrap_err();
    /// assert!(why.to_string().starts_with("the expression takes more than 50 steps"));
    /// ```
    pub fn evaluate_within(
        &self,
        scope: &dyn EvaluationScope,
        limits: EvaluationLimits,
    ) -> Result<ExpressionValue, ExpressionError> {
        let mut evaluation = Evaluation::new(scope, limits);
        evaluation.value(&self.root).map_err(|fault: Fault| fault.in_source(&self.source))
    }
}
