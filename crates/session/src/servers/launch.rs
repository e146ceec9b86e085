//! The start of a declared server: its program or address, with the values of variables and the
//! stored login.

use std::path::Path;

use silcrow_mcp::{OAuthLogin, ServerAddress, ServerCommand, ServerConfig, ServerUrl};
use silcrow_sanitize::{Secret, Secrets};
use silcrow_settings::{DeclaredPlace, DeclaredServer, Environment, ProgramStart};

use super::logins::{kept_login, kept_logins};
use super::sent_headers::sent_headers;

/// Starts a declared server.
///
/// ```
/// use std::path::Path;
///
/// use silcrow_sanitize::Secrets;
/// use silcrow_session::servers::ServerLaunch as _;
/// use silcrow_settings::DeclaredServer;
///
/// let server = DeclaredServer::typed("time=uvx mcp-server-time")?;
/// let config = server.to_config(Path::new("."), &Secrets::default())?;
/// assert_eq!(config.name, "time");
/// assert!(!server.has_login());
/// # Ok::<(), String>(())
/// ```
pub trait ServerLaunch {
    /// Returns the configuration that starts the server for a run whose tools see `root`. Nobody
    /// logs in for it, and the tokens of its login become secrets. The error names a variable that
    /// is not set.
    fn to_config(&self, root: &Path, secrets: &Secrets) -> Result<ServerConfig, String>;

    /// Returns the configuration that starts the server. A person may log in at it if it has no
    /// token.
    fn to_config_with(
        &self,
        root: &Path,
        login: Option<OAuthLogin>,
    ) -> Result<ServerConfig, String>;

    /// Returns whether credentials for the server are stored.
    fn has_login(&self) -> bool;

    /// Returns the values of the environment variables that the server gets, its hidden texts, and
    /// the tokens of a login.
    fn all_secrets(&self) -> Vec<Secret>;
}

impl ServerLaunch for DeclaredServer {
    fn to_config(&self, root: &Path, secrets: &Secrets) -> Result<ServerConfig, String> {
        let typed = self.login_url().filter(|_| self.is_in_no_file());
        let login = self.login_url().and_then(|_| kept_login(&self.name, typed));
        let (secrets, name) = (secrets.clone(), login_name(self));
        let observer = move |token: &str| secrets.add(Secret::new(token, &*name));
        let login = login.map(|login| login.with_observer(observer));
        self.to_config_with(root, login)
    }

    fn to_config_with(
        &self,
        root: &Path,
        login: Option<OAuthLogin>,
    ) -> Result<ServerConfig, String> {
        if let Some(program) = self.program() {
            program.prepare(root)?;
        }
        let address = address(self, root, login)?;
        let config = ServerConfig::new(&self.name, address).map_err(|error| error.to_string())?;
        let config = self.timeout.into_iter().fold(config, ServerConfig::with_timeout);
        let config = self.start_timeout.into_iter().fold(config, ServerConfig::with_start_timeout);
        Ok(config.with_trust(self.is_trusted))
    }

    fn has_login(&self) -> bool {
        !login_tokens(self).is_empty()
    }

    fn all_secrets(&self) -> Vec<Secret> {
        let (name, tokens) = (login_name(self), login_tokens(self));
        let login = tokens.iter().map(|token| Secret::new(token, &*name));
        self.secrets(&Environment::process()).into_iter().chain(login).collect()
    }
}

fn address(
    server: &DeclaredServer,
    root: &Path,
    login: Option<OAuthLogin>,
) -> Result<ServerAddress, String> {
    let value = |variable: &str| {
        Environment::process()
            .get(variable)
            .ok_or_else(|| format!("the variable {variable} of the environment is not set"))
    };
    if let Some(program) = server.program() {
        return Ok(ServerAddress::Command(command(program.start(root, &value)?)));
    }
    let mut address = ServerUrl::default();
    if let DeclaredPlace::Url { url, token, headers } = &server.place {
        address.url.clone_from(url);
        if let Some(headers) = sent_headers(headers, &value)? {
            address = address.with_headers(headers);
        }
        address = match (token, login) {
            (Some(token), _) => address.with_token(token.value(&value)?),
            (None, Some(login)) => address.with_login(login),
            (None, None) => address,
        };
    }
    Ok(ServerAddress::Url(address))
}

fn command(start: ProgramStart) -> ServerCommand {
    let mut command = ServerCommand::default();
    command.words = start.words;
    command.variables = start.variables;
    command.folder = start.folder;
    command.empty_folders = start.empty_folders;
    command.compared = start.compared;
    command
}

/// Returns the name of a server's tokens where they are masked.
fn login_name(server: &DeclaredServer) -> String {
    format!("the login at {}", server.name)
}

fn login_tokens(server: &DeclaredServer) -> Vec<String> {
    let kept = server.login_url().zip(kept_logins());
    kept.map(|(url, kept)| kept.tokens(url)).unwrap_or_default()
}
