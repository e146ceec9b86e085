//! Puts the settings that count into the arguments of a command, where none was typed.

use std::path::Path;

use clap::ValueEnum as _;
use silcrow_console::options::ThemeName;
use silcrow_exec::PriceTable;

use super::first_model::first_model;
use super::key::ConfigKey;
use super::places::project_folders;
use super::project;
use super::sampling::settle_sampling;
use super::value::ConfigValue;
use super::{Config, FoundValue};
use crate::args::{
    AgentArgs, Args, CallToolArgs, Command, ListToolsArgs, McpArgs, McpCommand, OnQuestion,
    PolicyArgs, ProfileArgs, ProfileCommand, ProxyArgs, SandboxSwitch, WebArgs,
};
use crate::failure::Failure;
use crate::instructions;
use crate::model;
use crate::telemetry::TelemetrySettings;
use crate::tool_choice::OfferedTools;

/// Reads the settings for a command that uses any, and completes its arguments.
pub(crate) fn settle(args: &mut Args) -> Result<(), Failure> {
    let profile = args.profile.clone();
    let is_quiet = match &args.command {
        Command::Run(args) => args.agent.show.quiet,
        Command::Replay(args) => args.agent.show.quiet,
        _ => false,
    };
    let load = |root: &Path, asks: bool| {
        let config = Config::load(profile.as_deref(), root, asks)?;
        if !is_quiet {
            project::notify(config.left_out().map(|(file, _)| file));
        }
        Ok(config)
    };
    let here = Path::new(".");
    match &mut args.command {
        Command::Chat(args) => settle_agent(&mut args.agent, load)?,
        Command::Run(args) => settle_agent(&mut args.agent, load)?,
        Command::Serve(args) => settle_agent(&mut args.agent, load)?,
        // Nobody is at the terminal of a worker.
        Command::Worker(args) => settle_agent(&mut args.agent, |root, _| load(root, false))?,
        // Standard input has the messages of an editor, so nobody is asked there.
        Command::Acp(args) => settle_agent(&mut args.agent, |root, _| load(root, false))?,
        Command::Replay(args) => settle_agent(&mut args.agent, load)?,
        Command::Context(args) => settle_agent(&mut args.agent, load)?,
        Command::Compact(args) => settle_agent(&mut args.agent, load)?,
        Command::Tool(args) => {
            let config = load(&args.root, true)?;
            settle_servers(&mut args.mcp, &config);
            settle_call(args, &config);
        }
        Command::Tools(args) => {
            let config = load(&args.root, false)?;
            settle_servers(&mut args.mcp, &config);
            settle_list(args, &config);
        }
        Command::Mcp(args) => match &mut args.command {
            // Standard input has the messages of another agent.
            McpCommand::Serve(served) => {
                settle_agent(&mut served.agent, |root, _| load(root, false))?;
            }
            McpCommand::Servers(_) => args.servers = load(&args.root, false)?.servers(),
        },
        Command::Models(args) => {
            let config = load(here, false)?;
            args.model = config.text(ConfigKey::Model);
            settle_key(&config, &model::name(args.model.as_deref()));
            settle_proxy(&mut args.proxy, &config);
        }
        Command::Answer(args) => {
            fill(&mut args.store, load(&args.root, false)?.path(ConfigKey::Store))
        }
        Command::Stop(args) => fill(&mut args.run.store, load(here, false)?.path(ConfigKey::Store)),
        Command::Budget(args) => {
            fill(&mut args.run.store, load(here, false)?.path(ConfigKey::Store))
        }
        Command::Diff(args) => fill(&mut args.store, load(here, false)?.path(ConfigKey::Store)),
        Command::Undo(args) => fill(&mut args.store, load(here, false)?.path(ConfigKey::Store)),
        Command::Profile(args) => settle_profile(args, load)?,
        Command::Log(args) => {
            let config = load(here, false)?;
            fill(&mut args.store, config.path(ConfigKey::Store));
            args.settings = config.in_force();
            args.telemetry = telemetry(&config);
        }
        Command::Parse(_)
        | Command::Assemble(_)
        | Command::Rehearse(_)
        | Command::Grammar(_)
        | Command::Manifest(_)
        | Command::Config(_)
        | Command::Policy(_)
        | Command::Doctor(_)
        | Command::Completions(_)
        | Command::Version { .. }
        | Command::Man { .. }
        | Command::Help { .. } => {}
    }
    Ok(())
}

