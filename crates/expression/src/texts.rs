//! The functions of texts.

use std::ops::Range;

use crate::compare::kinds_differ;
use crate::error::{Evaluated, Fault};
use crate::function::Function;
use crate::limits::EvaluationBudget;
use crate::value::ExpressionValue;

/// Calls a function of a text.
pub(crate) fn call(
    budget: &mut EvaluationBudget,
    function: Function,
    first: &ExpressionValue,
    rest: &[ExpressionValue],
    at: usize,
) -> Evaluated {
    let text = text_of(first, at)?;
    budget.text(at, text.len())?;
    match function {
        Function::StartsWith => Ok(ExpressionValue::Bool(text.starts_with(text_of(&rest[0], at)?))),
        Function::EndsWith => Ok(ExpressionValue::Bool(text.ends_with(text_of(&rest[0], at)?))),
        Function::LowerAscii => made(budget, text.to_ascii_lowercase(), at),
        Function::UpperAscii => made(budget, text.to_ascii_uppercase(), at),
        Function::Trim => made(budget, text.trim().to_owned(), at),
        Function::Lines => parts(budget, text.lines(), at),
        Function::Split => match text_of(&rest[0], at)? {
            "" => Err(Fault::new(at, "the separator is empty")),
            between => parts(budget, text.split(between), at),
        },
        Function::Replace => {
            let (from, to) = (text_of(&rest[0], at)?, text_of(&rest[1], at)?);
            if from.is_empty() {
                return Err(Fault::new(at, "the text to replace is empty"));
            }
            let count = text.matches(from).count();
            budget.bytes(at, text.len().saturating_add(count.saturating_mul(to.len())))?;
            Ok(ExpressionValue::text(text.replace(from, to)))
        }
        _ => {
            let range = range(text.chars().count(), rest, at)?;
            let slice = text.chars().skip(range.start).take(range.len()).collect::<String>();
            made(budget, slice, at)
        }
    }
}

/// Joins the items of a list, each of which is a string, with a string between them.
pub(crate) fn join(
    budget: &mut EvaluationBudget,
    items: &[ExpressionValue],
    between: Option<&ExpressionValue>,
    at: usize,
) -> Evaluated {
    let between = between.map_or(Ok(""), |between| text_of(between, at))?;
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        let item = text_of(item, at)?;
        budget.bytes(at, between.len() + item.len())?;
        if index > 0 {
            joined.push_str(between);
        }
        joined.push_str(item);
    }
    Ok(ExpressionValue::text(joined))
}

/// Returns the range of a slice of something with this many items: its start, and its end without
/// which it reaches to the end. Both may be too large.
pub(crate) fn range(
    len: usize,
    bounds: &[ExpressionValue],
    at: usize,
) -> Result<Range<usize>, Fault> {
    let bound = |bound: Option<&ExpressionValue>| match bound {
        None => Ok(len),
        Some(ExpressionValue::Int(bound @ 0..)) => {
            Ok(usize::try_from(*bound).unwrap_or(len).min(len))
        }
        Some(ExpressionValue::Int(_)) => Err(Fault::new(at, "the number is negative")),
        Some(other) => Err(kinds_differ(at, "a whole number", other)),
    };
    let (start, end) = (bound(bounds.first())?, bound(bounds.get(1))?);
    Ok(start.min(end)..end)
}

fn parts<'t>(
    budget: &mut EvaluationBudget,
    parts: impl Iterator<Item = &'t str>,
    at: usize,
) -> Evaluated {
    let mut made = Vec::new();
    for part in parts {
        budget.values(at, 1)?;
        budget.bytes(at, part.len())?;
        made.push(ExpressionValue::text(part));
    }
    Ok(ExpressionValue::list(made))
}

fn made(budget: &mut EvaluationBudget, text: String, at: usize) -> Evaluated {
    budget.bytes(at, text.len())?;
    Ok(ExpressionValue::text(text))
}

fn text_of(value: &ExpressionValue, at: usize) -> Result<&str, Fault> {
    match value {
        ExpressionValue::Text(text) => Ok(text),
        other => Err(kinds_differ(at, "a string", other)),
    }
}
