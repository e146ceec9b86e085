//! The headers of a declared server as they are sent: with the values of variables, and the output
//! of commands.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_environment::expanded;
use silcrow_mcp::{HeaderSource, ServerHeaders};
use silcrow_models::SecretCommand;
use silcrow_settings::{DeclaredHeader, HeaderText, known_secrets};

/// Returns the source of headers, if there are any. `value` looks up the variables of the
/// environment.
pub(crate) fn sent_headers(
    headers: &[DeclaredHeader],
    value: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Option<ServerHeaders>, String> {
    let sent = headers.iter().map(|header| {
        let text = match &header.value {
            HeaderText::Text(text) => SentText::Fixed(expanded(text, value)?),
            HeaderText::Hidden(text) => SentText::Fixed(text.clone()),
            HeaderText::Command { words, prefix } => {
                let words = words.iter().map(|word| expanded(word, value));
                let words = words.collect::<Result<Vec<_>, _>>()?;
                let source = format!("the header {}", header.name);
                let command = SecretCommand::new(words, source).with_secrets(known_secrets());
                SentText::Command(command, prefix.clone())
            }
        };
        Ok((header.name.clone(), text))
    });
    let sent = sent.collect::<Result<Vec<_>, String>>()?;
    Ok((!sent.is_empty()).then(|| ServerHeaders::new(SentHeaders(sent))))
}

/// The headers of a server, with the sources of their values.
struct SentHeaders(Vec<(String, SentText)>);

#[derive(Clone)]
enum SentText {
    Fixed(String),
    Command(SecretCommand, String),
}

impl HeaderSource for SentHeaders {
    fn headers(&self, is_refused: bool) -> BoxFuture<'_, Result<Vec<(String, String)>, String>> {
        async move {
            let mut headers = Vec::new();
            for (name, text) in &self.0 {
                let text = match text.clone() {
                    SentText::Fixed(text) => text,
                    SentText::Command(command, prefix) => {
                        let read = tokio::task::spawn_blocking(move || match is_refused {
                            true => command.read_again(),
                            false => command.text(),
                        });
                        prefix + &read.await.map_err(|error| error.to_string())??
                    }
                };
                headers.push((name.clone(), text));
            }
            Ok(headers)
        }
        .boxed()
    }
}
