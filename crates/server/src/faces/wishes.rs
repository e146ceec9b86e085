//! A client's wishes for an answer: passed to the model, or named in a header.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use silcrow_agent::Agent;
use silcrow_front::{AnswerForm, ClientWishes};
use silcrow_provider::{Effort, Sampling};

/// The wishes of a request.
pub(super) struct GrantedWishes {
    sampling: Sampling,
    unused: Vec<String>,
    /// The form that the answer has to have.
    pub(super) form: Option<AnswerForm>,
}

impl GrantedWishes {
    pub(super) fn from_wishes(wishes: &ClientWishes) -> Self {
        let ClientWishes { temperature, max_tokens, seed, effort, unused, form, .. } =
            wishes.clone();
        let mut sampling = Sampling::new();
        (sampling.temperature, sampling.max_tokens, sampling.seed) =
            (temperature, max_tokens, seed);
        sampling.effort = effort.as_deref().and_then(|word| word.parse::<Effort>().ok());
        let unknown = effort.filter(|_| sampling.effort.is_none());
        let unused = unused.into_iter().chain(unknown.map(|word| format!("effort={word}")));
        Self { sampling, unused: unused.collect(), form }
    }

    /// Adds the required form of the answer to the program's text.
    pub(super) fn with_form(&self, said: String) -> String {
        let form = self.form.iter().map(AnswerForm::instruction);
        let parts = [said].into_iter().chain(form).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// Replaces an agent's settings with the wishes.
    pub(super) fn grant(&self, agent: Agent) -> Agent {
        let sampling = self.sampling.clone().or(&agent.options().sampling);
        agent.with_sampling(sampling)
    }

    /// Names the ignored parts in a header of the answer.
    pub(super) fn name_unused(&self, mut answer: Response) -> Response {
        let names = HeaderValue::from_str(&self.unused.join(", "));
        if let (false, Ok(names)) = (self.unused.is_empty(), names) {
            answer.headers_mut().insert(UNUSED, names);
        }
        answer
    }
}

/// The header with the members of a request that changed nothing.
const UNUSED: HeaderName = HeaderName::from_static("silcrow-unused");
