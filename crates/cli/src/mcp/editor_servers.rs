//! The servers that an editor names for a session.
//!
//! The person has set them up in the editor, so they count like servers of `--mcp`: they are
//! started, and their claims about their tools are not trusted.

use silcrow_acp::{AcpServer, AcpServerAddress};
use silcrow_environment::is_key_name;
use silcrow_settings::{DeclaredHeader, DeclaredPlace, DeclaredServer, DeclaredText};

/// Adds the servers of an editor, which take the place of others with their names, and returns a line
/// about each that cannot be used.
pub(crate) fn add_servers_of_editor(
    all: &mut Vec<DeclaredServer>,
    servers: &[AcpServer],
) -> Vec<String> {
    let mut unusable = Vec::new();
    let mut added: Vec<DeclaredServer> = Vec::new();
    for server in servers {
        match of_editor(server) {
            Ok(server) if added.iter().any(|other| other.name == server.name) => {
                unusable
                    .push(line(&server.name, "the editor names two servers that are called so"));
            }
            Ok(server) => added.push(server),
            Err(why) => unusable.push(line(&server.name, &why)),
        }
    }
    all.retain(|other| added.iter().all(|server| server.name != other.name));
    all.extend(added);
    unusable
}

fn line(server: &str, why: &str) -> String {
    format!("MCP server {server}: {why}")
}

/// Returns a server of an editor as a declared one. The error names the part that cannot be used.
fn of_editor(server: &AcpServer) -> Result<DeclaredServer, String> {
    let place = match &server.address {
        AcpServerAddress::Command { words, env } => {
            let text = |(name, value): &(String, String)| match is_key_name(name) {
                true => (name.clone(), DeclaredText::Hidden(value.clone())),
                false => (name.clone(), DeclaredText::Text(value.clone())),
            };
            let env = env.iter().map(text);
            DeclaredPlace::Command { words: words.clone(), env: env.collect(), folder: None }
        }
        AcpServerAddress::Url { url, headers } => {
            DeclaredPlace::Url { url: url.clone(), token: None, headers: hidden(headers)? }
        }
        _ => return Err("a server is a program, or is reached over HTTP".to_owned()),
    };
    let declared = DeclaredServer::of_editor(name(&server.name), place);
    declared.check()?;
    Ok(declared)
}

/// Returns a name that tools can begin with. An editor shows any text.
fn name(shown: &str) -> String {
    let is_fine = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '_';
    shown.chars().map(|char| if is_fine(char) { char } else { '-' }).collect()
}

/// Returns the headers, whose values are not shown.
fn hidden(headers: &[(String, String)]) -> Result<Vec<DeclaredHeader>, String> {
    let headers = headers.iter().map(|(name, value)| {
        DeclaredHeader::hidden(name, value).map_err(|why| format!("{why}, so it cannot be sent"))
    });
    headers.collect()
}

#[cfg(test)]
mod tests {
    use silcrow_acp::{AcpServer, AcpServerAddress};
    use silcrow_settings::{DeclaredServer, Environment};

    use super::add_servers_of_editor;

    fn url(headers: &[(&str, &str)]) -> AcpServer {
        let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let address = AcpServerAddress::Url {
            url: "https://issues.example.org/mcp".to_owned(),
            headers: headers.collect(),
        };
        AcpServer { name: "Our issues!".to_owned(), address }
    }

    #[test]
    fn editor_servers_have_tool_names_and_hidden_headers() {
        let servers = ["Our-issues-=one", "time=two"];
        let mut all: Vec<_> = servers.map(|typed| DeclaredServer::typed(typed).unwrap()).into();
        let token = "Bearer secret-0123456789";
        assert_eq!(add_servers_of_editor(&mut all, &[url(&[("authorization", token)])]), [""; 0]);
        let names: Vec<_> = all.iter().map(|server| &*server.name).collect();
        assert_eq!(names, ["time", "Our-issues-"]);
        let server = &all[1];
        assert!(!server.is_trusted);
        let shown = "(with authorization: [hidden])";
        assert!(server.place.to_string().ends_with(shown), "{}", server.place);
        assert_eq!(server.secrets(&Environment::process())[0].expose(), "secret-0123456789");
    }

    #[test]
    fn unusable_editor_servers_are_reported() {
        let mut all = Vec::new();
        let twice = add_servers_of_editor(&mut all, &[url(&[]), url(&[]), url(&[("Host", "1")])]);
        assert_eq!(all.len(), 1);
        assert!(twice[0].starts_with("MCP server Our-issues-: the editor names two"), "{twice:?}");
        assert!(
            twice[1].starts_with("MCP server Our issues!: the header Host is set"),
            "{twice:?}"
        );
    }
}
