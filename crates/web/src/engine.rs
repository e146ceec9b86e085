//! What a search engine is.
//!
//! This module knows no engine; those are in `engines`.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::error::Error;

/// A search engine of the web.
pub trait SearchEngine: Send + Sync {
    /// Returns the name that people know, such as `DuckDuckGo`.
    fn name(&self) -> &str;

    /// Returns the host to which queries go. An approval for a conversation covers it.
    fn host(&self) -> &str;

    /// Searches the web. Returns at most `count` results, the best one first.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine does not answer, or not with results.
    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<Vec<SearchResult>, Error>>;
}

/// A pointer to an engine is an engine.
impl<E: SearchEngine + ?Sized> SearchEngine for Arc<E> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn host(&self) -> &str {
        (**self).host()
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<Vec<SearchResult>, Error>> {
        (**self).search(query, count)
    }
}

/// A page that a search engine found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every engine fills in each field")]
pub struct SearchResult {
    /// The title of the page.
    pub title: String,
    /// The URL of the page.
    pub url: String,
    /// A few words of the page; empty if the engine has none.
    pub snippet: String,
}
