//! The precedence of settings: the caller's values, then the environment and the files.

use std::path::PathBuf;
use std::str::FromStr;

use silcrow_provider::Sampling;

use crate::files::{FileSettings, SettingKey, SettingValue};
use crate::given::GivenSettings;
use crate::mcp::DeclaredServer;
use crate::sampling_settings::SamplingSettings;
use crate::settings::{InstructionSettings, PolicySettings, PriceSetting, ProxySettings, Settings};
use crate::source::{SettingSource, Sourced};
use crate::tool_choice::{OfferedTools, ToolChoice};

impl Settings {
    /// Returns the settings that count.
    ///
    /// ```
    /// use silcrow_parser::Dialect;
    /// use silcrow_settings::{Environment, GivenSettings, Settings, FileSettings};
    ///
    /// # let home = tempfile::tempdir().unwrap();
    /// # let folder = home.path().join("silcrow");
    /// # std::fs::create_dir(&folder).unwrap();
    /// std::fs::write(folder.join("config.toml"), "dialect = \"phase\"\nwindow = 4096\n").unwrap();
    /// let environment =
    ///     Environment::from_vars([("XDG_CONFIG_HOME", home.path().to_str().unwrap()), ("SILCROW_MODEL", "rehearsal")]);
    /// let files = FileSettings::load(&environment, home.path(), None)?;
    /// let mut given = GivenSettings::default();
    /// given.dialect = Some(Dialect::Action);
    /// let settings = Settings::resolve(given, &files);
    /// assert_eq!(settings.model.unwrap().source.to_string(), "SILCROW_MODEL");
    /// assert_eq!(settings.dialect.unwrap().source.to_string(), "--dialect");
    /// assert!(settings.window.unwrap().source.to_string().ends_with("config.toml:2"));
    /// # Ok::<(), silcrow_settings::Error>(())
    /// ```
    pub fn resolve(given: GivenSettings, files: &FileSettings) -> Self {
        let order = Order { files };
        let sampling = order.sampling(given.sampling);
        Self {
            model: order.text(SettingKey::Model, given.model),
            key_command: order.texts(SettingKey::KeyCommand, None),
            dialect: order.word(SettingKey::Dialect, given.dialect),
            calls: order.word(SettingKey::Calls, given.calls),
            mode: order.word(SettingKey::Mode, given.mode),
            tools: order.tools(given.tools),
            policy: order.policy(given.policy, given.sandbox),
            on_question: order.text(SettingKey::OnQuestion, given.on_question),
            servers: order.servers(given.servers, given.leaves_out_servers),
            instructions: order.instructions(given.leaves_out_instructions),
            coding: order.switch(SettingKey::Coding, None, true),
            learn_profile: order.switch(SettingKey::LearnProfile, given.learn_profile, false),
            title_model: order.text(SettingKey::TitleModel, None),
            store: order.path(SettingKey::Store, given.store),
            search: order.text(SettingKey::Search, given.search),
            proxy: order.proxy(given.proxy, given.proxy_plain_http),
            prices: order.prices(given.prices),
            models: order.value(SettingKey::Models, None, |value| match value {
                SettingValue::Models(models) => Some(models),
                _ => None,
            }),
            sampling,
            theme: order.text(SettingKey::Theme, given.theme),
            thoughts: order.text(SettingKey::Thoughts, given.thoughts),
            diff: order.text(SettingKey::Diff, given.diff),
            notify: order.text(SettingKey::Notify, None),
            status: order.texts(SettingKey::Status, None),
            keys: order.text(SettingKey::Keys, None),
            window: first(SettingKey::Window, given.window).or_else(|| {
                order.count(SettingKey::Window, None)?.try_map(|count| Some(count.into()))
            }),
            compact_at: first(SettingKey::CompactAt, given.compact_at).or_else(|| {
                let percent = order.count(SettingKey::CompactAt, None)?;
                percent.try_map(|percent| u8::try_from(percent.min(MOST_PERCENT)).ok())
            }),
            otlp_endpoint: order.text(SettingKey::OtlpEndpoint, None),
            otlp_contents: order.switch(SettingKey::OtlpContents, None, false),
            otlp_whole_input: order.switch(SettingKey::OtlpWholeInput, None, false),
        }
    }
}

/// The settings that rank below the caller's values.
struct Order<'a> {
    files: &'a FileSettings,
}

