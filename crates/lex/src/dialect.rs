/// A wire form of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "section 1 of the protocol names them all")]
pub enum Dialect {
    /// `§think:` `§call: {…}` `§execute` `§respond:` `§end`.
    Sigil,
    /// `<think>…</think>` `<execute>[…]</execute>` and text.
    Phase,
    /// `<thought>…</thought>` `<action …>{…}</action>` `<response>…</response>`.
    Action,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Sigil, Self::Phase, Self::Action];

    /// Its name on a command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sigil => "sigil",
            Self::Phase => "phase",
            Self::Action => "action",
        }
    }

    /// The dialect of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name)
    }
}
