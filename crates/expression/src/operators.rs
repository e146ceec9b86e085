//! The operators between two values.

use std::cmp::Ordering;

use crate::compare::{equal, kinds_differ, order};
use crate::error::{Evaluated, Fault};
use crate::limits::EvaluationBudget;
use crate::syntax::BinaryOperator;
use crate::value::ExpressionValue;

pub(crate) fn binary(
    budget: &mut EvaluationBudget,
    operator: BinaryOperator,
    left: &ExpressionValue,
    right: &ExpressionValue,
    at: usize,
) -> Evaluated {
    use BinaryOperator as Operator;

    let compared = match operator {
        Operator::Equal | Operator::Unequal => {
            let is_null = |value: &ExpressionValue| *value == ExpressionValue::Null;
            if left.kind() != right.kind() && !is_null(left) && !is_null(right) {
                return Err(unlike(operator, "compares", left, right, at));
            }
            equal(budget, at, left, right)? == (operator == Operator::Equal)
        }
        Operator::In => contains(budget, left, right, at)?,
        Operator::Less => ordered(budget, operator, left, right, at)?.is_lt(),
        Operator::LessOrEqual => ordered(budget, operator, left, right, at)?.is_le(),
        Operator::Greater => ordered(budget, operator, left, right, at)?.is_gt(),
        Operator::GreaterOrEqual => ordered(budget, operator, left, right, at)?.is_ge(),
        Operator::Add => return add(budget, left, right, at),
        _ => return arithmetic(operator, left, right, at),
    };
    Ok(ExpressionValue::Bool(compared))
}

pub(crate) fn negative(value: &ExpressionValue, at: usize) -> Evaluated {
    match value {
        ExpressionValue::Int(value) => integer(value.checked_neg(), at),
        ExpressionValue::Double(value) => Ok(ExpressionValue::Double(-value)),
        other => Err(kinds_differ(at, "a number", other)),
    }
}

/// Returns whether a list has an item, an object a key, or a text a part.
pub(crate) fn contains(
    budget: &mut EvaluationBudget,
    item: &ExpressionValue,
    within: &ExpressionValue,
    at: usize,
) -> Result<bool, Fault> {
    match (within, item) {
        (ExpressionValue::List(items), _) => {
            for one in &**items {
                if equal(budget, at, one, item)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (ExpressionValue::Object(members), ExpressionValue::Text(key)) => {
            budget.steps(at, 1 + members.len() / 8)?;
            Ok(within.member(key).is_some())
        }
        (ExpressionValue::Text(text), ExpressionValue::Text(part)) => {
            budget.text(at, text.len() + part.len())?;
            Ok(text.contains(&**part))
        }
        (ExpressionValue::Object(_) | ExpressionValue::Text(_), _) => {
            Err(kinds_differ(at, "a string", item))
        }
        _ => Err(kinds_differ(at, "a list, an object or a string", within)),
    }
}

fn ordered(
    budget: &mut EvaluationBudget,
    operator: BinaryOperator,
    left: &ExpressionValue,
    right: &ExpressionValue,
    at: usize,
) -> Result<Ordering, Fault> {
    if let (ExpressionValue::Text(left), ExpressionValue::Text(right)) = (left, right) {
        budget.text(at, left.len().min(right.len()))?;
    }
    order(left, right).ok_or_else(|| unlike(operator, "compares", left, right, at))
}

/// Adds numbers, and joins texts or lists.
pub(crate) fn add(
    budget: &mut EvaluationBudget,
    left: &ExpressionValue,
    right: &ExpressionValue,
    at: usize,
) -> Evaluated {
    match (left, right) {
        (ExpressionValue::Text(left), ExpressionValue::Text(right)) => {
            budget.bytes(at, left.len() + right.len())?;
            Ok(ExpressionValue::text([&**left, &**right].concat()))
        }
        (ExpressionValue::List(left), ExpressionValue::List(right)) => {
            budget.values(at, left.len() + right.len())?;
            Ok(ExpressionValue::list([&**left, &**right].concat()))
        }
        _ => arithmetic(BinaryOperator::Add, left, right, at),
    }
}

fn arithmetic(
    operator: BinaryOperator,
    left: &ExpressionValue,
    right: &ExpressionValue,
    at: usize,
) -> Evaluated {
    use BinaryOperator as Operator;

    if let (ExpressionValue::Int(left), ExpressionValue::Int(right)) = (left, right) {
        if *right == 0 && matches!(operator, Operator::Divide | Operator::Remainder) {
            return Err(Fault::new(at, "a division by 0"));
        }
        return integer(
            match operator {
                Operator::Add => left.checked_add(*right),
                Operator::Subtract => left.checked_sub(*right),
                Operator::Multiply => left.checked_mul(*right),
                Operator::Divide => left.checked_div(*right),
                _ => left.checked_rem(*right),
            },
            at,
        );
    }
    let (Some(one), Some(other)) = (as_double(left), as_double(right)) else {
        return Err(unlike(operator, "takes", left, right, at));
    };
    double(
        match operator {
            Operator::Add => one + other,
            Operator::Subtract => one - other,
            Operator::Multiply => one * other,
            Operator::Divide => one / other,
            _ => one % other,
        },
        at,
    )
}

#[expect(clippy::cast_precision_loss, reason = "a double has 53 bits, here as in JSON")]
pub(crate) fn as_double(value: &ExpressionValue) -> Option<f64> {
    match value {
        ExpressionValue::Int(value) => Some(*value as f64),
        ExpressionValue::Double(value) => Some(*value),
        _ => None,
    }
}

/// Returns an integer, if it is one of 64 bits.
pub(crate) fn integer(value: Option<i128>, at: usize) -> Evaluated {
    let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
    match value.filter(|value| range.contains(value)) {
        Some(value) => Ok(ExpressionValue::Int(value)),
        None => Err(Fault::new(at, "the number is too large")),
    }
}

/// Returns a double, if it is a number.
pub(crate) fn double(value: f64, at: usize) -> Evaluated {
    match value.is_finite() {
        true => Ok(ExpressionValue::Double(value)),
        false => Err(Fault::new(at, "the result is not a number")),
    }
}

fn unlike(
    operator: BinaryOperator,
    verb: &str,
    left: &ExpressionValue,
    right: &ExpressionValue,
    at: usize,
) -> Fault {
    let (sign, left, right) = (operator.as_str(), left.kind(), right.kind());
    let message = match operator {
        BinaryOperator::Add => {
            format!("`+` takes two numbers, strings or lists, and not {left} and {right}")
        }
        _ if verb == "takes" => {
            format!("`{sign}` takes two numbers, and not {left} and {right}")
        }
        _ => format!("`{sign}` {verb} {left} with {right}"),
    };
    Fault::new(at, message)
}
