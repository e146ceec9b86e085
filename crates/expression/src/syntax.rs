//! The tree of an expression.

use crate::error::Fault;
use crate::function::{Function, LoopKind};
use crate::value::ExpressionValue;

/// The greatest number of levels of an expression: of operands inside each other, and of operators in
/// a row.
pub const MAX_DEPTH: usize = 64;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// The position in the source, in bytes.
    pub(crate) at: usize,
    /// The number of nodes on the longest way down, this one included.
    pub(crate) depth: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Literal(ExpressionValue),
    /// A variable of the scope.
    Variable(Box<str>),
    /// A variable that a loop binds: its place among the bound ones, from the outermost.
    Local(usize),
    List(Vec<Expr>),
    Object(Vec<(Expr, Expr)>),
    Member(Box<Expr>, Box<str>),
    Index(Box<[Expr; 2]>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Binary(BinaryOperator, Box<[Expr; 2]>),
    /// `test ? one : other`.
    Choice(Box<[Expr; 3]>),
    /// `has(…)`.
    Has(Box<Expr>),
    /// `ok(id)` and its like.
    Ended(EndTest, Box<str>),
    Call(Function, Vec<Expr>),
    /// A loop over the first expression; the others see one variable more.
    Loop(LoopKind, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOperator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// A test of the end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndTest {
    Ok,
    Failed,
    Skipped,
}

impl BinaryOperator {
    pub(crate) fn find(written: &str) -> Option<Self> {
        OPERATORS.into_iter().find(|operator| operator.as_str() == written)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }

    /// Returns how strongly it binds.
    pub(crate) const fn strength(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal
            | Self::Unequal
            | Self::Less
            | Self::LessOrEqual
            | Self::Greater
            | Self::GreaterOrEqual
            | Self::In => 3,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Remainder => 5,
        }
    }
}

/// Makes a node, unless the tree becomes too deep.
pub(crate) fn node(kind: ExprKind, at: usize) -> Result<Expr, Fault> {
    let deepest = |parts: &[Expr]| parts.iter().map(|part| part.depth).max().unwrap_or(0);
    let below = match &kind {
        ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Local(_) | ExprKind::Ended(..) => {
            0
        }
        ExprKind::List(parts) | ExprKind::Call(_, parts) | ExprKind::Loop(_, parts) => {
            deepest(parts)
        }
        ExprKind::Object(members) => {
            members.iter().map(|(key, value)| key.depth.max(value.depth)).max().unwrap_or(0)
        }
        ExprKind::Member(part, _)
        | ExprKind::Not(part)
        | ExprKind::Negative(part)
        | ExprKind::Has(part) => part.depth,
        ExprKind::Index(parts) | ExprKind::Binary(_, parts) => deepest(&**parts),
        ExprKind::Choice(parts) => deepest(&**parts),
    };
    if below >= MAX_DEPTH {
        return Err(too_deep(at));
    }
    Ok(Expr { kind, at, depth: below + 1 })
}

pub(crate) fn too_deep(at: usize) -> Fault {
    Fault::new(at, format!("the expression has more than {MAX_DEPTH} levels"))
}

const OPERATORS: [BinaryOperator; 14] = [
    BinaryOperator::Or,
    BinaryOperator::And,
    BinaryOperator::Equal,
    BinaryOperator::Unequal,
    BinaryOperator::Less,
    BinaryOperator::LessOrEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterOrEqual,
    BinaryOperator::In,
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Remainder,
];
