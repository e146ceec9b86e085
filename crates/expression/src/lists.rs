//! The functions of lists.

use std::cmp::Ordering;

use crate::compare::{equal, kinds_differ, order};
use crate::error::{Evaluated, Fault};
use crate::function::Function;
use crate::limits::EvaluationBudget;
use crate::operators::add;
use crate::texts;
use crate::value::ExpressionValue;

/// Calls a function of a list.
pub(crate) fn call(
    budget: &mut EvaluationBudget,
    function: Function,
    first: &ExpressionValue,
    rest: &[ExpressionValue],
    at: usize,
) -> Evaluated {
    if function == Function::Range {
        return range(budget, first, at);
    }
    let ExpressionValue::List(items) = first else {
        return Err(kinds_differ(at, "a list", first));
    };
    budget.steps(at, items.len())?;
    match function {
        Function::Sum => {
            let mut sum = ExpressionValue::Int(0);
            for item in &**items {
                match item {
                    ExpressionValue::Int(_) | ExpressionValue::Double(_) => {
                        sum = add(budget, &sum, item, at)?;
                    }
                    other => return Err(kinds_differ(at, "a list of numbers", other)),
                }
            }
            Ok(sum)
        }
        Function::Min | Function::Max => {
            let wanted = if function == Function::Min { Ordering::Less } else { Ordering::Greater };
            let mut items = items.iter();
            let mut best = items.next().ok_or_else(|| Fault::new(at, "the list is empty"))?;
            for item in items {
                text_steps(budget, item, at)?;
                if order(item, best).ok_or_else(|| unordered(at))? == wanted {
                    best = item;
                }
            }
            Ok(best.clone())
        }
        Function::Sort => sorted(budget, items, items, at),
        Function::Distinct => {
            let mut kept: Vec<ExpressionValue> = Vec::new();
            'items: for item in &**items {
                for known in &kept {
                    if equal(budget, at, known, item)? {
                        continue 'items;
                    }
                }
                kept.push(item.clone());
            }
            made(budget, kept, at)
        }
        Function::Flatten => {
            let mut flat = Vec::new();
            for item in &**items {
                match item {
                    ExpressionValue::List(inner) => {
                        budget.values(at, inner.len())?;
                        flat.extend(inner.iter().cloned());
                    }
                    other => flat.push(other.clone()),
                }
            }
            made(budget, flat, at)
        }
        Function::Reverse => made(budget, items.iter().rev().cloned().collect(), at),
        Function::Slice => {
            let range = texts::range(items.len(), rest, at)?;
            made(budget, items[range].to_vec(), at)
        }
        _ => texts::join(budget, items, rest.first(), at),
    }
}

/// Returns the items in the order of their keys; items with equal keys stay in their order.
pub(crate) fn sorted(
    budget: &mut EvaluationBudget,
    keys: &[ExpressionValue],
    items: &[ExpressionValue],
    at: usize,
) -> Evaluated {
    let rounds = keys.len().checked_ilog2().unwrap_or(0) as usize + 1;
    for key in keys {
        budget.steps(at, rounds)?;
        for _ in 0..rounds {
            text_steps(budget, key, at)?;
        }
        if order(&keys[0], key).is_none() {
            return Err(unordered(at));
        }
    }
    let mut places = Vec::from_iter(0..keys.len());
    places.sort_by(|&one, &other| order(&keys[one], &keys[other]).unwrap_or(Ordering::Equal));
    made(budget, places.into_iter().map(|place| items[place].clone()).collect(), at)
}

fn range(budget: &mut EvaluationBudget, count: &ExpressionValue, at: usize) -> Evaluated {
    let ExpressionValue::Int(count) = count else {
        return Err(kinds_differ(at, "a whole number", count));
    };
    let count = usize::try_from(*count).map_err(|_| Fault::new(at, "the number is negative"))?;
    budget.values(at, count)?;
    Ok(ExpressionValue::list(Vec::from_iter((0..count as i128).map(ExpressionValue::Int))))
}

fn made(budget: &mut EvaluationBudget, items: Vec<ExpressionValue>, at: usize) -> Evaluated {
    budget.values(at, items.len())?;
    Ok(ExpressionValue::list(items))
}

fn text_steps(
    budget: &mut EvaluationBudget,
    value: &ExpressionValue,
    at: usize,
) -> Result<(), Fault> {
    match value {
        ExpressionValue::Text(text) => budget.text(at, text.len()),
        _ => Ok(()),
    }
}

fn unordered(at: usize) -> Fault {
    Fault::new(at, "only numbers, or only strings, have an order")
}
