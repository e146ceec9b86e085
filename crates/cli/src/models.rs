//! `silcrow models`, which lists the models that can be asked and the servers that respond.

use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use silcrow_console::printer::write_json;
use silcrow_event::error_chain;
use silcrow_models::ModelSource;
use silcrow_sanitize::sanitize_line;
use tokio::time::{sleep, timeout};

use crate::args::ModelsArgs;
use crate::config::AskedModel;
use crate::failure::{Failure, written};
use crate::model;
use crate::runtime;

mod answered_source;

use answered_source::{shown, to_json, write};

/// Asks all sources for their models and prints the answers.
pub(crate) fn models(args: &ModelsArgs, asked: &AskedModel) -> Result<(), Failure> {
    runtime::block_on(show(args, asked))
}

async fn show(args: &ModelsArgs, model: &AskedModel) -> Result<(), Failure> {
    let places = sources(&args.ports, model)?;
    let names: Vec<_> = places.iter().map(|place| place.name.clone()).collect();
    // All sources are asked at once, and their answers are printed in order.
    let asked = places.into_iter().map(ModelSource::ask);
    let mut asked = stream::iter(asked).buffered(names.len()).enumerate();
    let for_programs = args.json || !io::stdout().is_terminal();
    let mut waiting = WaitNotice::default();
    loop {
        let next = tokio::select! {
            next = asked.next() => next,
            () = sleep(PATIENCE), if waiting.may_show() => {
                waiting.show();
                continue;
            }
        };
        waiting.take_back();
        let Some((_, place)) = next else { break };
        let mut out = io::stdout().lock();
        written(match for_programs {
            true => write_json(&mut out, &to_json(&place)),
            false => write(&place, &mut out, args.all),
        })?;
    }
    if for_programs {
        return Ok(());
    }
    if let (None, false, Some(key)) = (&model.model, model::is_named(), model::found_key()) {
        let mut out = io::stdout().lock();
        return written(writeln!(
            out,
            "\nNo model is named yet; silcrow config set model {} keeps one, and --model names one \
             for a run.",
            key.name()
        ));
    }
    let chosen = model::name(model.model.as_deref());
    let chosen = sanitize_line(model::label(&chosen));
    let mut out = io::stdout().lock();
    written(writeln!(
        out,
        "\n`silcrow run` asks {chosen}; --model, SILCROW_MODEL or silcrow config says otherwise."
    ))
}

/// The answer of a source of models.
pub(crate) struct ServerReport {
    pub(crate) name: String,
    /// The prefixes of its models' names.
    pub(crate) ways: Vec<String>,
    /// Whether it is a port of this machine.
    pub(crate) is_port: bool,
    /// Its models, or a message that says why it gave none.
    pub(crate) models: Result<Vec<String>, String>,
}

/// Asks all sources at once, each for a few seconds at most.
pub(crate) async fn reports(
    ports: &[u16],
    model: &AskedModel,
) -> Result<Vec<ServerReport>, Failure> {
    let asked = sources(ports, model)?.into_iter().map(|source| async {
        let (name, ways, is_port) = (source.name.clone(), source.prefixes.clone(), source.is_port);
        let variable = source.variable.clone().unwrap_or_default();
        let models = match timeout(LONGEST, source.ask()).await {
            Err(_) => Err(format!("no answer within {} seconds", LONGEST.as_secs())),
            Ok(answered) => match (answered.models(), answered.answers.first()) {
                (Some(models), _) => Ok(models.iter().map(|model| model.name.clone()).collect()),
                (None, Some(Err(error))) => Err(shown(&error_chain(error))),
                (None, _) => Err(format!("{variable} is not set; put your key there")),
            },
        };
        ServerReport { name, ways, is_port, models }
    });
    Ok(join_all(asked).await)
}

/// Returns the vendors, the server of the chosen model, and the ports of this machine.
fn sources(ports: &[u16], asked: &AskedModel) -> Result<Vec<ModelSource>, Failure> {
    let chosen = model::name(asked.model.as_deref());
    let all = ModelSource::all(&model::options(&chosen, &asked.proxy), ports);
    all.map_err(model::failure)
}

/// A line that reports a wait and is erased after it.
#[derive(Default)]
struct WaitNotice {
    shown: bool,
}

impl WaitNotice {
    fn may_show(&self) -> bool {
        !self.shown && io::stderr().is_terminal()
    }

    fn show(&mut self) {
        self.shown = true;
        // If stderr is closed, the notice is lost.
        let _ = write!(io::stderr(), "… waiting for answers");
    }

    fn take_back(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// The time after which a wait is reported.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time in which a source answers in a report.
const LONGEST: Duration = Duration::from_secs(5);
