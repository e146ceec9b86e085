//! The page for browsers: a few files that are in the program, and the headers that keep it safe.
//!
//! The page contains only data from the endpoints, so its files need no authentication.

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use crate::error::{Error, ErrorKind};
use crate::path_id::PathId;
use crate::server::Server;

/// Returns the files of the page as a router.
pub(crate) fn router() -> Router<Server> {
    let file = |PathId(name): PathId, headers: HeaderMap| async move { answer(&name, &headers) };
    Router::new()
        .route("/", get(|headers: HeaderMap| async move { answer(INDEX, &headers) }))
        .route("/page/{file}", get(file))
}

fn answer(name: &str, request: &HeaderMap) -> Response {
    let Some((name, bytes)) = FILES.iter().find(|(file, _)| *file == name) else {
        let why = "the page does not have this file; GET / returns the page";
        return Error::new(ErrorKind::NotFound, why).into_response();
    };
    let etag = format!("\"{:016x}\"", fingerprint(bytes));
    let known = request.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let is_known = known.is_some_and(|known| {
        known.split(',').any(|one| one.trim().trim_start_matches("W/") == etag || one.trim() == "*")
    });
    let mut answer = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => (*bytes).into_response(),
    };
    let headers = answer.headers_mut();
    // It has only hexadecimal digits.
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        headers.insert(header::ETAG, etag);
    }
    for (name, value) in [
        (header::CONTENT_TYPE, content_type(name)),
        // Another version of the program may have other files.
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/javascript; charset=utf-8",
    }
}

/// Returns a hash of the bytes, by FNV-1a.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Only files of this server count, and no text becomes a part of the page that runs.
const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; object-src 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

const INDEX: &str = "index.html";

const FILES: &[(&str, &[u8])] = &[
    (INDEX, include_bytes!("../page/index.html")),
    ("actions.js", include_bytes!("../page/actions.js")),
    ("app.js", include_bytes!("../page/app.js")),
    ("arguments.js", include_bytes!("../page/arguments.js")),
    ("attached.js", include_bytes!("../page/attached.js")),
    ("blocks.js", include_bytes!("../page/blocks.js")),
    ("branches.js", include_bytes!("../page/branches.js")),
    ("call_view.js", include_bytes!("../page/call_view.js")),
    ("changes_view.js", include_bytes!("../page/changes_view.js")),
    ("choices.js", include_bytes!("../page/choices.js")),
    ("client.js", include_bytes!("../page/client.js")),
    ("colours.js", include_bytes!("../page/colours.js")),
    ("composer.js", include_bytes!("../page/composer.js")),
    ("connection.js", include_bytes!("../page/connection.js")),
    ("copy_button.js", include_bytes!("../page/copy_button.js")),
    ("days.js", include_bytes!("../page/days.js")),
    ("difference.js", include_bytes!("../page/difference.js")),
    ("dom.js", include_bytes!("../page/dom.js")),
    ("fold.js", include_bytes!("../page/fold.js")),
    ("forms.js", include_bytes!("../page/forms.js")),
    ("history.js", include_bytes!("../page/history.js")),
    ("icon.svg", include_bytes!("../page/icon.svg")),
    ("item_view.js", include_bytes!("../page/item_view.js")),
    ("linked.js", include_bytes!("../page/linked.js")),
    ("list.js", include_bytes!("../page/list.js")),
    ("login.js", include_bytes!("../page/login.js")),
    ("loop_view.js", include_bytes!("../page/loop_view.js")),
    ("markdown.js", include_bytes!("../page/markdown.js")),
    ("markdown_view.js", include_bytes!("../page/markdown_view.js")),
    ("math.js", include_bytes!("../page/math.js")),
    ("media.js", include_bytes!("../page/media.js")),
    ("others.js", include_bytes!("../page/others.js")),
    ("palette.js", include_bytes!("../page/palette.js")),
    ("pasted.js", include_bytes!("../page/pasted.js")),
    ("questions.js", include_bytes!("../page/questions.js")),
    ("raw.js", include_bytes!("../page/raw.js")),
    ("record.js", include_bytes!("../page/record.js")),
    ("run_times.js", include_bytes!("../page/run_times.js")),
    ("saved_file.js", include_bytes!("../page/saved_file.js")),
    ("server.js", include_bytes!("../page/server.js")),
    ("spent.js", include_bytes!("../page/spent.js")),
    ("stored.js", include_bytes!("../page/stored.js")),
    ("style.css", include_bytes!("../page/style.css")),
    ("text.js", include_bytes!("../page/text.js")),
    ("theme.js", include_bytes!("../page/theme.js")),
    ("time_scale.js", include_bytes!("../page/time_scale.js")),
    ("timeline.css", include_bytes!("../page/timeline.css")),
    ("timeline.js", include_bytes!("../page/timeline.js")),
    ("toast.js", include_bytes!("../page/toast.js")),
    ("transcript.css", include_bytes!("../page/transcript.css")),
    ("transcript.js", include_bytes!("../page/transcript.js")),
    ("welcome.js", include_bytes!("../page/welcome.js")),
];
