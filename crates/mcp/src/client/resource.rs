//! The resources and prompts of servers, which a person names.

use rmcp::model::{
    ContentBlock, EmbeddedResource, GetPromptRequestParams, ReadResourceRequestParams,
};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::client::pages;
use crate::client::result::text_of;
use crate::client::server::ServerHandle;
use crate::client::servers::McpServers;
use crate::error::{Error, ErrorKind};
use crate::offered::{ServerPrompt, ServerResource, ServerText};

impl McpServers {
    /// Returns the prompts of all servers.
    pub fn prompts(&self) -> Vec<ServerPrompt> {
        let of = |server: &ServerHandle| {
            let prompts = server.known().prompts;
            let prompts = prompts.iter().map(|prompt| {
                let args = prompt.arguments.iter().flatten();
                ServerPrompt {
                    server: server.config.name.clone(),
                    name: prompt.name.clone(),
                    about: prompt
                        .description
                        .clone()
                        .or_else(|| prompt.title.clone())
                        .unwrap_or_default(),
                    args: args.map(|arg| (arg.name.clone(), arg.required == Some(true))).collect(),
                }
            });
            prompts.collect::<Vec<_>>()
        };
        self.iter().flat_map(|server| of(server)).collect()
    }

    /// Returns the text of a prompt with these arguments.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached or refuses.
    pub async fn prompt(
        &self,
        server: &str,
        name: &str,
        args: Map<String, Value>,
    ) -> Result<ServerText, Error> {
        let server = self.named(server)?;
        let connection = server.connection().await?;
        let request = GetPromptRequestParams::new(name).with_arguments(args);
        let what = format!("the prompt `{name}`");
        let answer = timeout(server.config.timeout, connection.peer().get_prompt(request)).await;
        let answer = answer.map_err(|_| silent(server, &what))?;
        let answer = answer.map_err(|error| refused(server, &what, error))?;
        let blocks = answer.messages.into_iter().map(|message| message.content);
        let (text, notices) = text_of(blocks);
        Ok(ServerText { text, notices })
    }

    /// Returns the resources that a server lists, or none for a server without any.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached or refuses.
    pub async fn resources(&self, server: &str) -> Result<Vec<ServerResource>, Error> {
        let server = self.named(server)?;
        let connection = server.connection().await?;
        let info = connection.peer().peer_info();
        if info.is_some_and(|info| info.capabilities.resources.is_none()) {
            return Ok(Vec::new());
        }
        let what = "the list of its resources";
        let answer = timeout(server.config.timeout, pages::resources(connection.peer())).await;
        let listed = answer.map_err(|_| silent(server, what))?;
        let listed = listed.map_err(|error| refused(server, what, error))?;
        let resource = |one: rmcp::model::Resource| ServerResource {
            server: server.config.name.clone(),
            about: one.title.or(one.description).unwrap_or(one.name),
            uri: one.uri,
        };
        Ok(listed.items.into_iter().map(resource).collect())
    }

    /// Returns whether there is a server of this name.
    pub fn has(&self, server: &str) -> bool {
        self.find(server).is_some()
    }

    /// Reads a resource.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached or refuses.
    pub async fn read_resource(&self, server: &str, uri: &str) -> Result<ServerText, Error> {
        let server = self.named(server)?;
        let connection = server.connection().await?;
        let request = ReadResourceRequestParams::new(uri);
        let what = format!("the resource {uri}");
        let answer = timeout(server.config.timeout, connection.peer().read_resource(request)).await;
        let answer = answer.map_err(|_| silent(server, &what))?;
        let answer = answer.map_err(|error| refused(server, &what, error))?;
        let block = |contents| ContentBlock::Resource(EmbeddedResource::new(contents));
        let (text, notices) = text_of(answer.contents.into_iter().map(block));
        Ok(ServerText { text, notices })
    }

    fn named(&self, server: &str) -> Result<&std::sync::Arc<ServerHandle>, Error> {
        self.find(server).ok_or_else(|| {
            let names: Vec<_> = self.iter().map(|server| &*server.config.name).collect();
            let message = format!("unknown server `{server}`; use one of {}", names.join(", "));
            Error::new(ErrorKind::Invalid, message)
        })
    }
}

fn silent(server: &ServerHandle, what: &str) -> Error {
    let message = format!("the server `{}` did not send {what} in time", server.config.name);
    Error::new(ErrorKind::Silent, message)
}

fn refused(server: &ServerHandle, what: &str, error: rmcp::ServiceError) -> Error {
    let message = format!("the server `{}` does not send {what}", server.config.name);
    Error::new(ErrorKind::Protocol, message).with_source(error)
}
