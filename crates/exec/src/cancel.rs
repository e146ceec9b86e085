/// A stop sign that many may look at.
#[derive(Clone, Debug, Default)]
pub struct Cancel;
