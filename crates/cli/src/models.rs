//! `silcrow models`, which lists the models that can be asked and the servers that respond.

use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_event::error_chain;
use silcrow_provider::{Error, Provider as _};
use silcrow_sanitize::sanitize_line;
use silcrow_vendors::{ApiKey, Chat, Gemini, ListedModel, Messages, Timeouts};
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};

use crate::args::ModelsArgs;
use crate::failure::{Failure, written};
use crate::model::{self, FoundKey, ServerKeys, ServerSettings, VendorAccess};
use crate::printer::write_json;

mod answered_source;

use answered_source::{AnsweredSource, shown};

/// Asks all sources for their models and prints the answers.
pub(crate) fn models(args: &ModelsArgs) -> Result<(), Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    let done = runtime.block_on(show(args));
    runtime.shutdown_background();
    done
}

async fn show(args: &ModelsArgs) -> Result<(), Failure> {
    let places = places(args)?;
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
            true => write_json(&mut out, &place.to_json()),
            false => place.write(&mut out, args.all),
        })?;
    }
    if for_programs {
        return Ok(());
    }
    if let (None, false, Some(key)) = (&args.model, model::is_named(), FoundKey::find()) {
        let mut out = io::stdout().lock();
        return written(writeln!(
            out,
            "\nNo model is named yet; silcrow config set model {} keeps one, and --model names one \
             for a run.",
            key.name()
        ));
    }
    let chosen = model::name(args.model.as_deref());
    let chosen = sanitize_line(model::label(&chosen));
    let mut out = io::stdout().lock();
    written(writeln!(
        out,
        "\n`silcrow run` asks {chosen}; --model, SILCROW_MODEL or silcrow config says otherwise."
    ))
}

/// What a source of models answered.
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
pub(crate) async fn reports(args: &ModelsArgs) -> Result<Vec<ServerReport>, Failure> {
    let asked = places(args)?.into_iter().map(|place| async {
        let (name, ways, is_port) = (place.name.clone(), place.ways.clone(), place.is_port);
        let variable = place.variable.clone().unwrap_or_default();
        let models = match timeout(LONGEST, place.ask()).await {
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

/// A source of models: a vendor, a compatible server, or a port of this machine.
struct ModelSource {
    name: String,
    /// The prefixes of its models' names.
    ways: Vec<String>,
    /// Whether it is a port at which there may be no server.
    is_port: bool,
    /// The variable of its keys, if it needs any.
    variable: Option<String>,
    /// A request for each key, or one if no key is needed.
    questions: Vec<BoxFuture<'static, Result<Vec<ListedModel>, Error>>>,
}

fn places(args: &ModelsArgs) -> Result<Vec<ModelSource>, Failure> {
    let version = model::version()?;
    let anthropic = vendor(args, "anthropic", "ANTHROPIC", &["anthropic"], |key, base, way| {
        let model = Messages::new("", key).map_err(unusable)?.with_version(version);
        let model = way.to(model, base)?;
        Ok(async move { model.listed_models().await }.boxed())
    })?;
    let ways = ["gemini", "gemini-interactions", "gemini-live"];
    let gemini = vendor(args, "gemini", "GEMINI", &ways, |key, base, way| {
        let model = way.to(Gemini::new("", key).map_err(unusable)?, base)?;
        Ok(async move { model.listed_models().await }.boxed())
    })?;
    let ways = ["openai", "openai-responses", "openai-realtime"];
    let openai = vendor(args, "openai", "OPENAI", &ways, |key, base, way| {
        let model = way.to(Chat::new("", key).map_err(unusable)?, base)?;
        Ok(async move { model.listed_models().await }.boxed())
    })?;
    let local = args.ports.iter().map(|port| {
        let url = format!("http://127.0.0.1:{port}/v1");
        let model = Chat::compatible(&url, "", None).map_err(unusable)?.with_timeouts(BRIEF);
        Ok(ModelSource {
            name: format!("127.0.0.1:{port}"),
            ways: vec![format!("compatible:{url}#")],
            is_port: true,
            variable: None,
            // The server at this port is unknown, so no key is sent to it.
            questions: vec![async move { model.listed_models().await }.boxed()],
        })
    });
    let vendors = [anthropic, gemini, openai].into_iter().chain(chosen(args)?).map(Ok);
    vendors.chain(local).collect()
}

/// Returns the compatible server of the chosen model, if it is at one.
fn chosen(args: &ModelsArgs) -> Result<Option<ModelSource>, Failure> {
    let name = model::name(args.model.as_deref());
    let Some(url) = model::server(&name) else { return Ok(None) };
    let keys = ServerKeys::read(&name)?.of(url);
    let wanted = !keys.is_empty();
    let none = (!wanted).then_some(None);
    let keys = none.into_iter().chain(keys.into_iter().map(Some));
    let way = ServerSettings::read("SILCROW_COMPATIBLE", TIMEOUTS, &args.proxy)?;
    let models = keys.map(|key| way.to(Chat::compatible(url, "", key).map_err(unusable)?, None));
    let models = models.collect::<Result<Vec<_>, Failure>>()?;
    let way = models[0].name().to_owned();
    let questions =
        models.into_iter().map(|model| async move { model.listed_models().await }.boxed());
    Ok(Some(ModelSource {
        name: "SILCROW_MODEL".to_owned(),
        ways: vec![way],
        is_port: false,
        variable: wanted.then(|| "SILCROW_COMPATIBLE_KEY".to_owned()),
        questions: questions.collect(),
    }))
}

fn vendor(
    args: &ModelsArgs,
    name: &str,
    prefix: &'static str,
    ways: &[&str],
    question: impl Fn(ApiKey, Option<&str>, &ServerSettings) -> Result<ModelQuestion, Failure>,
) -> Result<ModelSource, Failure> {
    let VendorAccess { variable, keys, base } = model::access(prefix)?;
    let way = ServerSettings::read(prefix, TIMEOUTS, &args.proxy)?;
    let questions = keys.into_iter().map(|key| question(key, base.as_deref(), &way));
    let questions = questions.collect::<Result<_, _>>()?;
    let ways = ways.iter().map(|way| format!("{way}:")).collect();
    Ok(ModelSource {
        name: name.to_owned(),
        ways,
        is_port: false,
        variable: Some(variable),
        questions,
    })
}

type ModelQuestion = BoxFuture<'static, Result<Vec<ListedModel>, Error>>;

fn unusable(error: Error) -> Failure {
    Failure::given(error_chain(&error))
}

impl ModelSource {
    async fn ask(self) -> AnsweredSource {
        let Self { name, ways, is_port, variable, questions } = self;
        AnsweredSource { name, ways, is_port, variable, answers: join_all(questions).await }
    }
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

const TIMEOUTS: Timeouts = Timeouts::uniform(Duration::from_secs(5));

/// The timeouts for servers on this machine, which respond at once.
const BRIEF: Timeouts = Timeouts::uniform(Duration::from_secs(2));
