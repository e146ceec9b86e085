//! The encoding of a call's body.

use crate::elements::ElementForm;
use crate::expression::ExpressionForm;
use crate::json_body::JsonForm;
use crate::loose::LooseForm;
use crate::parameter_form::ParameterForm;

/// The encoding of a call, with the marks of a family.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BodyEncoding {
    Json(&'static JsonForm),
    Parameters(&'static ParameterForm),
    Elements(&'static ElementForm),
    Expression(&'static ExpressionForm),
    Loose(&'static LooseForm),
}
