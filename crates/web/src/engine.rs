//! The trait of search engines.
//!
//! The engines are in `engines`.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::error::Error;

/// A search engine of the web.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::BoxFuture;
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs};
/// use silcrow_web::{Error, SearchEngine, SearchResult, WebSearch};
///
/// /// Finds pages in its own list.
/// struct Bookmarks;
///
/// impl SearchEngine for Bookmarks {
///     fn name(&self) -> &str {
///         "bookmarks"
///     }
///     fn host(&self) -> &str {
///         "bookmarks.internal"
///     }
///     fn search<'a>(
///         &'a self,
///         _query: &'a str,
///         _count: usize,
///     ) -> BoxFuture<'a, Result<Vec<SearchResult>, Error>> {
///         let (title, url) = ("Rust".to_owned(), "https://www.rust-lang.org/".to_owned());
///         async { Ok(vec![SearchResult { title, url, snippet: String::new() }]) }.boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_tool::ToolError> {
/// let search = WebSearch::new(Bookmarks);
/// let args = ToolArgs::new(r#"{"query":"a fast language"}"#);
/// let output = search.call(args, &CallContext::new("c1", "a1")).await?;
/// assert!(output.content.text().contains("https://www.rust-lang.org/"));
/// // An approval for the conversation covers the host of the engine.
/// let preview = search.preview(args, &CallContext::new("c1", "a1")).await?;
/// assert_eq!(preview.scope, "bookmarks.internal");
/// # Ok(())
/// # }
/// ```
pub trait SearchEngine: Send + Sync {
    /// Returns the usual name, such as `DuckDuckGo`.
    fn name(&self) -> &str;

    /// Returns the host that queries are sent to. An approval for a conversation covers it.
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
