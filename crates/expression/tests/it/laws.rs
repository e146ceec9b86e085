use proptest::prelude::*;
use silcrow_event::Json;
use silcrow_expression::{EvaluationLimits, Expression, ExpressionValue};

use crate::outputs::{outputs, within};

/// Pieces of sources, so that a random list of them is often an expression, or nearly one.
const PIECES: [&str; 52] = [
    "files",
    "$n",
    "name",
    "object",
    "words",
    "none",
    "missing",
    "x",
    "1",
    "0",
    "2.5",
    "'a'",
    "\"é\"",
    "true",
    "null",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    ".",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    ">=",
    "&&",
    "||",
    "and",
    "or",
    "not",
    "!",
    "in",
    ".map(x,",
    ".filter(x,",
    ".sortBy(x,",
    ".size()",
    "sum(",
    "split(",
    "join(",
    "range(",
    "ok(list)",
    "has(",
    "x.size",
];

fn value() -> impl Strategy<Value = ExpressionValue> {
    let leaf = prop_oneof![
        Just(ExpressionValue::Null),
        any::<bool>().prop_map(ExpressionValue::Bool),
        any::<i64>().prop_map(|int| ExpressionValue::Int(int.into())),
        any::<u64>().prop_map(|int| ExpressionValue::Int(int.into())),
        (-1e9..1e9f64).prop_map(|double| ExpressionValue::Double((double * 8.0).round() / 8.0)),
        ".{0,6}".prop_map(|text| ExpressionValue::Text(text.into())),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let key = "[a-c]";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| ExpressionValue::List(items.into())),
            prop::collection::btree_map(key, inner, 0..4).prop_map(|members| {
                let members = members.into_iter().map(|(key, value)| (key.into(), value));
                ExpressionValue::Object(members.collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn evaluation_always_ends_within_limits(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24),
        max_steps in 0..400u64,
    ) {
        let source = pieces.join(" ");
        match Expression::parse(&source) {
            Err(why) => prop_assert!(source.is_char_boundary(why.at())),
            Ok(expression) => {
                let limits = EvaluationLimits { max_steps, max_bytes: 4_000 };
                if let Err(why) = expression.evaluate_within(&outputs(), limits) {
                    prop_assert!(source.is_char_boundary(why.at()));
                }
                // The same within more steps is the same, if it was within these.
                let few = expression.evaluate_within(&outputs(), limits);
                let limits = EvaluationLimits { max_steps: 100_000, max_bytes: 4_000 };
                let many = expression.evaluate_within(&outputs(), limits);
                let was_short = few.as_ref().is_err_and(|why| why.to_string().contains(" steps"));
                prop_assert!(was_short || few == many);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_rejected(source in ".{0,40}") {
        within(&source, EvaluationLimits { max_steps: 1_000, max_bytes: 10_000 });
    }

    #[test]
    fn a_value_is_its_json(value in value()) {
        let json = value.to_json();
        prop_assert_eq!(ExpressionValue::read(json.as_str()), Some(value.clone()));
        let text = Json::string(json.as_str());
        prop_assert_eq!(ExpressionValue::of_output(&text), ExpressionValue::of_output(&json));
    }

    #[test]
    fn value_equals_only_itself(one in value(), other in value()) {
        let mut scope = outputs();
        scope.variables.insert("one".to_owned(), one.clone());
        scope.variables.insert("other".to_owned(), other.clone());
        let evaluate = |source: &str| Expression::parse(source).unwrap().evaluate(&scope);
        prop_assert_eq!(evaluate("one == one"), Ok(ExpressionValue::Bool(true)));
        prop_assert_eq!(evaluate("one in [other, one]"), Ok(ExpressionValue::Bool(true)));
        let is_equal = evaluate("[one] == [other]").unwrap();
        prop_assert_eq!(evaluate("[other] != [one]"), Ok(ExpressionValue::Bool(is_equal == ExpressionValue::Bool(false))));
        if one == other {
            prop_assert_eq!(is_equal, ExpressionValue::Bool(true));
        }
    }

    #[test]
    fn list_functions_match_the_reference(numbers in prop::collection::vec(-20..20i64, 0..12)) {
        let mut scope = outputs();
        let list = |numbers: &[i64]| {
            ExpressionValue::List(numbers.iter().map(|n| ExpressionValue::Int((*n).into())).collect())
        };
        scope.variables.insert("l".to_owned(), list(&numbers));
        let evaluate = |source: &str| Expression::parse(source).unwrap().evaluate(&scope);
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        prop_assert_eq!(evaluate("l.sort()"), Ok(list(&sorted)));
        prop_assert_eq!(evaluate("l.sortBy(x, x)"), Ok(list(&sorted)));
        sorted.dedup();
        prop_assert_eq!(evaluate("l.distinct().sort()"), Ok(list(&sorted)));
        let even = Vec::from_iter(numbers.iter().copied().filter(|n| n % 2 == 0));
        prop_assert_eq!(evaluate("l.filter(x, x % 2 == 0)"), Ok(list(&even)));
        let sum = numbers.iter().sum::<i64>();
        prop_assert_eq!(evaluate("sum(l)"), Ok(ExpressionValue::Int(sum.into())));
        prop_assert_eq!(evaluate("sum(l) == l.map(x, -x).sum() * -1"), Ok(ExpressionValue::Bool(true)));
        let any = numbers.iter().any(|n| *n > 10);
        prop_assert_eq!(evaluate("l.exists(x, x > 10)"), Ok(ExpressionValue::Bool(any)));
        prop_assert_eq!(evaluate("not l.all(x, x <= 10)"), Ok(ExpressionValue::Bool(any)));
    }
}
