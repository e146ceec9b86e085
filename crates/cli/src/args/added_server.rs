//! The server that the arguments of `silcrow mcp add` declare.

use std::collections::BTreeMap;
use std::time::Duration;

use silcrow_environment::split_words;
use silcrow_settings::{DeclaredHeader, DeclaredPlace, DeclaredServer, DeclaredText, is_url};

use super::AddServerArgs;

impl AddServerArgs {
    /// Returns the server that these arguments declare, or words about the error.
    pub(crate) fn declared(&self) -> Result<DeclaredServer, String> {
        let added = self;
        let place = match &added.words[..] {
            [url] if is_url(url) => {
                if !added.env.is_empty() {
                    return Err(String::from("--env is for programs, and this server is at a URL"));
                }
                if added.folder.is_some() {
                    return Err(String::from(
                        "--folder is for programs, and this server is at a URL",
                    ));
                }
                let token = added.token.as_deref().map(DeclaredText::read);
                if let Some(DeclaredText::Text(_)) = token {
                    return Err(String::from(
                        "--token takes the variable that has the token, such as '$ISSUES_TOKEN': a \
                     file of settings holds no key",
                    ));
                }
                let headers = added.header.iter().map(|header| header_of(header));
                let headers = headers.collect::<Result<_, _>>()?;
                DeclaredPlace::Url { url: url.clone(), token, headers }
            }
            words => {
                if !added.header.is_empty() {
                    return Err(String::from("--header is for servers at a URL"));
                }
                if added.token.is_some() {
                    return Err(String::from(
                        "--token is for servers at a URL; a program gets its secrets by \
                     --env 'NAME=$VARIABLE'",
                    ));
                }
                // One word with blanks is a command as it is typed in a shell.
                let words = match words {
                    [line] if line.contains(' ') => split_words(line).ok_or_else(|| {
                        String::from("the command has a quotation mark without another one")
                    })?,
                    words => words.to_vec(),
                };
                let mut env = BTreeMap::new();
                for variable in &added.env {
                    let (name, text) = variable.split_once('=').ok_or_else(|| {
                        String::from("use --env NAME=TEXT, or --env 'NAME=$VARIABLE'")
                    })?;
                    env.insert(name.to_owned(), DeclaredText::read(text));
                }
                let folder = added.folder.clone();
                DeclaredPlace::Command { words, env: env.into_iter().collect(), folder }
            }
        };
        let mut server = DeclaredServer::new(&*added.name, place, "silcrow mcp add");
        server.is_trusted = added.trust;
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        server.timeout = added.timeout.map(seconds);
        server.start_timeout = added.start_timeout.map(seconds);
        Ok(server)
    }
}

fn header_of(written: &str) -> Result<DeclaredHeader, String> {
    let read = match written.split_once('=') {
        Some((name, text)) => DeclaredHeader::read(name, &toml::Value::String(text.to_owned())),
        None => Err("use --header 'NAME=TEXT', or --header 'NAME=$VARIABLE'".to_owned()),
    };
    read.map_err(|why| format!("--header: {why}"))
}
