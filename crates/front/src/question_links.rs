//! The addresses at which questions can be opened.

use std::fmt;
use std::sync::Arc;

/// Makes the addresses that go with questions which are asked as text.
///
/// ```
/// use silcrow_front::QuestionLinks;
///
/// let links = QuestionLinks::new(|id| Some(format!("http://127.0.0.1:4180/#q/{id}")));
/// assert_eq!(links.link("1/a1").unwrap(), "http://127.0.0.1:4180/#q/1/a1");
/// assert_eq!(QuestionLinks::default().link("1/a1"), None);
/// ```
#[derive(Clone, Default)]
pub struct QuestionLinks(Option<Arc<LinkMaker>>);

/// Returns the address of the question with an id.
type LinkMaker = dyn Fn(&str) -> Option<String> + Send + Sync;

impl QuestionLinks {
    /// Makes each address by a function of the question's id, such as `3/a1`.
    pub fn new(link: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(link)))
    }

    /// Returns the address of a question, if there is one.
    pub fn link(&self, question: &str) -> Option<String> {
        self.0.as_ref()?(question)
    }
}

impl fmt::Debug for QuestionLinks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("QuestionLinks").field(&self.0.is_some()).finish()
    }
}
