//! The commands that run a bench of one crate: `cargo lab database`, `peers` and `recall`.

/// Measures appends to PostgreSQL beside the bare statement.
pub(crate) fn database(args: &[&str]) -> Result<(), String> {
    bench("silcrow-store-postgres", "append", args)
}

/// Measures how well and how fast the tool `recall` finds.
pub(crate) fn recall(args: &[&str]) -> Result<(), String> {
    bench("silcrow-recall", "recall", args)
}

fn bench(package: &str, name: &str, args: &[&str]) -> Result<(), String> {
    if !args.is_empty() {
        return Err(format!(
            "`cargo lab {}` takes no arguments",
            name.replace("append", "database")
        ));
    }
    let mut cargo = crate::cargo();
    crate::succeed(cargo.args(["bench", "-q", "-p", package, "--bench", name]), "the measurement")
}

/// Measures lexer and parser, or the readers of native forms, beside other parsers of model output, which
/// are hundreds of crates.
pub(crate) fn peers(args: &[&str]) -> Result<(), String> {
    let (folder, args) = match args {
        ["native", args @ ..] => ("crates/native/peers", args),
        args => ("crates/parser/peers", args),
    };
    let mut cargo = crate::cargo();
    cargo.current_dir(crate::root().join(folder));
    // Without `--locked`, because its lock file also has the dependencies of our crates.
    cargo.args(["run", "--release", "--"]).args(args);
    crate::succeed(&mut cargo, &format!("`{folder}`, whose crates come over the network,"))
}
