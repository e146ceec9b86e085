//! The context of a log that grows from request to request.
//!
//! It knows what such a context promises, and the one that keeps nothing between two requests.

use silcrow_event::Message;

use crate::assembler::{ContextAssembler, ContextInput};

/// Makes the messages of one request after the other from a log that grows.
///
/// [`ContextAssembler::begin`] creates it. It may keep what it made of earlier entries. The messages
/// are nevertheless those that [`ContextAssembler::assemble`] returns for the same input: the law
/// that they depend only on the input holds here, too.
///
/// ```
/// use silcrow_context::{ContextAssembler, ContextInput, FullHistory};
/// use silcrow_event::{Entry, Event};
/// use silcrow_parser::Dialect;
///
/// let mut log = vec![Entry::from(Event::user("one"))];
/// let mut context = FullHistory.begin();
/// for text in ["two", "three"] {
///     log.push(Event::user(text).into());
///     let input = ContextInput::new(&log, Dialect::Sigil);
///     assert_eq!(context.assemble(&input), FullHistory.assemble(&input));
/// }
/// ```
pub trait GrowingContext: Send {
    /// Returns the messages of the next request. The entries of the input begin with all entries of
    /// the input before; everything else may change.
    fn assemble(&mut self, input: &ContextInput<'_>) -> Vec<Message>;
}

/// A context that begins anew at every request.
pub(crate) struct RepeatedContext<'a, C: ?Sized>(pub(crate) &'a C);

impl<C: ContextAssembler + ?Sized> GrowingContext for RepeatedContext<'_, C> {
    fn assemble(&mut self, input: &ContextInput<'_>) -> Vec<Message> {
        self.0.assemble(input)
    }
}
