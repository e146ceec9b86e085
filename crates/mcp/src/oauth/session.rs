//! The login at one server: its token, and how another one is got.

use std::sync::{Mutex, PoisonError};

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession,
    InMemoryCredentialStore, WWWAuthenticateParams,
};
use tokio::time::timeout;

use super::credentials::FileCredentials;
use super::loopback::Loopback;
use super::{LoginPrompt, LoginSettings, OAuthLogin};
use crate::loopback::is_loopback;

/// The login at one server.
pub(crate) struct LoginSession {
    login: OAuthLogin,
    server: String,
    url: Url,
    /// The lock allows one login at a time. `None` before the first request.
    manager: tokio::sync::Mutex<Option<AuthorizationManager>>,
    /// The result of the person's last login.
    ended: Mutex<Option<Result<(), String>>>,
    /// The last token that the observer has taken.
    observed: Mutex<Option<String>>,
}

impl LoginSession {
    pub(crate) fn new(login: OAuthLogin, server: &str, url: Url) -> Self {
        let (manager, ended, observed) = Default::default();
        Self { login, server: server.to_owned(), url, manager, ended, observed }
    }

    /// Returns the result of the person's last login, if there was one.
    pub(crate) fn ended(&self) -> Option<Result<(), String>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shows the observer a token that is about to be sent, unless it was the last one.
    pub(crate) fn observe(&self, token: Option<&str>) {
        let (Some(token), Some(observer)) = (token, &self.login.settings().observer) else {
            return;
        };
        let mut observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
        if observed.as_deref() != Some(token) {
            observer(token);
            *observed = Some(token.to_owned());
        }
    }

    /// Returns a token, if there is one that is valid or can be renewed.
    pub(crate) async fn token(&self) -> Result<Option<String>, AuthError> {
        let mut kept = self.manager.lock().await;
        let LoginSettings { folder, starts_anew, .. } = self.login.settings();
        match &*kept {
            Some(manager) => match manager.get_access_token().await {
                Ok(token) => return Ok(Some(token)),
                Err(_) if folder.is_some() => {}
                Err(AuthError::AuthorizationRequired) => return Ok(None),
                Err(error) => return Err(error),
            },
            None if *starts_anew => return Ok(None),
            None => {}
        }
        // Another process may have logged in meanwhile, as another client.
        let mut manager = self.manager().await?;
        let found = manager.initialize_from_store().await;
        match manager.get_access_token().await {
            Ok(token) => {
                *kept = Some(manager);
                Ok(Some(token))
            }
            Err(AuthError::AuthorizationRequired) => Ok(None),
            // The issuer cannot be reached.
            Err(error) => Err(found.err().unwrap_or(error)),
        }
    }

    /// Gets another token after the server has refused a request with this one.
    pub(crate) async fn log_in(
        &self,
        challenge: &str,
        refused: Option<&str>,
    ) -> Result<String, AuthError> {
        let mut kept = self.manager.lock().await;
        let asked = WWWAuthenticateParams::parse(challenge, &self.url);
        let mut scopes = Vec::new();
        if let Some(manager) = &*kept {
            // Another request has logged in meanwhile.
            if let Ok(token) = manager.get_access_token().await
                && refused.is_some_and(|refused| refused != token)
            {
                return Ok(token);
            }
            if asked.is_insufficient_scope() {
                scopes = manager.get_current_scopes().await;
            } else if refused.is_some()
                && manager.refresh_token().await.is_ok()
                && let Ok(token) = manager.get_access_token().await
            {
                return Ok(token);
            }
        }
        let Some(prompt) = &self.login.settings().prompt else {
            return Err(AuthError::AuthorizationRequired);
        };
        let asked = self.ask(&**prompt, challenge, scopes, &asked).await;
        let ended = asked.as_ref().map(drop).map_err(|error| silcrow_event::error_chain(error));
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        let manager = asked?;
        let token = manager.get_access_token().await;
        *kept = Some(manager);
        token
    }

    /// Sends the person to the issuer, and exchanges the code that the browser brings back.
    async fn ask(
        &self,
        prompt: &dyn LoginPrompt,
        challenge: &str,
        mut scopes: Vec<String>,
        asked: &WWWAuthenticateParams,
    ) -> Result<AuthorizationManager, AuthError> {
        let settings = self.login.settings();
        let mut manager = self.manager().await?;
        let found = manager.resolve_metadata_from_challenge(Some(challenge)).await?;
        let issuer = found.metadata.issuer.clone();
        manager.set_metadata(found.metadata);
        let internal = |why: std::io::Error| {
            AuthError::InternalError(format!("the browser has no address to return to: {why}"))
        };
        let loopback = Loopback::bind().await.map_err(internal)?;
        let mut request = AuthorizationRequest::new(loopback.url())
            .with_client_name("silcrow")
            .with_application_type("native")
            .with_initial_scope_selection();
        if !scopes.is_empty() {
            let more = asked.scope.iter().flat_map(|scope| scope.split_whitespace());
            scopes.extend(more.map(str::to_owned));
            scopes.sort();
            scopes.dedup();
            request = request.with_scopes(scopes);
        }
        if let Some(url) = &settings.metadata_url {
            request = request.with_client_metadata_url(url);
        }
        if let Some(client) = &settings.registered
            && issuer.as_deref() == Some(&*client.issuer)
        {
            request = request.with_preregistered_client(&client.id);
            if let Some(secret) = &client.secret {
                request = request.with_client_secret(secret);
            }
        }
        let session = AuthorizationSession::new(manager, request).await;
        let session = session.map_err(|(_, error)| error)?;
        let link = session.get_authorization_url().to_owned();
        if !is_page(&link) {
            let why = "the issuer's page for logging in is not at an address of the web";
            return Err(AuthError::AuthorizationFailed(why.to_owned()));
        }
        prompt.show(&self.server, &link);
        let returned = timeout(settings.patience, loopback.returned(&link)).await;
        let returned = returned.map_err(|_| {
            AuthError::AuthorizationFailed("nobody has logged in in time".to_owned())
        })?;
        session.handle_callback_url(&returned.map_err(internal)?).await?;
        Ok(session.auth_manager)
    }

    async fn manager(&self) -> Result<AuthorizationManager, AuthError> {
        let mut manager = AuthorizationManager::new(self.url.clone()).await?;
        match &self.login.settings().folder {
            Some(folder) => {
                manager.set_credential_store(FileCredentials::new(folder, self.url.as_str()));
            }
            None => manager.set_credential_store(InMemoryCredentialStore::new()),
        }
        Ok(manager)
    }
}

/// Returns whether a link opens a page over a connection that nobody can tamper with, and does not
/// start a program.
fn is_page(link: &str) -> bool {
    Url::parse(link).is_ok_and(|link| {
        link.has_host()
            && (link.scheme() == "https" || (link.scheme() == "http" && is_loopback(&link)))
    })
}

#[test]
fn only_pages_are_opened() {
    for (link, is_one) in [
        ("https://issuer.example.org/authorize?state=1", true),
        ("http://127.0.0.1:8080/authorize", true),
        ("http://issuer.example.org/authorize", false),
        ("file:///etc/passwd", false),
        ("mailto:ann@example.org", false),
        ("-x", false),
    ] {
        assert_eq!(is_page(link), is_one, "{link}");
    }
}
