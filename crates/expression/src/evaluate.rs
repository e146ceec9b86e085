//! The evaluation of a tree.
//!
//! This module evaluates the parts in order. Operators and functions are in files beside it.

use silcrow_event::CallEnd;

use crate::compare::kinds_differ;
use crate::error::{Evaluated, Fault};
use crate::json;
use crate::limits::{EvaluationBudget, EvaluationLimits};
use crate::scope::EvaluationScope;
use crate::syntax::{BinaryOperator, EndTest, Expr, ExprKind};
use crate::value::ExpressionValue;
use crate::{functions, operators};

mod loops;

/// One evaluation: its scope, and the rest of its limits.
pub(crate) struct Evaluation<'s> {
    scope: &'s dyn EvaluationScope,
    pub(crate) budget: EvaluationBudget,
    /// The values of the variables of loops, from the outermost.
    pub(crate) locals: Vec<ExpressionValue>,
}

impl<'s> Evaluation<'s> {
    pub(crate) const fn new(scope: &'s dyn EvaluationScope, limits: EvaluationLimits) -> Self {
        Self { scope, budget: EvaluationBudget::new(limits), locals: Vec::new() }
    }

    pub(crate) fn value(&mut self, expr: &Expr) -> Evaluated {
        let at = expr.at;
        self.budget.steps(at, 1)?;
        match &expr.kind {
            ExprKind::Literal(value) => Ok(value.clone()),
            ExprKind::Variable(_) | ExprKind::Local(_) => match self.find(expr)? {
                Some(value) => Ok(value),
                None => Err(Fault::new(at, "nothing has this name here")),
            },
            ExprKind::Member(object, key) => {
                let object = self.value(object)?;
                member(&object, key, at)
            }
            ExprKind::Index(parts) => {
                let (object, index) = (self.value(&parts[0])?, self.value(&parts[1])?);
                self.index(&object, &index, at)
            }
            ExprKind::List(items) => {
                self.budget.values(at, items.len())?;
                let items = items.iter().map(|item| self.value(item));
                Ok(ExpressionValue::list(items.collect::<Result<Vec<_>, _>>()?))
            }
            ExprKind::Object(members) => {
                self.budget.values(at, members.len())?;
                let mut made = Vec::with_capacity(members.len());
                for (key, value) in members {
                    let ExpressionValue::Text(name) = self.value(key)? else {
                        return Err(Fault::new(key.at, "the key of an object is a string"));
                    };
                    made.push((name, self.value(value)?));
                }
                Ok(json::object(made))
            }
            ExprKind::Not(part) => Ok(ExpressionValue::Bool(!self.test(part)?)),
            ExprKind::Negative(part) => operators::negative(&self.value(part)?, at),
            ExprKind::Choice(parts) => {
                let taken = if self.test(&parts[0])? { &parts[1] } else { &parts[2] };
                self.value(taken)
            }
            ExprKind::Has(part) => Ok(ExpressionValue::Bool(self.find(part)?.is_some())),
            ExprKind::Ended(test, id) => self.ended(*test, id, at),
            ExprKind::Binary(BinaryOperator::Or, parts) => self.either(parts, true),
            ExprKind::Binary(BinaryOperator::And, parts) => self.either(parts, false),
            ExprKind::Binary(operator, parts) => {
                let (left, right) = (self.value(&parts[0])?, self.value(&parts[1])?);
                operators::binary(&mut self.budget, *operator, &left, &right, at)
            }
            ExprKind::Call(function, args) => {
                let args = args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<_>, _>>()?;
                functions::call(&mut self.budget, *function, &args, at)
            }
            ExprKind::Loop(kind, parts) => loops::run(self, *kind, parts, at),
        }
    }

    /// Evaluates a part that must be true or false.
    pub(crate) fn test(&mut self, expr: &Expr) -> Result<bool, Fault> {
        match self.value(expr)? {
            ExpressionValue::Bool(value) => Ok(value),
            other => {
                let message = format!("true or false is needed, and this is {}", other.kind());
                Err(Fault::new(expr.at, message))
            }
        }
    }

