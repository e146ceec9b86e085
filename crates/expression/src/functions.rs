//! The functions: sizes, types and objects; `lists` and `texts` have the others.

use crate::compare::kinds_differ;
use crate::error::{Evaluated, Fault};
use crate::function::Function;
use crate::limits::EvaluationBudget;
use crate::operators::{contains, double, integer};
use crate::value::ExpressionValue;
use crate::{lists, texts};

/// Calls a function with as many arguments as it takes.
pub(crate) fn call(
    budget: &mut EvaluationBudget,
    function: Function,
    args: &[ExpressionValue],
    at: usize,
) -> Evaluated {
    let [first, rest @ ..] = args else { return Err(Fault::new(at, "a value is missing")) };
    match function {
        Function::Size => size(budget, first, at),
        Function::Type => Ok(ExpressionValue::text(type_name(first))),
        Function::String => match first {
            ExpressionValue::Text(_) => Ok(first.clone()),
            other => {
                let json = other.to_string();
                budget.bytes(at, json.len())?;
                Ok(ExpressionValue::text(json))
            }
        },
        Function::Int => int(budget, first, at),
        Function::Double => match first {
            ExpressionValue::Text(text) => {
                budget.text(at, text.len())?;
                let value = text.trim().parse().ok();
                double(value.ok_or_else(|| Fault::new(at, "the string is not a number"))?, at)
            }
            other => {
                let value = crate::operators::as_double(other);
                value
                    .map(ExpressionValue::Double)
                    .ok_or_else(|| kinds_differ(at, "a number", other))
            }
        },
        Function::Json => {
            let ExpressionValue::Text(text) = first else {
                return Err(kinds_differ(at, "a string", first));
            };
            // A value of JSON takes at least a byte of text.
            budget.values(at, text.len())?;
            ExpressionValue::read(text).ok_or_else(|| Fault::new(at, "the string is not JSON"))
        }
        Function::Contains => contains(budget, &rest[0], first, at).map(ExpressionValue::Bool),
        Function::Slice => match first {
            ExpressionValue::List(_) => lists::call(budget, function, first, rest, at),
            _ => texts::call(budget, function, first, rest, at),
        },
        Function::Reverse
        | Function::Sum
        | Function::Min
        | Function::Max
        | Function::Sort
        | Function::Distinct
        | Function::Flatten
        | Function::Range
        | Function::Join => lists::call(budget, function, first, rest, at),
        Function::Keys | Function::Values => {
            let ExpressionValue::Object(members) = first else {
                return Err(kinds_differ(at, "an object", first));
            };
            budget.values(at, members.len())?;
            let part = members.iter().map(|(key, value)| match function {
                Function::Keys => ExpressionValue::Text(key.clone()),
                _ => value.clone(),
            });
            Ok(ExpressionValue::list(Vec::from_iter(part)))
        }
        Function::StartsWith
        | Function::EndsWith
        | Function::LowerAscii
        | Function::UpperAscii
        | Function::Trim
        | Function::Split
        | Function::Lines
        | Function::Replace => texts::call(budget, function, first, rest, at),
    }
}

fn size(budget: &mut EvaluationBudget, value: &ExpressionValue, at: usize) -> Evaluated {
    let size = match value {
        ExpressionValue::List(items) => items.len(),
        ExpressionValue::Object(members) => members.len(),
        ExpressionValue::Text(text) => {
            budget.text(at, text.len())?;
            text.chars().count()
        }
        other => return Err(kinds_differ(at, "a list, an object or a string", other)),
    };
    Ok(ExpressionValue::Int(size as i128))
}

#[expect(clippy::cast_possible_truncation, reason = "`integer` rejects what is out of range")]
fn int(budget: &mut EvaluationBudget, value: &ExpressionValue, at: usize) -> Evaluated {
    match value {
        ExpressionValue::Int(_) => Ok(value.clone()),
        ExpressionValue::Double(value) => integer(Some(value.trunc() as i128), at),
        ExpressionValue::Bool(value) => Ok(ExpressionValue::Int((*value).into())),
        ExpressionValue::Text(text) => {
            budget.text(at, text.len())?;
            let value = text.trim().parse().ok();
            integer(
                Some(value.ok_or_else(|| Fault::new(at, "the string is not a whole number"))?),
                at,
            )
        }
        other => Err(kinds_differ(at, "a number or a string", other)),
    }
}

const fn type_name(value: &ExpressionValue) -> &'static str {
    match value {
        ExpressionValue::Null => "null",
        ExpressionValue::Bool(_) => "bool",
        ExpressionValue::Int(_) => "int",
        ExpressionValue::Double(_) => "double",
        ExpressionValue::Text(_) => "string",
        ExpressionValue::List(_) => "list",
        ExpressionValue::Object(_) => "map",
    }
}
