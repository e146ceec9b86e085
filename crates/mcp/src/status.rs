//! The state of a server, as a person reads it.

/// The state of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The name of the server.
    pub name: String,
    /// The command or the URL.
    pub address: String,
    /// Whether the person trusts the server.
    pub is_trusted: bool,
    /// The name and version that the server reports; `None` before it was reached.
    pub program: Option<String>,
    /// The protocol revision that the server speaks; `None` before it was reached.
    pub revision: Option<String>,
    /// The names of its tools in a toolbox.
    pub tools: Vec<String>,
    /// The names of its prompts.
    pub prompts: Vec<String>,
    /// The reasons why tools were left out, and which list was cut.
    pub notices: Vec<String>,
    /// The reason why the server is not reachable; `None` if it is, or is still starting.
    pub failure: Option<String>,
    /// Whether it is not reachable because it rejects the credentials. The failure names the next
    /// step.
    pub is_refused: bool,
    /// The last lines of its log output.
    pub log: Vec<String>,
}
