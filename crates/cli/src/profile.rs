//! `silcrow profile`, which shows and changes the facts about the person.
//!
//! This module has the messages of the command. `edit` changes the whole profile at once.

mod edit;

use std::io::{self, IsTerminal as _, Write as _};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;
use silcrow_console::plural::count;
use silcrow_console::printer::write_json;
use silcrow_console::typed::says_yes;
use silcrow_event::error_chain;
use silcrow_parser::{Dialect, Options};
use silcrow_profile::{Error, ErrorKind, FactOrigin, LearnOutcome, Profile, StoredProfile};
use silcrow_sanitize::sanitize_line;
use silcrow_settings::known_secrets;
use silcrow_settings::owned;

use crate::args::{ProfileArgs, ProfileCommand};
use crate::config::AskedModel;
use crate::failure::{Failure, written};
use crate::host::host;
use crate::model;
use crate::places::StorePlace;
use crate::runtime;
use silcrow_session::user;
use silcrow_session::{ProfileLearner, learned_changes};

/// Runs `silcrow profile` or one of its subcommands.
pub(crate) fn command(args: &ProfileArgs, asked: Option<AskedModel>) -> Result<(), Failure> {
    let place = StorePlace::choose(args.store.as_deref())?;
    place.kept()?;
    let user = user(args.user.as_deref())?;
    runtime::block_on(run(args, asked.unwrap_or_default(), &place, user))
}

async fn run(
    args: &ProfileArgs,
    asked: AskedModel,
    place: &StorePlace,
    user: Option<String>,
) -> Result<(), Failure> {
    let json = args.json;
    let (folder, is_new) = (place.kept()?, place.missing().is_some());
    let opened = match &args.command {
        // Reading does not create a missing store.
        None | Some(ProfileCommand::Export { .. }) if is_new => {
            return show(&Profile::default(), args);
        }
        None | Some(ProfileCommand::Export { .. }) => place.open_stored(&host()).await?,
        Some(_) => place.open_to_change(&host()).await?,
    };
    let store = opened.store();
    let stored = StoredProfile::new(&*store, user.as_deref());
    match &args.command {
        None | Some(ProfileCommand::Export { .. }) => {
            show(&stored.load().await.map_err(|error| failure(&error))?, args)
        }
        Some(ProfileCommand::Add { text }) => add(&stored, text, json).await,
        Some(ProfileCommand::Edit { from }) => {
            let facts = edit::edit(&stored, folder, from.as_deref()).await?;
            outcome(
                json,
                &format!("the profile has {} now", number_of(facts)),
                json!({"facts": facts}),
            )
        }
        Some(ProfileCommand::Forget { number }) => forget(&stored, *number, json).await,
        Some(ProfileCommand::Delete { yes }) => delete(&stored, *yes, json).await,
        Some(ProfileCommand::Learn { .. }) => {
            let provider = provider(asked)?;
            learn(ProfileLearner { provider, store, user }, json).await
        }
    }
}

/// Prints the profile, or writes it to a file.
fn show(profile: &Profile, args: &ProfileArgs) -> Result<(), Failure> {
    let file = match &args.command {
        Some(ProfileCommand::Export { file }) => Some(file.as_deref()),
        _ => None,
    };
    match file {
        Some(Some(file)) => {
            let name = file.display().to_string();
            owned::write(file, &exported(profile)).map_err(|error| {
                Failure::running(format!("cannot write {}: {error}", sanitize_line(&name)))
            })?;
            let facts = profile.facts().len();
            let words = format!("{} in {}", number_of(facts), sanitize_line(&name));
            outcome(args.json, &words, json!({"facts": facts, "file": name}))
        }
        Some(None) => written(io::stdout().write_all(exported(profile).as_bytes())),
        None if args.json => written(io::stdout().write_all(exported(profile).as_bytes())),
        None => written(io::stdout().write_all(lines(profile).as_bytes())),
    }
}

/// Returns the profile as JSON with hidden characters escaped.
fn exported(profile: &Profile) -> String {
    silcrow_sanitize::escape_json(&profile.to_json()).into_owned() + "\n"
}

/// Returns each fact as a line, and its origin as another one.
fn lines(profile: &Profile) -> String {
    if profile.facts().is_empty() {
        return "nothing is known of you; silcrow profile add writes a fact, and silcrow run \
                --learn-profile notes them\n"
            .to_owned();
    }
    let facts = profile.facts().iter().enumerate().map(|(at, fact)| {
        let origin = match fact.origin() {
            FactOrigin::Person => "by you".to_owned(),
            FactOrigin::Model { conversation, seq } => {
                format!("by a model, from event {seq} of {}", sanitize_line(conversation))
            }
        };
        let (number, text) = (at + 1, sanitize_line(fact.text()));
        format!("{number:>2}  {text}\n    {origin}, {}\n", silcrow_history::utc(fact.learned_at()))
    });
    facts.collect()
}

