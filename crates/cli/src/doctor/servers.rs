//! The checks of the chosen model and of the servers on this machine.

use super::{CheckStatus, Finding};
use crate::config::{AskedModel, ConfigOverview};
use crate::model;
use crate::models::{self, ServerReport};

/// Asks the server of the chosen model and these ports of this machine, all at once.
pub(super) async fn check(
    settings: Option<&ConfigOverview>,
    ports: &[u16],
    offline: bool,
) -> Vec<Finding> {
    let typed = settings.and_then(|settings| settings.model.clone());
    let chosen = model::name(typed.as_deref());
    if offline {
        let text = format!("{}; its server is not asked (--offline)", model::label(&chosen));
        return vec![Finding::new("model", CheckStatus::Good, text)];
    }
    let proxy = settings.map(|settings| settings.proxy.clone()).unwrap_or_default();
    let asked = AskedModel { model: typed, proxy };
    let reports = match models::reports(ports, &asked).await {
        Ok(reports) => reports,
        Err(failure) => return vec![Finding::new("model", CheckStatus::Wrong, failure.message())],
    };
    let mut findings = vec![of_model(&chosen, &reports)];
    let local = reports.iter().filter(|report| report.is_port && report.models.is_ok());
    let names: Vec<_> = local.map(|report| &*report.name).collect();
    let text = if names.is_empty() { "none listens".to_owned() } else { names.join(", ") };
    findings.push(Finding::new("local", CheckStatus::Good, text));
    findings
}

/// Says whether the server of the chosen model answers and has the model.
fn of_model(chosen: &str, reports: &[ServerReport]) -> Finding {
    let label = model::label(chosen);
    let finding = |status, text: String| Finding::new("model", status, format!("{label}{text}"));
    if model::is_rehearsal(chosen) {
        let text = ", which follows plain rules; silcrow config set model NAME keeps another";
        return finding(CheckStatus::Notice, text.to_owned());
    }
    let found = reports.iter().filter(|report| !report.is_port).find_map(|report| {
        let way = report.ways.iter().find(|way| chosen.starts_with(&**way))?;
        Some((report, &chosen[way.len()..]))
    });
    let Some((report, name)) = found else {
        return match chosen.split_once(':') {
            Some(("azure" | "script" | "replay", _)) => {
                finding(CheckStatus::Good, ", which has no list of models to ask for".to_owned())
            }
            _ => finding(CheckStatus::Wrong, " is not a model; see silcrow help models".to_owned()),
        };
    };
    match &report.models {
        Err(message) => finding(CheckStatus::Wrong, format!(": {message}")),
        Ok(models) if name.is_empty() || models.iter().any(|known| known == name) => {
            finding(CheckStatus::Good, ": its server answers".to_owned())
        }
        Ok(_) => finding(
            CheckStatus::Notice,
            ": its server answers, and does not list it; see silcrow models --all".to_owned(),
        ),
    }
}
