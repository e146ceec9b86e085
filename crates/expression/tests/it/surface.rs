//! The checks of an expression, for any text of a model.

use silcrow_event::CallEnd;
use silcrow_expression::{EvaluationLimits, EvaluationScope, Expression, ExpressionValue};

/// Checks that a source is read or rejected at a place in it, that its evaluation ends within its
/// limits and gives the same twice, and that a value is JSON.
pub(crate) fn expression(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    let expression = match Expression::parse(source) {
        Ok(expression) => expression,
        Err(why) => return assert!(source.is_char_boundary(why.at()), "{why}"),
    };
    assert_eq!(expression.source(), source);
    let limits = EvaluationLimits { max_steps: 2_000, max_bytes: 64 << 10 };
    let value = expression.evaluate_within(&Fixed, limits);
    assert_eq!(value, expression.evaluate_within(&Fixed, limits));
    match value {
        Err(why) => assert!(source.is_char_boundary(why.at()), "{why}"),
        Ok(value) => {
            let json = value.to_string();
            // A reader of JSON follows 128 levels.
            let levels = json.matches(['[', '{']).count();
            assert!(ExpressionValue::read(&json).is_some() || levels > 100, "{json}");
        }
    }
}

/// Variables of each kind, with the names that the cases use.
struct Fixed;

impl EvaluationScope for Fixed {
    fn variable(&self, name: &str) -> Option<ExpressionValue> {
        let json = match name {
            "n" => "3",
            "half" => "0.5",
            "name" => "\"Ada é\"",
            "none" => "null",
            "files" => r#"[{"path":"a","size":90},{"path":"b","size":1200}]"#,
            "object" => r#"{"b":1,"a":{"deep":[true]}}"#,
            _ => return None,
        };
        ExpressionValue::read(json)
    }

    fn end(&self, id: &str) -> Option<CallEnd> {
        match id {
            "list" => Some(CallEnd::Ok),
            "fetch" => Some(CallEnd::Failed),
            _ => None,
        }
    }
}
