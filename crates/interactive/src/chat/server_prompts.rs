//! The prompts of MCP servers, which a session uses as slash commands: `/server:prompt`.

use serde_json::{Map, Value};
use silcrow_environment::split_words;
use silcrow_mcp::ServerPrompt;
use silcrow_session::prompt::of_server;
use silcrow_tool::closest_names;

use super::{ChatSession, SessionStep};
use crate::error::Error;

impl ChatSession {
    /// Runs the agent on a prompt of a server. The line is the command with its arguments.
    pub(super) async fn server_prompt(&mut self, line: &str) -> Result<SessionStep, Error> {
        self.be_ready().await?;
        let prompts = self.servers.servers().prompts();
        let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let Some(prompt) = prompts.iter().find(|prompt| command_name(prompt) == name) else {
            let names: Vec<_> = prompts.iter().map(command_name).collect();
            let close = closest_names(name, names.iter().map(String::as_str));
            let hint = match (&close[..], &names[..]) {
                ([], []) => "no server has a prompt".to_owned(),
                ([], names) => format!("there are {}", names.join(", ")),
                (close, _) => format!("did you mean {}?", close.join(" or ")),
            };
            return Err(Error::given(format!("unknown prompt {name}; {hint}")));
        };
        let args = args(prompt, words)?;
        let servers = self.servers.servers();
        let expanded = of_server(line, &prompt.server, &prompt.name, args, servers).await?;
        self.run_expanded(line, expanded).await
    }
}

/// Returns the slash command of a prompt.
pub(super) fn command_name(prompt: &ServerPrompt) -> String {
    format!("/{}:{}", prompt.server, prompt.name)
}

/// Returns how the arguments of a prompt are typed.
pub(super) fn usage(prompt: &ServerPrompt) -> String {
    let arg = |(name, is_required): &(String, bool)| match is_required {
        true => format!("{name}=…"),
        false => format!("[{name}=…]"),
    };
    prompt.args.iter().map(arg).collect::<Vec<_>>().join(" ")
}

/// Reads the arguments of a prompt: `name=text` for each, with quotation marks around a text with
/// blanks, or the text alone if the prompt has one argument.
fn args(prompt: &ServerPrompt, typed: &str) -> Result<Map<String, Value>, Error> {
    let how = || format!("{} {}", command_name(prompt), usage(prompt));
    let wrong = |why: String| Error::given(format!("{why}; write {}", how()));
    let mut args = Map::new();
    let is_known = |name: &str| prompt.args.iter().any(|(known, _)| known == name);
    let words = split_words(typed)
        .ok_or_else(|| wrong("there is a quotation mark without another one".to_owned()))?;
    let named: Option<Vec<_>> =
        words.iter().map(|word| word.split_once('=').filter(|(name, _)| is_known(name))).collect();
    match (named, &prompt.args[..]) {
        (Some(named), _) => {
            args.extend(named.into_iter().map(|(name, text)| (name.to_owned(), text.into())));
        }
        (None, [(only, _)]) => drop(args.insert(only.clone(), typed.trim().into())),
        (None, []) => return Err(wrong("the prompt takes no arguments".to_owned())),
        (None, _) => return Err(wrong("the arguments are not known".to_owned())),
    }
    let missing =
        prompt.args.iter().find(|(name, is_required)| *is_required && !args.contains_key(name));
    match missing {
        Some((name, _)) => Err(wrong(format!("the argument {name} is missing"))),
        None => Ok(args),
    }
}
