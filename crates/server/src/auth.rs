//! Authentication: tokens, and the sessions of pages that have shown a token.
//!
//! A page cannot send a token with an `EventSource`, so it exchanges the token for a cookie that no
//! script can read and no other site sends. The cookie is a random number, and a proof of it
//! derived from the token, so that every server with the same token recognizes it. It expires with
//! the token, or when its page logs out ([`ended_sessions`](crate::ended_sessions)).

use std::fmt;
use std::io;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header;
use axum::http::request::Parts;
use hmac::{Hmac, KeyInit as _, Mac as _};
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
    ///
    /// ```
    /// use silcrow_server::AccessToken;
    ///
    /// let token = AccessToken::parse(&"0f".repeat(32)).unwrap();
    /// assert!(token.reveal().starts_with("0f0f"));
    /// assert!(AccessToken::parse("hunter2").is_none());
    /// ```
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

    /// Returns the proof of a session whose page has shown the token.
    fn proof(&self, session: &str) -> Self {
        self.signature("silcrow session 2 ", session)
    }

    /// Returns a proof that the author of a text for a purpose has the token. The proof does not
    /// reveal the token.
    fn signature(&self, purpose: &str, text: &str) -> Self {
        // A key may have any length.
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("every length is a length of a key");
        mac.update(purpose.as_bytes());
        mac.update(text.as_bytes());
        Self(mac.finalize().into_bytes().into())
    }

    /// Compares two tokens in a time that does not depend on the position of their difference.
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

/// Finds the user of a request, for a program that authenticates its users itself.
pub(crate) type Authenticator = dyn Fn(&Parts) -> Option<ServerUser> + Send + Sync;

/// The users of a server.
#[derive(Clone, Default)]
pub(crate) struct Access {
    tokens: Vec<(AccessToken, ServerUser)>,
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    /// The users who see and answer the questions of all users.
    owners: Vec<ServerUser>,
    /// The programs that name people of their own.
    chat_programs: Vec<ServerUser>,
}

/// The user of a request, and how the user was identified.
pub(crate) struct KnownUser {
    pub(crate) user: ServerUser,
    /// The session of a page, which may be over.
    pub(crate) session: Option<String>,
}

impl Access {
    pub(crate) fn add(&mut self, token: AccessToken, user: ServerUser) {
        self.tokens.push((token, user));
    }

    pub(crate) fn add_owner(&mut self, owner: ServerUser) {
        self.owners.push(owner);
    }

    pub(crate) fn add_chat_program(&mut self, program: ServerUser) {
        self.chat_programs.push(program);
    }

    /// Returns whether a user may change what users may spend in all.
    pub(crate) fn may_raise_limits(&self, user: &ServerUser) -> bool {
        user.name.is_none() || self.is_owner(user)
    }

    /// Returns whether a user may name people of its own, who are users then.
    pub(crate) fn may_name_people(&self, user: &ServerUser) -> bool {
        self.may_raise_limits(user) || self.chat_programs.contains(user)
    }

    /// Returns whether a user sees and answers the questions of all users.
    pub(crate) fn is_owner(&self, user: &ServerUser) -> bool {
        self.owners.contains(user)
    }

    /// Signs a text for a purpose with the first token, which all servers of a store have. `None`
    /// if the server authenticates its users in another way.
    pub(crate) fn sign(&self, purpose: &str, text: &str) -> Option<String> {
        let (token, _) = self.tokens.first().filter(|_| self.authenticator.is_none())?;
        Some(token.signature(purpose, text).reveal())
    }

    /// Returns whether a text was signed for a purpose with one of the tokens.
    pub(crate) fn is_signed(&self, purpose: &str, text: &str, signature: &str) -> bool {
        let Some(signature) = AccessToken::parse(signature) else { return false };
        let tokens = self.tokens.iter().filter(|_| self.authenticator.is_none());
        find(tokens.map(|(token, user)| (token.signature(purpose, text).is(&signature), user)))
            .is_some()
    }

    /// Returns the user of a request.
    pub(crate) fn user(&self, request: &Parts) -> Option<KnownUser> {
        let known = |user| KnownUser { user, session: None };
        if let Some(authenticator) = &self.authenticator {
            return authenticator(request).map(known);
        }
        if let Some(sent) = request.headers.get(header::AUTHORIZATION) {
            let sent = sent.to_str().ok()?;
            let (scheme, token) = sent.split_once(' ')?;
            let token = AccessToken::parse(token)?;
            return scheme.eq_ignore_ascii_case("bearer").then(|| self.owner(&token))?.map(known);
        }
        self.session_user(&request.headers)
    }

    /// Returns the user of a token.
    pub(crate) fn owner(&self, token: &AccessToken) -> Option<ServerUser> {
        find(self.tokens.iter().map(|(known, user)| (known.is(token), user)))
    }

    /// Returns the user of the session that a cookie names.
    pub(crate) fn session_user(&self, headers: &HeaderMap) -> Option<KnownUser> {
        let (session, proof) = cookie(headers)?.split_at_checked(SESSION)?;
        let proof = AccessToken::parse(proof)?;
        let known = self.tokens.iter();
        let user = find(known.map(|(token, user)| (token.proof(session).is(&proof), user)))?;
        Some(KnownUser { user, session: Some(session.to_owned()) })
    }

    /// Begins a session for a token that gives access, and returns the value of the header that sets
    /// its cookie.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random bytes.
    pub(crate) fn begin_session(
        &self,
        token: &AccessToken,
        headers: &HeaderMap,
        is_encrypted: bool,
    ) -> io::Result<Option<String>> {
        if self.owner(token).is_none() {
            return Ok(None);
        }
        let session = hex(&random_bytes::<{ SESSION / 2 }>()?);
        let value = format!("{session}{}", token.proof(&session).reveal());
        Ok(Some(set_cookie(headers, &value, is_encrypted)))
    }
}

/// Returns the value of the header that ends the cookie in the browser.
pub(crate) fn ended_cookie(headers: &HeaderMap, is_encrypted: bool) -> String {
    format!("{}; Max-Age=0", set_cookie(headers, "", is_encrypted))
}

fn set_cookie(headers: &HeaderMap, value: &str, is_encrypted: bool) -> String {
    let (name, secure) = (cookie_name(headers), if is_encrypted { "; Secure" } else { "" });
    format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/{secure}")
}

/// Returns whether the browser reaches the server by TLS, judged by the request: a page names its
/// own origin, and a proxy names the scheme of its request. A client that forges either only
/// withholds its own cookie from connections that are not encrypted.
pub(crate) fn is_encrypted(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let origin = text("origin").unwrap_or_default();
    let asked = text("x-forwarded-proto").unwrap_or_default();
    origin.starts_with("https://") || asked.trim().eq_ignore_ascii_case("https")
}

/// Returns the user of the token that fits.
fn find<'a>(compared: impl Iterator<Item = (bool, &'a ServerUser)>) -> Option<ServerUser> {
    // All of them are compared, so that the time does not show which one was close.
    compared.filter(|(is_it, _)| *is_it).map(|(_, user)| user.clone()).last()
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

/// The number of digits of a session.
const SESSION: usize = 32;
