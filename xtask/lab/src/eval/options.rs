//! The options of `cargo lab eval`: questions, a model and settings.

use std::fmt;

/// A way to teach the model the dialect.
#[derive(Clone, Copy)]
pub(super) struct Prompt {
    name: &'static str,
    pub(super) guide: &'static str,
    /// The number of files of examples.
    pub(super) examples: usize,
}

const PROMPTS: [Prompt; 8] = [
    Prompt { name: "full", guide: "full", examples: 0 },
    // Without control blocks, in `action`.
    Prompt { name: "calls", guide: "calls", examples: 0 },
    Prompt { name: "brief", guide: "brief", examples: 0 },
    Prompt { name: "full-examples", guide: "full", examples: 1 },
    Prompt { name: "calls-examples", guide: "calls", examples: 1 },
    Prompt { name: "brief-examples", guide: "brief", examples: 1 },
    Prompt { name: "examples", guide: "off", examples: 1 },
    Prompt { name: "more-examples", guide: "off", examples: 2 },
];

const DIALECTS: [&str; 3] = ["sigil", "phase", "action"];

/// The forms in which calls are read: ours, also the model's own, and the vendor's.
const CALLS: [&str; 3] = ["own", "known", "native"];

/// One way to ask.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) prompt: Prompt,
    pub(super) dialect: &'static str,
    pub(super) calls: &'static str,
    pub(super) has_grammar: bool,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { prompt, dialect, calls, has_grammar } = self;
        let held = if *has_grammar { "yes" } else { "no" };
        let dialect = if *calls == "native" { "–" } else { dialect };
        write!(f, "| {} | `{dialect}` | `{calls}` | {held}", prompt.name)
    }
}

/// The options on the command line.
pub(super) struct EvalOptions {
    pub(super) questions: usize,
    /// The server and the name of another model, as in `http://127.0.0.1:8080/v1#qwen3-8b`.
    pub(super) model: Option<String>,
    prompts: Vec<Prompt>,
    dialects: Vec<&'static str>,
    calls: Vec<&'static str>,
    grammars: Vec<bool>,
}

impl EvalOptions {
    pub(super) fn read(args: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            questions: usize::MAX,
            model: None,
            prompts: Vec::new(),
            dialects: Vec::new(),
            calls: Vec::new(),
            grammars: Vec::new(),
        };
        for pair in args.chunks(2) {
            match *pair {
                ["--questions", number] => {
                    let is_none = |_| format!("`--questions {number}` is not a number");
                    options.questions = number.parse().map_err(is_none)?;
                }
                ["--prompt", name] => {
                    let names = PROMPTS.map(|prompt| prompt.name);
                    let found = PROMPTS.into_iter().find(|prompt| prompt.name == name);
                    options.prompts.push(found.ok_or_else(|| unknown("--prompt", &names))?);
                }
                ["--dialect", name] => options.dialects.push(one("--dialect", &DIALECTS, name)?),
                ["--calls", name] => options.calls.push(one("--calls", &CALLS, name)?),
                ["--grammar", name] => {
                    options.grammars.push(one("--grammar", &["yes", "no"], name)? == "yes");
                }
                ["--model", model] if model.contains('#') => options.model = Some(model.to_owned()),
                _ => {
                    return Err("use --questions N, --prompt NAME, --dialect NAME, --calls NAME, \
                                --grammar yes|no or --model URL#NAME"
                        .to_owned());
                }
            }
        }
        if options.prompts.is_empty() {
            options.prompts = PROMPTS.to_vec();
        }
        if options.dialects.is_empty() {
            options.dialects = DIALECTS.to_vec();
        }
        if options.calls.is_empty() {
            options.calls = CALLS.to_vec();
        }
        if options.grammars.is_empty() {
            options.grammars = vec![false, true];
        }
        Ok(options)
    }

    /// Returns all settings. The vendor's calls have neither a dialect nor a grammar.
    pub(super) fn settings(&self) -> Vec<Setting> {
        let mut all = Vec::new();
        for &prompt in &self.prompts {
            for &calls in &self.calls {
                let is_native = calls == "native";
                for &dialect in &self.dialects[..if is_native { 1 } else { self.dialects.len() }] {
                    for &has_grammar in if is_native { &[false][..] } else { &self.grammars } {
                        all.push(Setting { prompt, dialect, calls, has_grammar });
                    }
                }
            }
        }
        all
    }
}

fn one(flag: &str, names: &[&'static str], name: &str) -> Result<&'static str, String> {
    let found = names.iter().copied().find(|known| *known == name);
    found.ok_or_else(|| unknown(flag, names))
}

fn unknown(flag: &str, names: &[&str]) -> String {
    format!("use `{flag}` with one of {}", names.join(", "))
}
