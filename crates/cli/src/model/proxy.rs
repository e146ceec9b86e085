//! The proxies on the way to models: those that were chosen, or those of the environment as curl
//! reads it.

use silcrow_vendors::Proxy;

use crate::args::ProxyArgs;
use crate::environment::set;
use crate::failure::Failure;

/// Returns the proxy for https, and the one for plain HTTP if the person asked for that.
pub(super) fn proxies(args: &ProxyArgs) -> Result<Vec<Proxy>, Failure> {
    let except = first(&["no_proxy", "NO_PROXY"]).map_or_else(String::new, |(_, except)| except);
    let mut proxies = Vec::new();
    proxies.extend(found(args, &HTTPS, &except)?);
    if args.proxy_plain_http {
        proxies.extend(found(args, &PLAIN_HTTP, &except)?.map(Proxy::for_plain_http));
    }
    Ok(proxies)
}

/// Returns the proxy that counts: the typed one, that of a variable, or that of the settings.
fn found(
    args: &ProxyArgs,
    variables: &[&'static str],
    except: &str,
) -> Result<Option<Proxy>, Failure> {
    let typed = args.proxy.clone().map(|url| ("--proxy", url));
    let setting = args.setting.clone().map(|url| ("proxy", url));
    let Some((source, url)) = typed.or_else(|| first(variables)).or(setting) else {
        return Ok(None);
    };
    let proxy = Proxy::new(&url, except);
    proxy.map(Some).map_err(|error| Failure::given(format!("{source}: {error}")))
}

fn first(names: &[&'static str]) -> Option<(&'static str, String)> {
    names.iter().find_map(|name| Some((*name, set(name)?)))
}

/// The variables that name a proxy for https, the one that counts first.
const HTTPS: [&str; 4] = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

/// The variables that name a proxy for plain HTTP.
const PLAIN_HTTP: [&str; 4] = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];
