//! The program around a server: it provides agents, and the choices that a client has for them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_agent::Agent;
use silcrow_event::Content;
use silcrow_media::{DirectDecoder, MediaDecoder};
use silcrow_store::Store;

use crate::client_servers::AcpServer;
use crate::person::AcpPerson;

/// The program whose agents a client runs.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_acp::{AcpCommand, AcpHost, AcpSession, serve};
/// # use futures_util::future::{BoxFuture, ready};
/// # use silcrow_acp::AcpPerson;
/// # use silcrow_agent::Agent;
/// # use silcrow_store::Store;
/// use silcrow_store::MemoryStore;
///
/// struct Host(Arc<MemoryStore>);
///
/// impl AcpHost for Host {
///     fn commands(&self, _: &AcpSession) -> Vec<AcpCommand> {
///         let description = "Greets somebody.".to_owned();
///         vec![AcpCommand { name: "greet".to_owned(), description, hint: Some("who".to_owned()) }]
///     }
///     // The other methods are as on the first page.
///     # fn store(&self) -> Arc<dyn Store> { Arc::<MemoryStore>::clone(&self.0) }
///     # fn new_id(&self) -> String { "talk".to_owned() }
///     # fn agent<'a>(&'a self, _: &'a AcpSession, _: &'a Arc<AcpPerson>)
///     #     -> BoxFuture<'a, Result<Agent, String>> {
///     #     Box::pin(ready(Err("it has no model".to_owned())))
///     # }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let input = concat!(
/// #     r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#, "\n",
/// #     r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
/// # );
/// let mut output = Vec::new();
/// // The client opens a session.
/// serve(Arc::new(Host(Arc::default())), input.as_bytes(), &mut output).await.unwrap();
/// let output = String::from_utf8(output).unwrap();
/// assert!(output.contains("available_commands_update"), "{output}");
/// assert!(output.contains(r#""hint":"who""#), "{output}");
/// # });
/// ```
pub trait AcpHost: Send + Sync {
    /// Returns the store of the agents, from which sessions are also listed and loaded.
    fn store(&self) -> Arc<dyn Store>;

    /// Returns an id for a new conversation.
    fn new_id(&self) -> String;

    /// Makes the agent of a session for one prompt. It asks `person` about calls that need a person's
    /// approval, and may keep them until the end of the prompt. An error is a text for the person.
    fn agent<'a>(
        &'a self,
        session: &'a AcpSession,
        person: &'a Arc<AcpPerson>,
    ) -> BoxFuture<'a, Result<Agent, String>>;

    /// Claims the conversation of a session for one prompt; the claim ends with the value. An error
    /// is a text for the person, such as the place where the conversation is at work. By default
    /// nothing is claimed.
    fn claim(&self, _session: &AcpSession, _prompt: &str) -> Result<Box<dyn Send>, String> {
        Ok(Box::new(()))
    }

    /// Checks the folder of a session before it is opened. An error is a text for the person, such as
    /// that the folder is missing. By default every folder will do.
    fn check_folder(&self, _folder: &Path) -> Result<(), String> {
        Ok(())
    }

    /// Returns the commands of a session, each of which a prompt may begin with as `/name`. None by
    /// default.
    fn commands(&self, _session: &AcpSession) -> Vec<AcpCommand> {
        Vec::new()
    }

    /// Returns the prompt of a command with these words, or `None` for an unknown command: then the
    /// prompt is sent as it is. An error is a text for the person, such as which words are missing.
    fn expand(
        &self,
        _session: &AcpSession,
        _name: &str,
        _words: &str,
    ) -> Option<Result<Content, String>> {
        None
    }

    /// Returns the decoder for the pictures that a client sends, such as a confined process. By
    /// default this process does it.
    fn decoder(&self) -> Arc<dyn MediaDecoder> {
        Arc::new(DirectDecoder)
    }

    /// Deletes a conversation. By default its log is deleted.
    fn delete<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), String>> {
        async move {
            let store = self.store();
            let head = store.head(conversation).await.map_err(|error| error.to_string())?;
            store.delete(conversation, head).await.map_err(|error| error.to_string())
        }
        .boxed()
    }

    /// Returns the user whose conversations a client sees, if there are several.
    fn user(&self) -> Option<&str> {
        None
    }

    /// Returns whether agents have the tools of the [servers](AcpSession::servers) that a client names.
    /// By default those servers are left out.
    fn starts_servers(&self) -> bool {
        false
    }

    /// Returns the modes of a session; sessions begin in the first. None by default.
    fn modes(&self) -> &[AcpChoice] {
        &[]
    }

    /// Returns the further choices of a client. Nothing by default.
    fn options(&self) -> &[AcpOption] {
        &[]
    }
}

