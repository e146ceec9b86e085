//! The tools `web_search` and `web_scrape`, which reach only public addresses.
