//! The loops over lists and over the keys of objects.
//!
//! This module binds the variable of a loop.

use super::Evaluation;
use crate::compare::kinds_differ;
use crate::error::{Evaluated, Fault};
use crate::function::LoopKind;
use crate::lists::sorted;
use crate::syntax::Expr;
use crate::value::ExpressionValue;

/// Runs a loop: `parts` are the value that it runs over, and its one or two bodies.
pub(super) fn run(
    evaluation: &mut Evaluation<'_>,
    kind: LoopKind,
    parts: &[Expr],
    at: usize,
) -> Evaluated {
    let [over, bodies @ ..] = parts else { return Err(Fault::new(at, "a list is missing")) };
    let items = match evaluation.value(over)? {
        ExpressionValue::List(items) => items,
        ExpressionValue::Object(members) => {
            members.iter().map(|(key, _)| ExpressionValue::Text(key.clone())).collect()
        }
        other => return Err(kinds_differ(over.at, "a list or an object", &other)),
    };
    evaluation.budget.steps(at, items.len())?;
    let mut found = 0;
    let mut made = Vec::new();
    let mut keys = Vec::new();
    for item in &*items {
        evaluation.locals.push(item.clone());
        let step = step(evaluation, kind, bodies, item, &mut made, &mut keys, &mut found);
        evaluation.locals.pop();
        match (kind, step?) {
            (LoopKind::All, false) => return Ok(ExpressionValue::Bool(false)),
            (LoopKind::Exists, true) => return Ok(ExpressionValue::Bool(true)),
            _ => {}
        }
    }
    match kind {
        LoopKind::All => Ok(ExpressionValue::Bool(true)),
        LoopKind::Exists => Ok(ExpressionValue::Bool(false)),
        LoopKind::ExistsOne => Ok(ExpressionValue::Bool(found == 1)),
        LoopKind::Filter | LoopKind::Map => {
            evaluation.budget.values(at, made.len())?;
            Ok(ExpressionValue::list(made))
        }
        LoopKind::SortBy => sorted(&mut evaluation.budget, &keys, &items, at),
    }
}

/// Evaluates the bodies for one item. Returns whether the test holds, if there is one.
fn step(
    evaluation: &mut Evaluation<'_>,
    kind: LoopKind,
    bodies: &[Expr],
    item: &ExpressionValue,
    made: &mut Vec<ExpressionValue>,
    keys: &mut Vec<ExpressionValue>,
    found: &mut usize,
) -> Result<bool, Fault> {
    match (kind, bodies) {
        (LoopKind::Map, [value]) => made.push(evaluation.value(value)?),
        (LoopKind::Map, [test, value]) => {
            let holds = evaluation.test(test)?;
            if holds {
                made.push(evaluation.value(value)?);
            }
        }
        (LoopKind::SortBy, [key]) => keys.push(evaluation.value(key)?),
        (_, [test, ..]) => {
            let holds = evaluation.test(test)?;
            *found += usize::from(holds);
            if holds && kind == LoopKind::Filter {
                made.push(item.clone());
            }
            return Ok(holds);
        }
        _ => {}
    }
    Ok(true)
}
