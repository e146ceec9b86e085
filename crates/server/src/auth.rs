//! Who may use a server: tokens, and the sessions of pages that have shown one.
//!
//! A page cannot send a token with an `EventSource`, so it exchanges the token for a cookie that no
//! script can read and no other site sends. The cookie follows from the token, so that every server
//! with the same token knows it, and it ends with the token.

use std::fmt;
use std::io;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header;
use axum::http::request::Parts;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::random::{hex, random_bytes};

/// A secret that gives access to a server. Its debug output does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken([u8; 32]);

impl AccessToken {
    /// Makes a token of 32 random bytes.
    ///
    /// ```
    /// use silcrow_server::AccessToken;
    ///
    /// let token = AccessToken::random().unwrap();
    /// assert_eq!(AccessToken::parse(&token.reveal()), Some(token));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random bytes.
    pub fn random() -> io::Result<Self> {
        random_bytes().map(Self)
    }

    /// Reads a token of 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Returns the token in hexadecimal digits.
    pub fn reveal(&self) -> String {
        hex(&self.0)
    }

    /// Returns the session of a page that has shown the token. It does not tell the token.
    fn session(&self) -> Self {
        // A key may have any length.
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("every length is a length of a key");
        mac.update(b"silcrow session 1");
        Self(mac.finalize().into_bytes().into())
    }

    /// Compares two tokens in a time that does not depend on where they differ.
    fn is(&self, other: &Self) -> bool {
        let differs =
            self.0.iter().zip(&other.0).fold(0, |differs, (one, two)| differs | one ^ two);
        std::hint::black_box(differs) == 0
    }
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

/// The user of a request. Conversations without a user belong to the user without a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a user is a name or nobody")]
pub struct ServerUser {
    /// The name, if there is one.
    pub name: Option<String>,
}

/// Finds the user of a request, for a program that knows its users by itself.
pub(crate) type Authenticator = dyn Fn(&Parts) -> Option<ServerUser> + Send + Sync;

/// Who may use a server.
#[derive(Clone, Default)]
pub(crate) struct Access {
    tokens: Vec<(AccessToken, ServerUser)>,
    /// The sessions of the tokens.
    sessions: Vec<(AccessToken, ServerUser)>,
    pub(crate) authenticator: Option<Arc<Authenticator>>,
}

impl Access {
    pub(crate) fn add(&mut self, token: AccessToken, user: ServerUser) {
        self.sessions.push((token.session(), user.clone()));
        self.tokens.push((token, user));
    }

    /// Returns the user of a request.
    pub(crate) fn user(&self, request: &Parts) -> Option<ServerUser> {
        if let Some(authenticator) = &self.authenticator {
            return authenticator(request);
        }
        if let Some(sent) = request.headers.get(header::AUTHORIZATION) {
            let sent = sent.to_str().ok()?;
            let (scheme, token) = sent.split_once(' ')?;
            let token = AccessToken::parse(token)?;
            return scheme.eq_ignore_ascii_case("bearer").then(|| self.owner(&token))?;
        }
        let session = AccessToken::parse(cookie(&request.headers)?)?;
        find(self.sessions.iter(), &session)
    }

    /// Returns the user to whom a token belongs.
    pub(crate) fn owner(&self, token: &AccessToken) -> Option<ServerUser> {
        find(self.tokens.iter(), token)
    }

    /// Returns the value of the header that sets the cookie of a session, for a token that gives
    /// access.
    pub(crate) fn session(&self, token: &AccessToken, headers: &HeaderMap) -> Option<String> {
        self.owner(token)?;
        let (name, session) = (cookie_name(headers), token.session().reveal());
        Some(format!("{name}={session}; HttpOnly; SameSite=Strict; Path=/"))
    }
}

fn find<'a>(
    known: impl Iterator<Item = &'a (AccessToken, ServerUser)>,
    token: &AccessToken,
) -> Option<ServerUser> {
    // All of them are compared, so that the time does not tell which one was close.
    known.filter(|(known, _)| known.is(token)).map(|(_, user)| user.clone()).last()
}

/// Returns the value of the session's cookie.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let name = cookie_name(headers);
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(&*name)?.strip_prefix('='))
}

/// Returns the name of the cookie. All ports of a host share their cookies, so it has the port.
fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    match port.parse::<u16>() {
        Ok(port) => format!("silcrow_{port}"),
        Err(_) => "silcrow".to_owned(),
    }
}