fn settle_agent(
    args: &mut AgentArgs,
    load: impl Fn(&Path, bool) -> Result<Config, Failure>,
) -> Result<(), Failure> {
    let config = load(&args.root, true)?;
    fill(&mut args.model, config.text(ConfigKey::Model));
    if args.model.is_none() && !model::is_named() {
        args.model = first_model()?;
    }
    settle_key(&config, &model::name(args.model.as_deref()));
    fill(&mut args.dialect, config.word(ConfigKey::Dialect));
    fill(&mut args.mode, config.word(ConfigKey::Mode));
    let on_question = config.text(ConfigKey::OnQuestion);
    fill(
        &mut args.questions.on_question,
        on_question.and_then(|word| OnQuestion::from_str(&word, false).ok()),
    );
    fill(&mut args.store, config.path(ConfigKey::Store));
    settle_proxy(&mut args.proxy, &config);
    let learns = config.switch(ConfigKey::LearnProfile) == Some(true);
    args.learn.learn_profile |= learns && !args.learn.no_learn_profile;
    args.title_model = config.text(ConfigKey::TitleModel);
    args.telemetry = telemetry(&config);
    let thoughts = config.text(ConfigKey::Thoughts);
    fill(&mut args.show.thoughts, thoughts.and_then(|word| word.parse().ok()));
    let diff = config.text(ConfigKey::Diff);
    fill(&mut args.show.diff, diff.and_then(|word| word.parse().ok()));
    fill(&mut args.show.theme, theme(&config));
    args.no_instructions |= config.switch(ConfigKey::Instructions) == Some(false);
    args.no_coding = config.switch(ConfigKey::Coding) == Some(false);
    args.no_project_instructions = config.narrowing(ConfigKey::Instructions).next().is_some();
    if !args.no_instructions && !args.no_project_instructions {
        instructions::ask(&project_folders(&args.root))?;
    }
    fill(&mut args.window.window, config.count(ConfigKey::Window).map(u64::from));
    fill(
        &mut args.window.compact_at,
        config.count(ConfigKey::CompactAt).map(|percent| percent.min(95) as u8),
    );
    let model = model::name(args.model.as_deref());
    settle_sampling(&mut args.sampling, &config, &model)?;
    let typed = args.tools.clone().map(|choice| ("--tools".to_owned(), choice));
    settle_tools(&mut args.offered, typed, &config);
    settle_policy(&mut args.policy, &config);
    settle_servers(&mut args.mcp, &config);
    settle_web(&mut args.web, &config);
    let spending = &mut args.budget.spending;
    fill(&mut spending.prices, config.path(ConfigKey::Prices));
    fill(&mut spending.price_table, price_table(&config));
    Ok(())
}

fn telemetry(config: &Config) -> TelemetrySettings {
    TelemetrySettings {
        endpoint: config.text(ConfigKey::OtlpEndpoint),
        has_contents: config.switch(ConfigKey::OtlpContents) == Some(true),
    }
}

fn settle_profile(
    args: &mut ProfileArgs,
    load: impl Fn(&Path, bool) -> Result<Config, Failure>,
) -> Result<(), Failure> {
    let config = load(Path::new("."), false)?;
    fill(&mut args.store, config.path(ConfigKey::Store));
    if let Some(ProfileCommand::Learn { model, proxy }) = &mut args.command {
        fill(model, config.text(ConfigKey::Model));
        settle_key(&config, &model::name(model.as_deref()));
        settle_proxy(proxy, &config);
    }
    Ok(())
}

fn settle_call(args: &mut CallToolArgs, config: &Config) {
    fill(&mut args.store, config.path(ConfigKey::Store));
    fill(&mut args.theme, theme(config));
    settle_policy(&mut args.policy, config);
    settle_web(&mut args.web, config);
}

fn theme(config: &Config) -> Option<ThemeName> {
    let word = config.text(ConfigKey::Theme)?;
    word.parse().ok()
}

fn settle_list(args: &mut ListToolsArgs, config: &Config) {
    settle_tools(&mut args.offered, None, config);
}

/// Adds the choice of the person and those of the project, all of which hold.
fn settle_tools(
    offered: &mut OfferedTools,
    typed: Option<(String, crate::tool_choice::ToolChoice)>,
    config: &Config,
) {
    let own = config.in_files(ConfigKey::Tools).next();
    let named = |found: FoundValue| match found.value {
        ConfigValue::Tools(choice) => Some((format!("{}, `tools`", found.source), choice)),
        _ => None,
    };
    let chosen = typed.or_else(|| own.and_then(named));
    let all = chosen.into_iter().chain(config.narrowing(ConfigKey::Tools).filter_map(named));
    all.for_each(|(source, choice)| offered.push(source, choice));
}

/// Adds the rules. Those of the person's settings count unless another file of rules was typed.
fn settle_policy(args: &mut PolicyArgs, config: &Config) {
    let sandbox = config.text(ConfigKey::Sandbox);
    fill(&mut args.sandbox, sandbox.and_then(|word| SandboxSwitch::from_str(&word, false).ok()));
    if args.policy.is_none() {
        args.policy = config.policy_path();
        args.own = config.own_policies();
    }
    args.project = config.project_policies();
}

/// Adds the servers of the settings, unless the flags leave them out. One that was typed has its name.
fn settle_servers(args: &mut McpArgs, config: &Config) {
    args.servers = args.mcp.clone();
    let others = if args.no_mcp { Vec::new() } else { config.servers() };
    for server in others {
        if args.servers.iter().all(|typed| typed.name != server.name) {
            args.servers.push(server);
        }
    }
    args.servers.retain(|server| !server.is_off);
}

fn settle_web(args: &mut WebArgs, config: &Config) {
    fill(&mut args.search, config.text(ConfigKey::Search));
}

/// Uses the person's command for the key of the chosen model.
fn settle_key(config: &Config, model: &str) {
    let words = match config.find(ConfigKey::KeyCommand).map(|found| found.value) {
        Some(ConfigValue::Texts(words)) => words,
        _ => Vec::new(),
    };
    model::set_key_command(model, words);
}

/// Adds the proxy of the settings, which counts after those of the environment.
pub(super) fn settle_proxy(args: &mut ProxyArgs, config: &Config) {
    args.setting = config.text(ConfigKey::Proxy);
    args.proxy_plain_http |= config.switch(ConfigKey::ProxyPlainHttp) == Some(true);
}

fn price_table(config: &Config) -> Option<PriceTable> {
    match config.find(ConfigKey::Prices)?.value {
        ConfigValue::Prices(prices, _) => Some(prices),
        _ => None,
    }
}

fn fill<T>(typed: &mut Option<T>, setting: Option<T>) {
    if typed.is_none() {
        *typed = setting;
    }
}
