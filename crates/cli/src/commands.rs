//! The commands, with the settings that each of them reads.
//!
//! Settings are read first, so that a mistake in them is reported before anything is done.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use silcrow_console::live;
use silcrow_interactive::AskOptions;
use silcrow_settings::{FileSettings, GivenSettings, Settings};

use crate::args::{
    AgentArgs, Args, Command, DevCommand, McpCommand, ProfileArgs, ProfileCommand, RunsCommand,
};
use crate::config::{self, AskedModel, SettingsReader};
use crate::failure::Failure;
use crate::{
    acp, answer, assemble, build_facts, chat, completions, context, diff, doctor, grammar, help,
    import, log, man, manifest, mcp, mcp_serve, models, orders, parse, policy, profile, rehearse,
    replay, review, run, serve, skills, tool_call, tool_list, undo, worktree,
};

/// The work of a command once its settings are known.
pub(crate) type PreparedCommand = Box<dyn FnOnce() -> Result<(), Failure>>;

/// Reads the settings for a command, and returns the work to do with them.
pub(crate) fn prepared(args: Args) -> Result<PreparedCommand, Failure> {
    let Args { profile, command } = args;
    let asking = SettingsReader { profile: profile.as_deref(), asks: true, is_quiet: false };
    let silent = SettingsReader { asks: false, ..asking };
    let here = Path::new(".");
    Ok(match command {
        Command::Chat(mut args) => {
            let worktree = worktree::open(&mut args.agent)?;
            let options = asked(asking, &args.agent)?;
            let chat = move || chat::chat(&args, options, |args| prepared(args)?());
            work(move || worktree::closed(worktree, chat()))
        }
        Command::Run(mut args) => {
            let worktree = worktree::open(&mut args.agent)?;
            let reader = SettingsReader { is_quiet: args.agent.show.quiet, ..asking };
            let options = asked(reader, &args.agent)?;
            work(move || worktree::closed(worktree, run::run(&args, &options)))
        }
        Command::Review(args) => {
            let reader = SettingsReader { is_quiet: args.agent.show.quiet, ..asking };
            let options = asked(reader, &args.agent)?;
            work(move || review::review(&args, options))
        }
        Command::Worktree(args) => work(move || worktree::command(&args)),
        Command::Dev(DevCommand::Replay(args)) => {
            let reader = SettingsReader { is_quiet: args.agent.show.quiet, ..asking };
            let options = asked(reader, &args.agent)?;
            work(move || replay::replay(&args, &options))
        }
        Command::Serve(args) => {
            let options = asked(asking, &args.agent)?;
            work(move || serve::serve(*args, options))
        }
        // Nobody is at the terminal of a worker.
        Command::Runs(RunsCommand::Worker(args)) => {
            let options = asked(silent, &args.agent)?;
            work(move || serve::work(*args, options))
        }
        // Standard input has the messages of an editor, so nobody is asked there.
        Command::Acp(args) => {
            let options = asked(silent, &args.agent)?;
            work(move || acp::acp(options, editor_options))
        }
        Command::Context(args) => {
            let options = asked(asking, &args.agent)?;
            work(move || context::context(&args, &options))
        }
        Command::Compact(args) => {
            let options = asked(asking, &args.agent)?;
            work(move || context::compact(&args, &options))
        }
        Command::Tool(args) => {
            let mut options = asking.call_options(&args.root, (&args).into())?;
            args.onto(&mut options.policy, &mut options.web);
            work(move || tool_call::call(&args, options))
        }
        Command::Tools(args) => {
            let settings = Settings::resolve((&args.mcp).into(), &silent.files(&args.root)?);
            work(move || tool_list::list(&args, &settings.servers, &settings.tools))
        }
        Command::Mcp(args) => match args.command {
            // Standard input has the messages of another agent.
            McpCommand::Serve(served) => {
                let options = asked(silent, &served.agent)?;
                work(move || mcp_serve::serve(options))
            }
            McpCommand::Servers(ref command) => {
                let (command, servers) = (command.clone(), silent.files(&args.root)?.servers());
                work(move || mcp::command(&args, &command, &servers))
            }
        },
        Command::Models(args) => {
            let asked = AskedModel::resolve(GivenSettings::default(), &silent.files(here)?);
            work(move || models::models(&args, &asked))
        }
        Command::Profile(mut args) => {
            let files = silent.files(here)?;
            let asked = learner(&args, &files);
            let settings = Settings::resolve(GivenSettings::default(), &files);
            args.store = store(args.store, &settings);
            work(move || profile::command(&args, asked))
        }
        Command::Log(mut args) => {
            let files = silent.files(here)?;
            let settings = log::LogSettings {
                in_force: config::in_force(&files),
                telemetry: config::telemetry_of(&files),
            };
            args.store = store(args.store, &Settings::resolve(GivenSettings::default(), &files));
            work(move || log::log(&args, &settings))
        }
        Command::Runs(RunsCommand::Answer(mut args)) => {
            args.store = stored(args.store, silent, &args.root)?;
            work(move || answer::answer(&args))
        }
        Command::Runs(RunsCommand::Stop(mut args)) => {
            args.run.store = stored(args.run.store, silent, here)?;
            work(move || orders::stop(&args))
        }
        Command::Runs(RunsCommand::Budget(mut args)) => {
            args.run.store = stored(args.run.store, silent, here)?;
            work(move || orders::budget(&args))
        }
        Command::Diff(mut args) => {
            args.store = stored(args.store, silent, here)?;
            work(move || diff::diff(&args))
        }
        Command::Undo(mut args) => {
            args.store = stored(args.store, silent, here)?;
            work(move || undo::undo(&args))
        }
        Command::Config(args) => work(move || config::command(profile.as_deref(), &args)),
        Command::Doctor(args) => work(move || doctor::doctor(profile.as_deref(), &args)),
        Command::Dev(DevCommand::Parse(args)) => work(move || parse::parse(&args)),
        Command::Dev(DevCommand::Assemble(args)) => work(move || assemble::assemble(&args)),
        Command::Dev(DevCommand::Rehearse(args)) => work(move || rehearse::rehearse(&args)),
        Command::Dev(DevCommand::Grammar(args)) => work(move || grammar::grammar(&args)),
        Command::Manifest(command) => work(move || manifest::manifest(&command)),
        Command::Import(args) => work(move || import::import(&args)),
        Command::Skills(args) => work(move || skills::skills(&args)),
        Command::Policy(command) => work(move || policy::command(&command)),
        Command::Completions(args) => work(move || completions::completions(&args)),
        Command::Version { json } => work(move || build_facts::version(json)),
        Command::Man { folder } => work(move || man::man(&folder)),
        Command::Help { words } => work(move || help::help(&words)),
    })
}

