//! The choices of a server's users for a conversation: a model that the owner offers, the effort,
//! and a mode that allows no more than the owner's.

use silcrow_policy::PermissionMode;
use silcrow_provider::Effort;
use silcrow_server::{ChoiceValue, RunChoice};
use silcrow_session::{AgentSession, SessionOptions};

use crate::failure::Failure;

/// Returns the choices.
///
/// # Errors
///
/// Returns an error for a model that cannot be used.
pub(super) fn offered(
    session: &AgentSession,
    models: &[String],
) -> Result<Vec<RunChoice>, Failure> {
    let own = session.model().to_owned();
    for model in models {
        // It is better to know it now than in somebody's conversation.
        session.for_user_with(session.user().map(str::to_owned), |options| {
            options.model = Some(model.clone());
        })?;
    }
    let plain = |id: &str| ChoiceValue { id: id.to_owned(), description: String::new() };
    let others = models.iter().filter(|model| **model != own);
    let models = [&own].into_iter().chain(others).map(|model| plain(model)).collect();
    let given = session.options().sampling.effort.map_or(DEFAULT, Effort::as_str);
    let efforts = EFFORTS.into_iter().filter(|effort| *effort != given);
    let efforts = [given].into_iter().chain(efforts).map(plain).collect();
    let widest = session.mode().mode();
    let narrower = PermissionMode::ALL.into_iter().rev().filter(|mode| {
        // A plan needs a person who accepts it.
        *mode < widest && *mode != PermissionMode::Plan
    });
    let modes = [widest].into_iter().chain(narrower).map(|mode| ChoiceValue {
        id: mode.as_str().to_owned(),
        description: mode.description().to_owned(),
    });
    let choice = |id: &str, name: &str, values| RunChoice {
        id: id.to_owned(),
        name: name.to_owned(),
        values,
    };
    let all = [
        choice(MODEL, "Model", models),
        choice(EFFORT, "Effort", efforts),
        choice(MODE, "Mode", modes.collect()),
    ];
    // A choice with one value is not offered.
    Ok(all.into_iter().filter(|choice| choice.values.len() > 1).collect())
}

/// Changes the options of a session as somebody has chosen.
pub(super) fn apply<'a>(
    chosen: impl IntoIterator<Item = (&'a String, &'a String)>,
    options: &mut SessionOptions,
) {
    for (id, value) in chosen {
        match &**id {
            MODEL => options.model = Some(value.clone()),
            EFFORT => options.sampling.effort = value.parse().ok(),
            MODE => options.policy.permissions = value.parse().ok(),
            _ => {}
        }
    }
}

const MODEL: &str = "model";
const EFFORT: &str = "effort";
const MODE: &str = "mode";

/// The effort that is left to the settings, or to the model.
const DEFAULT: &str = "default";

const EFFORTS: [&str; 8] = [DEFAULT, "none", "minimal", "low", "medium", "high", "xhigh", "max"];
