//! The texts of MCP servers that go with a prompt: resources, which its words name as `@server:uri`,
//! and a prompt of a server, which a slash command names.

use serde_json::{Map, Value};
use silcrow_event::{Content, error_chain};
use silcrow_mcp::{McpServers, ServerText};
use silcrow_term::quantity::size;

use super::attachment::{AttachedSource, Attachment, MOST_BYTES};
use super::{ExpandedPrompt, attach};
use crate::error::Error;

/// A resource that the words of a prompt name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a text is named by these two")]
pub struct NamedResource {
    /// The name of the server.
    pub server: String,
    /// The address of the text there.
    pub uri: String,
}

impl NamedResource {
    fn name(&self) -> String {
        format!("@{}:{}", self.server, self.uri)
    }
}

/// Adds resources to a prompt, and returns the lines that say so.
pub async fn with_resources(
    mut content: Content,
    named: &[NamedResource],
    servers: &McpServers,
) -> Result<(Content, Vec<String>), Error> {
    let words = content.parts().first().map(|part| part.text().into_owned()).unwrap_or_default();
    let mut notices = Vec::new();
    for resource in named {
        let read = servers.read_resource(&resource.server, &resource.uri).await;
        let read = read.map_err(|error| Error::failed(error_chain(&error)))?;
        let file = attachment(resource.name(), AttachedSource::Resource, read)?;
        notices.push(attach(&mut content, &words, &file));
    }
    Ok((content, notices))
}

/// Returns a prompt whose words are the command that the person typed, with the text of the
/// server's prompt beside them. A server's text never counts as the person's words.
pub async fn of_server(
    typed: &str,
    server: &str,
    name: &str,
    args: Map<String, Value>,
    servers: &McpServers,
) -> Result<ExpandedPrompt, Error> {
    let read = servers.prompt(server, name, args).await;
    let read = read.map_err(|error| Error::failed(error_chain(&error)))?;
    let words = format!(
        "{typed}\n\nDo what the prompt `{name}` of the MCP server `{server}` says, which is below."
    );
    let mut content = Content::from(&*words);
    let file = attachment(format!("/{server}:{name}"), AttachedSource::Prompt, read)?;
    let notice = attach(&mut content, &words, &file);
    Ok(ExpandedPrompt { content, notices: vec![notice], resources: Vec::new() })
}

fn attachment(name: String, what: AttachedSource, read: ServerText) -> Result<Attachment, Error> {
    let ServerText { mut text, notices, .. } = read;
    for notice in notices {
        text += &format!("\n[{notice}]");
    }
    if text.len() > MOST_BYTES {
        return Err(Error::given(format!(
            "{name} has {}, and a text in a prompt has at most {}",
            size(text.len()),
            size(MOST_BYTES),
        )));
    }
    Ok(Attachment { name, what, text, medium: None })
}
