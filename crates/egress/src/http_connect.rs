//! Connections for clients that speak HTTP, and the answers if connecting fails.

use hyper::{Response, StatusCode};
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;

use crate::body::AnswerBody;
use crate::destination::Destination;
use crate::http_refusal::refusal;
use crate::outward::{self, Unreached};
use crate::pass_state::PassState;
use crate::proxy_parts::ProxyParts;
use crate::refused_host::{RefusalReason, RefusedHost};

/// Connects to a destination, if the pass leads there. Otherwise returns the answer to the client.
pub(crate) async fn connect(
    proxy: &ProxyParts,
    pass: &PassState,
    to: &Destination,
) -> Result<(TcpStream, OwnedSemaphorePermit), Box<Response<AnswerBody>>> {
    let refused =
        |refused: RefusedHost| Box::new(refusal(StatusCode::FORBIDDEN, &refused.to_string()));
    let permit = pass.admit(to).await.map_err(refused)?;
    let failed =
        |status, error: &Unreached| Box::new(refusal(status, &format!("{}: {error}", to.host)));
    match outward::connect(proxy, to).await {
        Ok(server) => Ok((server, permit)),
        Err(Unreached::NotPublic) => Err(refused(pass.refuse(to, RefusalReason::NotPublic))),
        Err(error @ Unreached::Late) => Err(failed(StatusCode::GATEWAY_TIMEOUT, &error)),
        Err(error) => Err(failed(StatusCode::BAD_GATEWAY, &error)),
    }
}