    /// Evaluates `||`, which `true` decides, or `&&`, which `false` decides. An error on one side does
    /// not count if the other side decides.
    fn either(&mut self, parts: &[Expr; 2], deciding: bool) -> Evaluated {
        let left = self.test(&parts[0]);
        match left {
            Ok(value) if value == deciding => return Ok(ExpressionValue::Bool(deciding)),
            Err(fault) if fault.is_limit => return Err(fault),
            _ => {}
        }
        let right = self.test(&parts[1])?;
        if right == deciding {
            return Ok(ExpressionValue::Bool(deciding));
        }
        left.map(|_| ExpressionValue::Bool(right))
    }

    /// Returns the value of a variable, or of something on a path from one; `None` if a part of the
    /// path is missing.
    fn find(&mut self, expr: &Expr) -> Result<Option<ExpressionValue>, Fault> {
        self.budget.steps(expr.at, 1)?;
        match &expr.kind {
            ExprKind::Variable(name) => Ok(self.scope.variable(name)),
            ExprKind::Local(place) => Ok(self.locals.get(*place).cloned()),
            ExprKind::Member(object, key) => match self.find(object)? {
                Some(object @ ExpressionValue::Object(_)) => Ok(object.member(key).cloned()),
                Some(ExpressionValue::Null) | None => Ok(None),
                Some(other) => Err(kinds_differ(expr.at, "an object", &other)),
            },
            ExprKind::Index(parts) => {
                let Some(object) = self.find(&parts[0])? else { return Ok(None) };
                let index = self.value(&parts[1])?;
                match (&object, &index) {
                    (ExpressionValue::List(items), ExpressionValue::Int(index)) => {
                        Ok(usize::try_from(*index).ok().and_then(|at| items.get(at)).cloned())
                    }
                    (ExpressionValue::Object(_), ExpressionValue::Text(key)) => {
                        Ok(object.member(key).cloned())
                    }
                    (ExpressionValue::Null, _) => Ok(None),
                    _ => self.index(&object, &index, expr.at).map(Some),
                }
            }
            _ => self.value(expr).map(Some),
        }
    }

    fn index(&mut self, object: &ExpressionValue, index: &ExpressionValue, at: usize) -> Evaluated {
        match (object, index) {
            (ExpressionValue::List(items), ExpressionValue::Int(index)) => {
                let item = usize::try_from(*index).ok().and_then(|index| items.get(index));
                item.cloned().ok_or_else(|| {
                    let count = items.len();
                    Fault::new(at, format!("the list has {count} items, and none at {index}"))
                })
            }
            (ExpressionValue::Object(members), ExpressionValue::Text(key)) => {
                self.budget.steps(at, 1 + members.len() / 8)?;
                member(object, key, at)
            }
            (ExpressionValue::List(_), other) => Err(kinds_differ(at, "a whole number", other)),
            (ExpressionValue::Object(_), other) => Err(kinds_differ(at, "a string", other)),
            (other, _) => Err(kinds_differ(at, "a list or an object", other)),
        }
    }

    fn ended(&self, test: EndTest, id: &str, at: usize) -> Evaluated {
        let Some(end) = self.scope.end(id) else {
            return Err(Fault::new(at, format!("no call with the id `{id}` has ended")));
        };
        Ok(ExpressionValue::Bool(match test {
            EndTest::Ok => end == CallEnd::Ok,
            EndTest::Failed => matches!(end, CallEnd::Failed | CallEnd::Cancelled),
            EndTest::Skipped => end == CallEnd::Skipped,
        }))
    }
}

fn member(object: &ExpressionValue, key: &str, at: usize) -> Evaluated {
    if let Some(value) = object.member(key) {
        return Ok(value.clone());
    }
    let ExpressionValue::Object(members) = object else {
        let message = format!("`{key}` is a member of an object, and this is {}", object.kind());
        return Err(Fault::new(at, message));
    };
    let known = members.iter().take(MAX_NAMED).map(|(name, _)| format!("`{name}`"));
    let known = known.collect::<Vec<_>>().join(", ");
    Err(Fault::new(
        at,
        match members.len() {
            0 => format!("the object has no member `{key}`; it is empty"),
            count if count > MAX_NAMED => {
                format!("the object has no member `{key}`; it has {known}, and others")
            }
            _ => format!("the object has no member `{key}`; it has {known}"),
        },
    ))
}

/// The number of members that an error names.
const MAX_NAMED: usize = 8;
