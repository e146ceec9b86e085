//! The tools and the fetcher, against real servers on this machine.

mod addresses;
mod body;
mod engines;
mod hidden;
mod html;
mod proxy;
mod redirects;
mod scrape;
mod search;
mod server;
mod service;
mod urls;