impl Order<'_> {
    /// Returns the effective value of a key, if it has the requested kind.
    fn value<T>(
        &self,
        key: SettingKey,
        given: Option<T>,
        read: impl FnOnce(SettingValue) -> Option<T>,
    ) -> Option<Sourced<T>> {
        first(key, given).or_else(|| self.files.get(key)?.try_map(read))
    }

    fn text(&self, key: SettingKey, given: Option<String>) -> Option<Sourced<String>> {
        self.value(key, given, |value| match value {
            SettingValue::Text(text) => Some(text),
            _ => None,
        })
    }

    fn texts(&self, key: SettingKey, given: Option<Vec<String>>) -> Option<Sourced<Vec<String>>> {
        self.value(key, given, |value| match value {
            SettingValue::Texts(texts) => Some(texts),
            _ => None,
        })
    }

    fn path(&self, key: SettingKey, given: Option<PathBuf>) -> Option<Sourced<PathBuf>> {
        self.value(key, given, |value| match value {
            SettingValue::Path(path) => Some(path),
            _ => None,
        })
    }

    fn number(&self, key: SettingKey, given: Option<f64>) -> Option<Sourced<f64>> {
        self.value(key, given, |value| match value {
            SettingValue::Number(number) => Some(number),
            _ => None,
        })
    }

    fn count(&self, key: SettingKey, given: Option<u32>) -> Option<Sourced<u32>> {
        self.value(key, given, |value| match value {
            SettingValue::Count(count) => Some(count),
            _ => None,
        })
    }

    fn word<T: FromStr>(&self, key: SettingKey, given: Option<T>) -> Option<Sourced<T>> {
        first(key, given).or_else(|| self.text(key, None)?.try_map(|word| word.parse().ok()))
    }

    fn sampling(&self, given: Sampling) -> SamplingSettings {
        let stop = Some(given.stop).filter(|stop| !stop.is_empty());
        SamplingSettings {
            temperature: self.number(SettingKey::Temperature, given.temperature),
            max_tokens: self.count(SettingKey::MaxTokens, given.max_tokens),
            effort: self.word(SettingKey::Effort, given.effort),
            thinking_budget: self.count(SettingKey::ThinkingBudget, given.thinking_budget),
            thinking_display: self.word(SettingKey::ThinkingDisplay, given.thinking_display),
            seed: self.count(SettingKey::Seed, given.seed),
            stop: self.texts(SettingKey::Stop, stop),
        }
    }

    fn switch(&self, key: SettingKey, given: Option<bool>, usual: bool) -> Sourced<bool> {
        let found = self.value(key, given, |value| match value {
            SettingValue::Switch(is_on) => Some(is_on),
            _ => None,
        });
        found.unwrap_or(Sourced { value: usual, source: SettingSource::Default })
    }

    /// Returns the choices of the person and the project, which all apply.
    fn tools(&self, given: Option<ToolChoice>) -> OfferedTools {
        let choice = |value| match value {
            SettingValue::Tools(choice) => Some(choice),
            _ => None,
        };
        let own = self.value(SettingKey::Tools, given, choice);
        let narrowing = self.files.narrowing(SettingKey::Tools);
        let narrowing = narrowing.filter_map(|found| found.try_map(choice));
        let mut offered = OfferedTools::default();
        for Sourced { value, source } in own.into_iter().chain(narrowing) {
            let source = match source {
                SettingSource::File { .. } => format!("{source}, `tools`"),
                source => source.to_string(),
            };
            offered.push(source, value);
        }
        offered
    }

    /// Returns the rules. The rules of the person's settings count unless another file of rules was
    /// given.
    fn policy(&self, given: Option<PathBuf>, sandbox: Option<bool>) -> PolicySettings {
        let sandbox = first(SettingKey::Sandbox, sandbox).or_else(|| {
            self.text(SettingKey::Sandbox, None)?.try_map(|word| match &*word {
                "on" => Some(true),
                "off" => Some(false),
                _ => None,
            })
        });
        let path = |found: Sourced<SettingValue>| {
            found.try_map(|value| match value {
                SettingValue::Path(path) => Some(path),
                _ => None,
            })
        };
        let (file, own) = match first(SettingKey::Policy, given) {
            Some(given) => (Some(given), Vec::new()),
            None => {
                let file = self.files.in_files(SettingKey::Policy).find_map(path);
                (file, self.files.own_policies())
            }
        };
        PolicySettings { file, own, project: self.files.project_policies(), sandbox }
    }

    /// Returns the servers that are on. One that was given has its name.
    fn servers(&self, given: Vec<DeclaredServer>, leaves_out: bool) -> Vec<DeclaredServer> {
        let mut servers = given;
        let others = if leaves_out { Vec::new() } else { self.files.servers() };
        for server in others {
            if servers.iter().all(|given| given.name != server.name) {
                servers.push(server);
            }
        }
        servers.retain(|server| !server.is_off);
        servers
    }

    fn instructions(&self, leaves_out: bool) -> InstructionSettings {
        let given = leaves_out.then_some(false);
        let narrowing = self.files.narrowing(SettingKey::Instructions).next();
        let project = narrowing.map(|found| Sourced { value: false, source: found.source });
        InstructionSettings {
            all: self.switch(SettingKey::Instructions, given, true),
            project: project.unwrap_or(Sourced { value: true, source: SettingSource::Default }),
        }
    }

    fn proxy(&self, given: Option<String>, is_for_plain_http: bool) -> ProxySettings {
        let plain = self.switch(SettingKey::ProxyPlainHttp, None, false);
        ProxySettings {
            given,
            written: self.text(SettingKey::Proxy, None),
            is_for_plain_http: is_for_plain_http || plain.value,
        }
    }

    fn prices(&self, given: Option<PathBuf>) -> Option<Sourced<PriceSetting>> {
        self.value(SettingKey::Prices, given.map(PriceSetting::File), |value| match value {
            SettingValue::Path(file) => Some(PriceSetting::File(file)),
            // A variable names a file as a text.
            SettingValue::Text(file) => Some(PriceSetting::File(file.into())),
            SettingValue::Prices(prices, _) => Some(PriceSetting::Table(prices)),
            _ => None,
        })
    }
}

/// Returns the value that the caller gave.
fn first<T>(key: SettingKey, given: Option<T>) -> Option<Sourced<T>> {
    Some(Sourced { value: given?, source: SettingSource::Flag(key.flag()) })
}

/// The largest part of a window, in percent, at which old turns are summarized.
const MOST_PERCENT: u32 = 95;
