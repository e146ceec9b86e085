//! The arguments of `cargo lab cluster`.

use super::NAMES;

/// The options on the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ClusterOptions {
    /// The number of servers.
    pub(super) servers: usize,
    /// The port of the balancer; 0 is any that is free.
    pub(super) port: u16,
    /// The model, as `silcrow --model` takes it; otherwise one that counts.
    pub(super) model: Option<String>,
}

impl ClusterOptions {
    pub(super) fn read(args: &[&str]) -> Result<Self, String> {
        let mut options = Self { servers: 3, port: 0, model: None };
        let mut args = args.iter();
        while let Some(name) = args.next() {
            let mut value =
                |what: &str| args.next().ok_or_else(|| format!("`{name}` needs {what} after it"));
            match *name {
                "--servers" => {
                    let given = value("a number")?.parse().ok();
                    let count = given.filter(|count| (1..=NAMES.len()).contains(count));
                    options.servers =
                        count.ok_or_else(|| format!("`--servers` is 1 to {}", NAMES.len()))?;
                }
                "--port" => {
                    let given = value("a number")?.parse();
                    options.port = given.map_err(|_| "`--port` is no number of a port")?;
                }
                "--model" => options.model = Some((*value("a model")?).to_owned()),
                other => {
                    return Err(format!(
                        "there is no option `{other}`; there are --servers N, --port N and \
                         --model NAME"
                    ));
                }
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::ClusterOptions;

    #[test]
    fn numbers_and_a_model_are_read() {
        let read = ClusterOptions::read(&["--servers", "2", "--port", "4180", "--model", "m"]);
        let wanted = ClusterOptions { servers: 2, port: 4180, model: Some("m".to_owned()) };
        assert_eq!(read.unwrap(), wanted);
        assert_eq!(ClusterOptions::read(&[]).unwrap().servers, 3);
        for wrong in [&["--servers", "0"][..], &["--servers"], &["--port", "x"], &["--fast"]] {
            assert!(ClusterOptions::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
