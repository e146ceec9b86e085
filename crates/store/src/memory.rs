/// A store that lives as long as the process.
#[derive(Debug, Default)]
pub struct Memory;
