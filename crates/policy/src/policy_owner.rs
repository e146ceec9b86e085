//! The owner of a policy, which determines what its rules may do and who reads its words.

/// The owner of a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a policy is the person's or it only narrows")]
pub enum PolicyOwner {
    /// The person's own file, which may allow.
    Person,
    /// The file of a project, which may come from anywhere. It can only narrow: it has no rules
    /// that allow, and its mode counts if it is narrower.
    Project,
}
