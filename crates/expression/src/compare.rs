//! Equality and order of values.

use std::cmp::Ordering;

use crate::error::Fault;
use crate::limits::EvaluationBudget;
use crate::value::ExpressionValue;

/// Returns whether two values are equal: numbers by their value, lists by their items in order, and
/// objects by their members in any order. Values of two kinds are not equal.
pub(crate) fn equal(
    budget: &mut EvaluationBudget,
    at: usize,
    left: &ExpressionValue,
    right: &ExpressionValue,
) -> Result<bool, Fault> {
    budget.steps(at, 1)?;
    Ok(match (left, right) {
        (ExpressionValue::Text(left), ExpressionValue::Text(right)) => {
            budget.text(at, left.len().min(right.len()))?;
            left == right
        }
        (ExpressionValue::List(left), ExpressionValue::List(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (left, right) in left.iter().zip(&**right) {
                if !equal(budget, at, left, right)? {
                    return Ok(false);
                }
            }
            true
        }
        (ExpressionValue::Object(members), ExpressionValue::Object(others)) => {
            if members.len() != others.len() {
                return Ok(false);
            }
            for (key, value) in &**members {
                budget.steps(at, 1 + others.len() / 8)?;
                match right.member(key) {
                    Some(other) if equal(budget, at, value, other)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (ExpressionValue::Int(_) | ExpressionValue::Double(_), _) => {
            number_order(left, right) == Some(Ordering::Equal)
        }
        _ => left == right,
    })
}

/// Returns the order of two numbers or of two strings, or `None` for anything else.
pub(crate) fn order(left: &ExpressionValue, right: &ExpressionValue) -> Option<Ordering> {
    match (left, right) {
        (ExpressionValue::Text(left), ExpressionValue::Text(right)) => Some(left.cmp(right)),
        _ => number_order(left, right),
    }
}

fn number_order(left: &ExpressionValue, right: &ExpressionValue) -> Option<Ordering> {
    match (left, right) {
        (ExpressionValue::Int(left), ExpressionValue::Int(right)) => Some(left.cmp(right)),
        (ExpressionValue::Double(left), ExpressionValue::Double(right)) => left.partial_cmp(right),
        (ExpressionValue::Int(left), ExpressionValue::Double(right)) => {
            Some(mixed_order(*left, *right))
        }
        (ExpressionValue::Double(left), ExpressionValue::Int(right)) => {
            Some(mixed_order(*right, *left).reverse())
        }
        _ => None,
    }
}

/// Returns the order of an integer and a double, neither of which is rounded.
#[expect(clippy::cast_possible_truncation, reason = "a double out of range is at its end")]
fn mixed_order(int: i128, double: f64) -> Ordering {
    let whole = double.floor();
    int.cmp(&(whole as i128)).then(if double > whole { Ordering::Less } else { Ordering::Equal })
}

/// Returns a fault about a value of the wrong kind.
pub(crate) fn kinds_differ(at: usize, wanted: &str, value: &ExpressionValue) -> Fault {
    Fault::new(at, format!("{wanted} is needed, and this is {}", value.kind()))
}
