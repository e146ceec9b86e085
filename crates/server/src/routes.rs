//! The endpoints of a server: their router, and their users.

mod branch_routes;
mod choice_routes;
mod conversation_routes;
mod event_routes;
mod event_schemas;
mod form_routes;
mod media_routes;
mod metrics;
mod openapi;
mod peer_routes;
mod question_routes;
mod run_routes;
mod server_routes;
mod table;

use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::from_fn_with_state;
use axum::response::Response;

use crate::auth::ServerUser;
use crate::bodies::json;
use crate::error::{Error, ErrorKind};
use crate::gate::{authenticate, gate};
use crate::page;
use crate::server::Server;
use table::ROUTES;

impl Server {
    /// Lets only users of this server through to other endpoints, which find their
    /// [`ServerUser`] among the extensions of a request, and checks the size of the head, the host
    /// and the origin as for its own.
    pub fn guard(&self, router: Router) -> Router {
        router
            .layer(from_fn_with_state(self.clone(), authenticate))
            .layer(from_fn_with_state(self.clone(), gate))
    }

    /// Returns the endpoints as a router, to mount in a router of your own.
    ///
    /// The [page](crate::Options::page) is at `/` beside them.
    pub fn router(&self) -> Router {
        let (mut public, mut private) = (Router::new(), Router::new());
        for route in ROUTES {
            let part = if route.is_public { &mut public } else { &mut private };
            *part = std::mem::take(part).route(route.path, (route.handler)());
        }
        if self.options.page {
            public = public.merge(page::router());
        }
        private
            .layer(from_fn_with_state(self.clone(), authenticate))
            .merge(public)
            .fallback(|| async {
                let why = "there is nothing here; GET /openapi.json describes this server";
                Error::new(ErrorKind::NotFound, why)
            })
            .method_not_allowed_fallback(|| async {
                let why = "this page takes other methods; GET /openapi.json describes this server";
                Error::new(ErrorKind::Method, why)
            })
            .layer(from_fn_with_state(self.clone(), gate))
            .with_state(self.clone())
    }
}

async fn description(State(server): State<Server>) -> Response {
    json(StatusCode::OK, openapi::description(server.options.page).to_string())
}

impl<S: Sync> FromRequestParts<S> for ServerUser {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        // The gate has put it there.
        let user = parts.extensions.get::<Self>().cloned();
        user.ok_or_else(|| Error::new(ErrorKind::Unauthorized, "nobody is logged in"))
    }
}