async fn add(stored: &StoredProfile<'_>, text: &str, json: bool) -> Result<(), Failure> {
    if known_secrets().redact(text, "") != text {
        return Err(Failure::given("a part of the fact is a secret; leave it out"));
    }
    let now = SystemTime::now().into();
    let added = stored.change(|profile| profile.add(text, now).map(|()| profile.facts().len()));
    let number = added.await.map_err(|error| failure(&error))?;
    let number = number.map_err(|refused| Failure::given(refused.to_string()))?;
    outcome(json, &format!("this is fact {number} now"), json!({"n": number}))
}

async fn forget(stored: &StoredProfile<'_>, number: usize, json: bool) -> Result<(), Failure> {
    let forgotten = stored.change(|profile| profile.forget(number)).await;
    let forgotten = forgotten.map_err(|error| failure(&error))?.ok_or_else(|| {
        Failure::given(format!("unknown fact {number}; silcrow profile shows the numbers"))
    })?;
    let words = format!("forgotten: {}", sanitize_line(forgotten.text()));
    outcome(json, &words, json!({"n": number, "text": forgotten.text()}))
}

async fn delete(stored: &StoredProfile<'_>, yes: bool, json: bool) -> Result<(), Failure> {
    if !yes {
        if json || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            let why = "nobody can be asked whether the profile is to be deleted; add --yes";
            return Err(Failure::given(why));
        }
        let question = "Delete all facts about you? Nothing will be learned from what you said up \
                        to now.\ny: yes.  Anything else: no.\n[N] ";
        let is_yes =
            says_yes(question).map_err(|error| Failure::running(format!("cannot ask: {error}")))?;
        if !is_yes {
            // If stderr is closed, the notice is lost.
            let _ = writeln!(io::stderr(), "silcrow: nothing was deleted");
            return Ok(());
        }
    }
    stored.delete().await.map_err(|error| failure(&error))?;
    outcome(json, "the profile is deleted", json!({"facts": 0}))
}

/// Returns the model that extracts facts.
fn provider(asked: AskedModel) -> Result<Arc<dyn silcrow_provider::Provider>, Failure> {
    let AskedModel { model, proxy } = asked;
    let name = model::name(model.as_deref());
    if model::is_rehearsal(&name) {
        return Err(Failure::given("the rehearsal model notes nothing; name one with --model"));
    }
    let (options, limits) = (Options::new(Dialect::Sigil), model::limits()?);
    let settings = model::ModelSettings {
        options,
        rate: NonZeroU32::MIN,
        limits,
        proxy,
        chosen: name.clone(),
    };
    Ok(model::choose(&name, &settings, None, &*host())?)
}

async fn learn(learner: ProfileLearner, json: bool) -> Result<(), Failure> {
    let slow = || Failure::running("the model took too long; nothing was learned");
    let learned = learner.learn(1).await.ok_or_else(slow)?.map_err(|error| failure(&error))?;
    match learned {
        LearnOutcome::Learned(made) => {
            let messages = count(made.messages as u64, "message");
            let changes = learned_changes(&made).unwrap_or_else(|| "no fact changed".to_owned());
            let more = if made.has_more { "; more messages wait, so learn again" } else { "" };
            let words = format!("learned from {messages}: {changes}{more}");
            let (added, replaced, removed) = (made.added, made.replaced, made.removed);
            let counts = json!({
                "messages": made.messages, "added": added, "replaced": replaced,
                "removed": removed, "refused": made.refused, "has_more": made.has_more,
            });
            outcome(json, &words, counts)
        }
        LearnOutcome::TooFew { .. } => {
            outcome(json, "you have said nothing new", json!({"messages": 0}))
        }
        LearnOutcome::Busy => Err(Failure::running(
            "another run learns from your messages, or was stopped while it did; try again in five \
             minutes",
        )),
        LearnOutcome::Unreadable { gave_up: false } => Err(Failure::running(
            "the model's answer cannot be read, so nothing was learned; try again, or name another \
             one with --model",
        )),
        LearnOutcome::Unreadable { gave_up: true } => Err(Failure::running(
            "the model's answer cannot be read for the second time, so these messages are left out",
        )),
        _ => Err(Failure::running("the profile was deleted meanwhile")),
    }
}

/// Prints the outcome, in words or as JSON.
fn outcome(for_programs: bool, words: &str, json: serde_json::Value) -> Result<(), Failure> {
    let mut out = io::stdout();
    written(match for_programs {
        true => write_json(&mut out, &json.to_string()),
        false => writeln!(out, "{words}"),
    })
}

fn number_of(facts: usize) -> String {
    count(facts as u64, "fact")
}

/// Converts an error of the profile. Wrong JSON is a wrong input.
fn failure(error: &Error) -> Failure {
    let message = error_chain(error);
    let failure = match error.kind() {
        ErrorKind::Invalid => Failure::given(message),
        ErrorKind::Format => Failure::running(message)
            .with_way_on("; silcrow profile delete begins with an empty one"),
        _ => Failure::running(message),
    };
    failure.named(error.kind().as_str(), error.is_retryable())
}
