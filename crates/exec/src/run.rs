/// The tools of an agent, by name.
pub struct Toolbox;

/// A second tool of one name.
pub struct Twice;

/// Runs calls in parallel.
pub struct Runner;