/// A session of a client: a conversation and the client's choices for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AcpSession {
    /// The id of the conversation.
    pub id: String,
    /// The folder that the client works in.
    pub folder: PathBuf,
    /// The MCP servers that the client names.
    pub servers: Vec<AcpServer>,
    /// The id of the mode, if the host has modes.
    pub mode: Option<String>,
    /// The chosen value of each option.
    pub options: BTreeMap<String, String>,
}

/// Something that a person may choose in a list of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the protocol names its members")]
pub struct AcpChoice {
    /// The id, which a session has.
    pub id: String,
    /// The name that a person reads.
    pub name: String,
    /// A description of the effect of the choice.
    pub description: String,
}

/// A command that a person may begin a prompt with: `/name`, and words after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the protocol names its members")]
pub struct AcpCommand {
    /// The name, without the slash.
    pub name: String,
    /// A description of the command.
    pub description: String,
    /// The placeholder that a client shows before words are typed. A command without a hint takes
    /// no words.
    pub hint: Option<String>,
}

/// A setting of a session that has a list of values.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_acp::{AcpChoice, AcpHost, AcpOption, serve};
/// # use futures_util::FutureExt as _;
/// # use futures_util::future::{BoxFuture, ready};
/// # use silcrow_acp::{AcpPerson, AcpSession};
/// # use silcrow_agent::Agent;
/// # use silcrow_store::Store;
/// use silcrow_store::MemoryStore;
///
/// struct Host {
///     options: Vec<AcpOption>,
///     store: Arc<MemoryStore>,
/// }
///
/// impl AcpHost for Host {
///     fn options(&self) -> &[AcpOption] {
///         &self.options
///     }
///     // The other methods are as on the first page.
///     # fn store(&self) -> Arc<dyn Store> { Arc::<MemoryStore>::clone(&self.store) }
///     # fn new_id(&self) -> String { "talk".to_owned() }
///     # fn agent<'a>(&'a self, _: &'a AcpSession, _: &'a Arc<AcpPerson>)
///     #     -> BoxFuture<'a, Result<Agent, String>> {
///     #     ready(Err("it has no model".to_owned())).boxed()
///     # }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let choice = |id: &str, description: &str| {
///     let (id, name, description) = (id.to_owned(), id.to_owned(), description.to_owned());
///     AcpChoice { id, name, description }
/// };
/// let choices = vec![choice("small", "Quick answers"), choice("large", "Hard questions")];
/// let models = AcpOption { id: "model".to_owned(), name: "Model".to_owned(), choices };
/// let host = Arc::new(Host { options: vec![models], store: Arc::default() });
/// let input = concat!(
///     r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#, "\n",
///     r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
/// );
/// let mut output = Vec::new();
/// serve(host, input.as_bytes(), &mut output).await.unwrap();
/// // A new session begins with the first choice.
/// let output = String::from_utf8(output).unwrap();
/// assert!(output.contains(r#""currentValue":"small""#), "{output}");
/// # });
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the protocol names its members")]
pub struct AcpOption {
    /// The id of the setting.
    pub id: String,
    /// The name that a person reads.
    pub name: String,
    /// The values, the first of which sessions begin with.
    pub choices: Vec<AcpChoice>,
}

impl AcpSession {
    /// Creates a session with the first of all choices.
    pub(crate) fn new<H: AcpHost + ?Sized>(
        host: &H,
        id: String,
        folder: PathBuf,
        servers: Vec<AcpServer>,
    ) -> Self {
        let first = |choices: &[AcpChoice]| choices.first().map(|choice| choice.id.clone());
        let options = host.options().iter();
        let options = options
            .filter_map(|option| first(&option.choices).map(|value| (option.id.clone(), value)));
        Self { id, folder, servers, mode: first(host.modes()), options: options.collect() }
    }
}
