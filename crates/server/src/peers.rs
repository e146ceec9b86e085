//! Other servers of the same store, which stream the runs that are at work there.
//!
//! ```text
//! this server ── GET /peer/runs/ID, with a proof ──► the server that the store names
//!             ◄── its own proof, then lines: what the run is, and its messages ──
//! ```
//!
//! Both have a secret of the store, and send only proofs of it. So an address that is wrong, or was
//! planted, gets no secret, and none of its answers is believed.

use std::fmt;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::error::Error;
use crate::random::{hex, unhex};

/// Connects to other servers.
///
/// [`HttpPeers`](crate::HttpPeers) is one; a program with its own network implements another one.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_server::{Error, ErrorKind, PeerAnswer, PeerTransport};
///
/// /// Reaches nobody, as on a machine behind a wall.
/// struct Alone;
///
/// impl PeerTransport for Alone {
///     fn get<'a>(
///         &'a self,
///         url: &'a str,
///         _headers: &'a [(&'static str, String)],
///     ) -> BoxFuture<'a, Result<PeerAnswer, Error>> {
///         ready(Err(Error::new(ErrorKind::Unavailable, format!("nobody is at {url}")))).boxed()
///     }
/// }
///
/// let answer = Alone.get("http://10.0.0.2:8080/peer/runs/c1", &[]).await;
/// assert_eq!(answer.map(|_| ()).unwrap_err().kind(), ErrorKind::Unavailable);
/// # });
/// ```
pub trait PeerTransport: Send + Sync {
    /// Sends a request with the method GET to an address that the store names, and returns the
    /// answer. Redirects are not followed.
    ///
    /// # Errors
    ///
    /// Returns an error if no server answers, or if the status of the answer is not 200.
    fn get<'a>(
        &'a self,
        url: &'a str,
        headers: &'a [(&'static str, String)],
    ) -> BoxFuture<'a, Result<PeerAnswer, Error>>;
}

/// The answer of another server.
#[expect(clippy::exhaustive_structs, reason = "every transport fills in each field")]
pub struct PeerAnswer {
    /// The header `silcrow-proof`.
    pub proof: String,
    /// The pieces of the body. The stream ends when the connection does.
    pub body: BoxStream<'static, Vec<u8>>,
}

/// The secret of a store, by which its servers recognize each other.
pub(crate) struct PeerSecret(Vec<u8>);

/// The subject of a proof.
pub(crate) struct PeerQuestion<'a> {
    pub(crate) conversation: &'a str,
    pub(crate) user: Option<&'a str>,
    /// The time, in seconds since 1970.
    pub(crate) time: &'a str,
    /// A random word, so that no answer fits two questions.
    pub(crate) nonce: &'a str,
}

/// Which of the two servers proves that it has the secret.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PeerSide {
    Asks,
    Answers,
}

impl PeerSecret {
    pub(crate) const fn new(secret: Vec<u8>) -> Self {
        Self(secret)
    }

    /// Returns the proof that one side has the secret.
    pub(crate) fn proof(&self, side: PeerSide, about: &PeerQuestion<'_>) -> String {
        hex(&self.mac(side, about).finalize().into_bytes())
    }

    /// Returns whether a text is that proof, in a time that does not reveal how much of it is
    /// right.
    pub(crate) fn is_proof(&self, side: PeerSide, about: &PeerQuestion<'_>, proof: &str) -> bool {
        unhex(proof).is_some_and(|proof| self.mac(side, about).verify_slice(&proof).is_ok())
    }

    fn mac(&self, side: PeerSide, about: &PeerQuestion<'_>) -> Hmac<Sha256> {
        let PeerQuestion { conversation, user, time, nonce } = *about;
        let side = match side {
            PeerSide::Asks => "silcrow peer 1 asks",
            PeerSide::Answers => "silcrow peer 1 answers",
        };
        let user = user.map_or_else(|| "nobody".to_owned(), |user| format!("user {user}"));
        // A key may have any length.
        let mut mac = Hmac::new_from_slice(&self.0).expect("every length is a length of a key");
        for part in [side, conversation, &*user, time, nonce] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

impl fmt::Debug for PeerAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerAnswer").finish_non_exhaustive()
    }
}

/// The header with the user, in hexadecimal digits; without a user it is missing.
pub(crate) const USER: &str = "silcrow-user";
pub(crate) const TIME: &str = "silcrow-time";
pub(crate) const NONCE: &str = "silcrow-nonce";
pub(crate) const PROOF: &str = "silcrow-proof";

#[cfg(test)]
mod tests {
    use super::{PeerQuestion, PeerSecret, PeerSide};

    #[test]
    fn proof_binds_question_side_and_secret() {
        let (ours, other) = (PeerSecret::new(vec![1; 32]), PeerSecret::new(vec![2; 32]));
        let about =
            |conversation, user, time, nonce| PeerQuestion { conversation, user, time, nonce };
        let question = about("c", Some("ann"), "1", "x");
        let proof = ours.proof(PeerSide::Asks, &question);
        assert!(ours.is_proof(PeerSide::Asks, &question, &proof));
        assert!(!ours.is_proof(PeerSide::Answers, &question, &proof));
        assert!(!other.is_proof(PeerSide::Asks, &question, &proof));
        for other in [
            about("cann", None, "1", "x"),
            about("c", None, "1", "x"),
            about("c", Some("ann"), "2", "x"),
            about("c", Some("ann"), "1", "y"),
            about("c", Some("an"), "n1", "x"),
        ] {
            assert!(!ours.is_proof(PeerSide::Asks, &other, &proof));
        }
        for wrong in ["", "00", &proof[1..], &format!("{proof}00"), "§"] {
            assert!(!ours.is_proof(PeerSide::Asks, &question, wrong), "{wrong}");
        }
    }
}
