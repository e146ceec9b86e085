use std::env;

/// The options of the command line.
pub(crate) struct Options {
    pub(crate) calls: u64,
    pub(crate) bytes: usize,
    pub(crate) rounds: usize,
    only: String,
}

impl Options {
    /// Reads the options. Returns `None` without `--bench`, which only `cargo bench` adds: test
    /// runners start and list benches, too.
    pub(crate) fn read() -> Option<Self> {
        let args: Vec<String> = env::args().collect();
        if !args.iter().any(|arg| arg == "--bench") {
            return None;
        }
        let value = |name: &str| {
            let at = args.iter().position(|arg| arg == name)?;
            let value = args.get(at + 1);
            Some(value.unwrap_or_else(|| panic!("`{name}` wants a value behind it")))
        };
        let number = |name: &str, default: usize| {
            value(name).map_or(default, |value| {
                value.parse().unwrap_or_else(|_| panic!("`{name} {value}`: give a whole number"))
            })
        };
        Some(Self {
            calls: number("--calls", 2) as u64,
            bytes: number("--bytes", 8_000_000),
            rounds: number("--rounds", 40).max(1),
            only: value("--only").cloned().unwrap_or_default(),
        })
    }

    pub(crate) fn wants(&self, table: &str, row: &str) -> bool {
        format!("{table} / {row}").contains(&self.only)
    }
}
