//! The readers of all encodings as one type.

use crate::body::{BodyContext, BodyStep};
use crate::elements::ElementBody;
use crate::expression::ExpressionBody;
use crate::json_body::JsonBody;
use crate::loose::LooseBody;
use crate::parameters::ParameterBody;

/// A reader of one encoding.
#[derive(Debug)]
pub(crate) enum BodyReader {
    Json(Box<JsonBody>),
    Parameters(Box<ParameterBody>),
    Elements(Box<ElementBody>),
    Expression(Box<ExpressionBody>),
    Loose(Box<LooseBody>),
}

impl BodyReader {
    /// Takes a character.
    pub(crate) fn step(&mut self, character: char, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self {
            Self::Json(body) => body.step(character, context),
            Self::Parameters(body) => body.step(character, context),
            Self::Elements(body) => body.step(character, context),
            Self::Expression(body) => body.step(character, context),
            Self::Loose(body) => body.step(character, context),
        }
    }

    /// Takes the leading part of a text that only changes the length of the body, and returns its
    /// length in bytes.
    pub(crate) fn run(&mut self, text: &str, context: &mut BodyContext<'_, '_>) -> usize {
        match self {
            Self::Json(body) => body.run(text, context),
            Self::Parameters(body) => body.run(text, context),
            Self::Elements(body) => body.run(text),
            Self::Expression(body) => body.run(text),
            Self::Loose(body) => body.run(text),
        }
    }

    /// Takes the end of the text.
    pub(crate) fn finish(&mut self, context: &mut BodyContext<'_, '_>) -> BodyStep {
        match self {
            Self::Json(body) => body.finish(context),
            Self::Parameters(body) => body.finish(context),
            Self::Elements(body) => body.finish(context),
            Self::Expression(body) => body.finish(context),
            Self::Loose(body) => body.finish(context),
        }
    }
}
