//! The encodings of calls.

/// The encoding of a call in the text of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FamilyKind {
    /// A JSON object with a name and arguments.
    Object,
    /// A list of such objects.
    Array,
    /// A name between marks, then arguments in JSON.
    Header,
    /// A name, then parameters whose values are bare text.
    Parameters,
    /// Nested elements whose names are the keys.
    Elements,
    /// A call as in Python.
    Expression,
    /// An object with bare keys and a special quotation mark.
    Loose,
    /// A message whose header names its recipient.
    Messages,
    /// Thoughts only: the models have no native form of calls.
    Thought,
}