fn work(done: impl FnOnce() -> Result<(), Failure> + 'static) -> PreparedCommand {
    Box::new(done)
}

/// Returns the options of a run from the arguments, the settings and the defaults.
fn asked(reader: SettingsReader<'_>, args: &AgentArgs) -> Result<AskOptions, Failure> {
    let mut options = reader.options(&args.root, args.into())?;
    args.onto(&mut options);
    Ok(options)
}

/// Reads the words by which an editor could have started `silcrow acp`, with the settings of their folder.
fn editor_options(typed: &[OsString]) -> Result<AskOptions, Failure> {
    let Args { profile, command } =
        help::parse(typed).map_err(|error| Failure::given(error.to_string()))?;
    let reader = SettingsReader { profile: profile.as_deref(), asks: false, is_quiet: false };
    match &command {
        Command::Acp(args) => asked(reader, &args.agent),
        _ => Err(Failure::running("this process is not silcrow acp")),
    }
}

/// Returns whether a command draws on the terminal to which standard error goes.
pub(crate) fn has_screen(command: &Command) -> bool {
    let draws = matches!(
        command,
        Command::Chat(_)
            | Command::Run(_)
            | Command::Review(_)
            | Command::Dev(DevCommand::Replay(_))
    );
    draws && io::stderr().is_terminal() && live::is_possible()
}

/// Returns the place of conversations: the typed one, or the place in the settings of a folder.
fn stored(
    typed: Option<PathBuf>,
    reader: SettingsReader<'_>,
    root: &Path,
) -> Result<Option<PathBuf>, Failure> {
    let settings = Settings::resolve(GivenSettings::default(), &reader.files(root)?);
    Ok(store(typed, &settings))
}

fn store(typed: Option<PathBuf>, settings: &Settings) -> Option<PathBuf> {
    typed.or_else(|| settings.store.as_ref().map(|store| store.value.clone()))
}

/// Returns the model that learns the profile of the person, if the command is to do that.
fn learner(args: &ProfileArgs, files: &FileSettings) -> Option<AskedModel> {
    let Some(ProfileCommand::Learn { model, proxy }) = &args.command else { return None };
    let mut given = GivenSettings::from(proxy);
    given.model.clone_from(model);
    Some(AskedModel::resolve(given, files))
}
