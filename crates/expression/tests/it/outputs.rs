use std::collections::BTreeMap;

use silcrow_event::CallEnd;
use silcrow_expression::{EvaluationLimits, EvaluationScope, Expression, ExpressionValue};

/// Variables and ends for tests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) variables: BTreeMap<String, ExpressionValue>,
    pub(crate) ends: BTreeMap<String, CallEnd>,
}

impl EvaluationScope for Outputs {
    fn variable(&self, name: &str) -> Option<ExpressionValue> {
        self.variables.get(name).cloned()
    }

    fn end(&self, id: &str) -> Option<CallEnd> {
        self.ends.get(id).copied()
    }
}

pub(crate) fn outputs() -> Outputs {
    let variables = [
        ("n", "3"),
        ("half", "0.5"),
        ("id", "18446744073709551615"),
        ("name", "\"Ada é\""),
        ("none", "null"),
        ("files", r#"[{"path":"a","size":90},{"path":"b","size":1200},{"path":"c","size":5}]"#),
        ("object", r#"{"b":1,"a":{"deep":[true]}}"#),
        ("words", r#"["b","a","b"]"#),
    ];
    let read = |json| ExpressionValue::read(json).unwrap();
    Outputs {
        variables: variables.map(|(name, json)| (name.to_owned(), read(json))).into(),
        ends: [
            ("list".to_owned(), CallEnd::Ok),
            ("fetch-1".to_owned(), CallEnd::Failed),
            ("late".to_owned(), CallEnd::Skipped),
            ("stopped".to_owned(), CallEnd::Cancelled),
        ]
        .into(),
    }
}

/// Evaluates a source and returns the JSON of the value, or the error.
pub(crate) fn evaluate(source: &str) -> String {
    within(source, EvaluationLimits::default())
}

pub(crate) fn within(source: &str, limits: EvaluationLimits) -> String {
    let value = Expression::parse(source)
        .and_then(|expression| expression.evaluate_within(&outputs(), limits));
    value.map_or_else(|why| why.to_string(), |value| value.to_string())
}
